"""Whole answers of the messages shape, read."""

import json
from pathlib import Path

import pytest

from trivium.conversation.answer import Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import Citation, Reasoning, ReasoningForm, Text
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.codec import AnswerContext
from trivium.wire.messages.codec import CODEC

ANSWERS = Path(__file__).parents[2] / "fixtures" / "messages" / "translate" / "answers"
ORIGIN = StateOrigin("messages", "anthropic", "main")
STOP = Finish(Unified.STOP, "end_turn")


def thinking(kind, data, text=""):
    """Thinking with one attachment of the tests' channel."""
    return Reasoning(
        text,
        ReasoningForm.FULL if text else ReasoningForm.HIDDEN,
        opaque=(Opaque(kind, data, ORIGIN, "claude-x"),),
    )


EXPECTED = {
    "text": ((Text("Hello."),), STOP),
    "tools": (
        (
            Text("Looking."),
            ToolCall("toolu_1", "lookup", '{"q":"a"}'),
            ToolCall("toolu_2", "now", "{}"),
        ),
        Finish(Unified.TOOL_CALLS, "tool_use"),
    ),
    "thinking": ((thinking("signature", b"c2ln", "A plan."), Text("Done.")), STOP),
    "silent-thinking": ((thinking("signature", b"c2ln"), Text("Done.")), STOP),
    "redacted": ((thinking("redacted", b"aGlkZGVu"), Text("Done.")), STOP),
    "refusal": (
        (),
        Finish(Unified.CONTENT_FILTER, "refusal", category="cyber", explanation="Not this."),
    ),
    "max-tokens": ((Text("Cut in the mid"),), Finish(Unified.LENGTH, "max_tokens")),
    "stop-sequence": (
        (Text("One, "),),
        Finish(Unified.STOP_SEQUENCE, "stop_sequence", "two"),
    ),
    "context-full": (
        (Text("Full."),),
        Finish(Unified.CONTEXT_FULL, "model_context_window_exceeded"),
    ),
    "empty": ((), STOP),
}


def read(body, **known):
    """The answer of a body."""
    return CODEC.read_answer(body, AnswerContext(origin=ORIGIN, model="claude-x", **known))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_an_answer_is_read(name):
    """Parts in order with their attachments, the end, and the counters apart from each other."""
    answer = read((ANSWERS / f"{name}.json").read_bytes())
    assert (Candidate(*EXPECTED[name]),) == answer.candidates
    assert ("msg_01Fixture", "claude-sonnet-5", "default") == (
        answer.id,
        answer.model,
        answer.service_tier,
    )
    assert (
        Usage(
            fresh=12,
            cache_read=2000,
            cache_write_short=10,
            cache_write_long=20,
            output=37,
            reasoning=20,
        )
        == answer.usage
    )


def test_trap_48_a_pause_is_no_completion():
    """The vendor's own loop wants to go on; its block is kept as it came."""
    candidate = read((ANSWERS / "paused.json").read_bytes()).candidates[0]
    assert Unified.PAUSED is candidate.finish.unified
    assert "srvtoolu_1" == json.loads(candidate.parts[0].native.data)["id"]
    assert "web_search: cats" == candidate.parts[0].text


def test_trap_46_an_unknown_end_never_looks_complete():
    """A reason, or a block, that nobody has documented is kept under its own name."""
    candidate = read((ANSWERS / "unknown.json").read_bytes()).candidates[0]
    assert Finish(Unified.OTHER, "took_a_walk") == candidate.finish
    assert ["hologram", "Seen."] == [candidate.parts[0].kind, candidate.parts[1].text]


def test_citations_keep_what_others_can_show_and_their_own_form():
    """A source with a URL is one anywhere; a page of a document has its title and words."""
    text = read((ANSWERS / "cited.json").read_bytes()).candidates[0].parts[0]
    assert [
        Citation("https://cats.example", "Cats", quoted="Cats sleep a lot."),
        Citation(None, "Report", quoted="Sleep."),
    ] == [Citation(one.url, one.title, quoted=one.quoted) for one in text.citations]
    assert ["web_search_result_location", "page_location"] == [
        json.loads(one.native.data)["type"] for one in text.citations
    ]


def test_an_error_in_a_success_means_what_the_providers_say():
    """The codec hands the object on."""
    with pytest.raises(Fault) as caught:
        read(
            b'{"type":"error","error":{"type":"overloaded_error","message":"m"}}',
            refused=lambda error: Fault(Kind.UPSTREAM_OVERLOADED, error.decode()),
        )
    assert '{"type":"overloaded_error","message":"m"}' == caught.value.message


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"content":"text"}',
        b'{"content":[5]}',
        b'{"content":["x"]}',
        b'{"content":[{"type":"hologram","x":"\xff"}]}',
        b'{"content":[{"type":"tool_use","input":"\xff"}]}',
    ],
)
def test_nonsense_is_the_upstreams_fault(body):
    """Never an exception, never an empty success."""
    with pytest.raises(Fault) as caught:
        read(body)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
