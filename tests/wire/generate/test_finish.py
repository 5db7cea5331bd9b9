"""Why an answer ended, both ways."""

import pytest

from trivium.conversation.finish import Finish, Unified
from trivium.faults import Fault, Kind
from trivium.wire.generate import finish

FILTERED = [
    "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "ESCALATION",
    "PUP_LIMITED_DISABLED", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION",
]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "called", "said", "unified"),
    [
        ("STOP", False, True, Unified.STOP),
        ("STOP", True, True, Unified.TOOL_CALLS),
        ("MAX_TOKENS", True, True, Unified.LENGTH),
        ("CONTINUATION", False, True, Unified.PAUSED),
        ("OTHER", False, False, Unified.CONTENT_FILTER),
        ("OTHER", False, True, Unified.OTHER),
        ("LANGUAGE", False, False, Unified.CONTENT_FILTER),
        ("BRAND_NEW", False, True, Unified.OTHER),
        *((word, False, True, Unified.CONTENT_FILTER) for word in FILTERED),
    ],
)
def test_every_word_has_its_meaning(word, called, said, unified):
    """The shape has no word for calls, and an unknown one is never a success."""
    found = finish.read(word, called=called, said=said)
    assert (unified, word) == (found.unified, found.raw)


@pytest.mark.parametrize(
    "word",
    [
        "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE",
    ],
)  # fmt: skip
def test_output_that_is_no_answer_is_the_upstreams_failure(word):
    """A broken call must not end as a refusal or as a success."""
    with pytest.raises(Fault) as caught:
        finish.read(word, called=False, said=True)
    assert (Kind.UPSTREAM_BROKE, "upstream_malformed_output") == (
        caught.value.kind,
        caught.value.code,
    )


@pytest.mark.parametrize(
    ("end", "word"),
    [
        (Finish(Unified.STOP, "end_turn"), "STOP"),
        (Finish(Unified.STOP_SEQUENCE, "stop_sequence"), "STOP"),
        (Finish(Unified.TOOL_CALLS, "tool_use"), "STOP"),
        (Finish(Unified.LENGTH, "max_tokens"), "MAX_TOKENS"),
        (Finish(Unified.CONTEXT_FULL), "MAX_TOKENS"),
        (Finish(Unified.CONTENT_FILTER, "refusal"), "SAFETY"),
        (Finish(Unified.CONTENT_FILTER, "SPII"), "SPII"),
        (Finish(Unified.CONTENT_FILTER, "JAILBREAK"), "SAFETY"),
        (Finish(Unified.PAUSED, "pause_turn"), "OTHER"),
        (Finish(Unified.PAUSED, "CONTINUATION", token="AAEC"), "CONTINUATION"),
        (Finish(Unified.OTHER, "LANGUAGE"), "LANGUAGE"),
        (Finish(Unified.OTHER, "whatever"), "OTHER"),
    ],
)
def test_callers_read_words_they_know(end, word):
    """CONTINUATION without a token would have google-genai ask for ever."""
    assert word == finish.word(end)


def test_a_blocked_prompt_says_so():
    """The vendor often gives no words of its own."""
    assert "PROHIBITED_CONTENT" in finish.blocked("PROHIBITED_CONTENT", None).explanation
    assert "No." == finish.blocked("SAFETY", "No.").explanation
