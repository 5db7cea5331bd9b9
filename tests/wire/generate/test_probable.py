"""Token probabilities, both ways."""

import pytest

from trivium.conversation.parts import TokenLogprob
from trivium.wire.generate import probable

TOKENS = (
    TokenLogprob("Hi", -0.25, (TokenLogprob("Hi", -0.25), TokenLogprob("Yo", -2.0))),
    TokenLogprob("!", -0.5),
)


def test_what_is_written_reads_as_the_same_tokens():
    """Chosen tokens with the likeliest beside them."""
    assert TOKENS == probable.read(probable.written(TOKENS))


def test_without_alternatives_none_are_written():
    """No empty lists for every token."""
    assert ["chosenCandidates"] == list(probable.written(TOKENS[1:]))
    assert probable.written(()) is None


@pytest.mark.parametrize(
    "nonsense", [None, [], {}, {"chosenCandidates": "x"}, {"chosenCandidates": [3]}]
)
def test_nonsense_is_no_token(nonsense):
    """An upstream may send anything."""
    assert () == probable.read(nonsense)


def test_a_token_without_text_or_number_is_empty():
    """Positions must still match."""
    found = probable.read({"chosenCandidates": [{"tokenId": 3, "logProbability": "x"}]})
    assert (TokenLogprob("", 0.0),) == found
