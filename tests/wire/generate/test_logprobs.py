"""Token probabilities, both ways."""

import msgspec
import pytest

from trivium.conversation.parts import TokenLogprob
from trivium.conversation.shape_capabilities import Loss
from trivium.wire.codec import unheeded
from trivium.wire.generate import logprobs

TOKENS = (
    TokenLogprob("Hi", -0.25, (TokenLogprob("Hi", -0.25), TokenLogprob("Yo", -2.0))),
    TokenLogprob("!", -0.5),
)


def read(value, unread=unheeded):
    return logprobs.read(msgspec.Raw(msgspec.json.encode(value)), unread)


def test_what_is_written_reads_as_the_same_tokens():
    """Chosen tokens with the likeliest beside them."""
    assert TOKENS == read(logprobs.written(TOKENS))


def test_without_alternatives_none_are_written():
    """No empty lists for every token."""
    assert ["chosenCandidates"] == list(logprobs.written(TOKENS[1:]))
    assert logprobs.written(()) is None


@pytest.mark.parametrize(
    "nonsense", [None, [], {}, {"chosenCandidates": "x"}, {"chosenCandidates": [3]}]
)
def test_nonsense_is_no_token(nonsense):
    """An upstream may send anything."""
    assert () == read(nonsense)


def test_a_token_without_text_or_number_is_empty():
    """Positions must still match."""
    found = read({"chosenCandidates": [{"tokenId": 3, "logProbability": "x"}]})
    assert (TokenLogprob("", 0.0),) == found


@pytest.mark.parametrize(("rivals", "lost"), [(20, False), (40, True), (60, True)])
def test_more_than_a_turn_can_make_is_left_out_and_told(rivals, lost):
    """A thousand tokens with twenty rivals each are not too many."""
    row = {"token": "a", "logProbability": -1}
    result = {
        "chosenCandidates": [row] * 1000,
        "topCandidates": [{"candidates": [row] * rivals}] * 1000,
    }
    told = []
    found = read(result, lambda *loss: told.append(loss))
    assert [("logprobs", Loss.UNKNOWN)] * lost == told
    assert (0 if lost else 1000) == len(found)
