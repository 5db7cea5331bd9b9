"""Stop reasons, both ways."""

import pytest
from botocore.loaders import Loader

from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.parts import Refusal, Text
from trivium.wire.converse import finish

REASONS = Loader().load_service_model("bedrock-runtime", "service-2")["shapes"]["StopReason"][
    "enum"
]


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_that_there_is_comes_back(reason):
    """In the same word, and never as a good end that it is not."""
    found = finish.read(reason)
    assert (reason, reason) == (found.raw, finish.written(found, ()))
    assert (found.unified is Unified.STOP) == (reason == "end_turn")


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("guardrail_intervened", Unified.CONTENT_FILTER),
        ("content_filtered", Unified.CONTENT_FILTER),
        ("malformed_model_output", Unified.OTHER),
        ("malformed_tool_use", Unified.OTHER),
        ("model_context_window_exceeded", Unified.CONTEXT_FULL),
        ("bored", Unified.OTHER),
        ("", Unified.OTHER),
        (None, Unified.OTHER),
        (3, Unified.OTHER),
    ],
)
def test_what_a_reason_means(reason, expected):
    """A word that nobody knows is never a good end."""
    assert expected is finish.read(reason).unified


def test_a_stop_sequence_is_told_where_it_is_known():
    """An empty or strange one is not."""
    assert ("END", None, None) == tuple(
        finish.read("stop_sequence", one).stop_sequence for one in ("END", "", 3)
    )


@pytest.mark.parametrize("unified", list(Unified))
def test_every_canonical_end_has_a_word(unified):
    """One that the vendor's clients know."""
    assert finish.written(Finish(unified, "other_word"), (Text,)) in REASONS


def test_parts_say_what_a_good_end_was():
    """Some vendors call every good end the same."""
    stop = Finish(Unified.STOP, "stop")
    assert ["end_turn", "tool_use", "content_filtered"] == [
        finish.written(stop, kinds) for kinds in ((Text,), (Text, ToolCall), (Refusal,))
    ]
