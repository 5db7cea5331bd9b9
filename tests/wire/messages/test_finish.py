"""Stop reasons, both ways."""

import pytest

from trivium.conversation.finish import Finish, Unified
from trivium.wire.messages.answer_structs import StopDetails
from trivium.wire.messages.finish import read, written

WORDS = {
    "end_turn": Unified.STOP,
    "stop_sequence": Unified.STOP_SEQUENCE,
    "tool_use": Unified.TOOL_CALLS,
    "max_tokens": Unified.LENGTH,
    "model_context_window_exceeded": Unified.CONTEXT_FULL,
    "refusal": Unified.CONTENT_FILTER,
    "pause_turn": Unified.PAUSED,
}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_survives_both_ways(word):
    """The vendor's own word is kept beside the canonical one."""
    finish = read(word)
    assert Finish(WORDS[word], word) == finish
    assert word == written(finish, ())["stop_reason"]


@pytest.mark.parametrize("word", [None, "", "took_a_walk", 5])
def test_an_unknown_word_is_never_a_stop(word):
    """A cut or refused answer must not look complete."""
    assert Unified.OTHER is read(word).unified
    assert "max_tokens" == written(read(word), ())["stop_reason"]


def test_details_of_a_refusal_survive():
    """The category where clients know it, the vendor's words always."""
    finish = read("refusal", None, StopDetails("bio", "No."))
    assert {"type": "refusal", "category": "bio", "explanation": "No."} == written(finish, ())[
        "stop_details"
    ]
    assert Finish(Unified.CONTENT_FILTER, "refusal") == read("refusal", 5, StopDetails(1, []))
