"""Whole answers as messages."""

import json
from pathlib import Path

import pytest

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import Audio, Citation, Reasoning, ReasoningForm, Refusal, Text
from trivium.conversation.usage import Usage
from trivium.wire.codec import AnswerContext
from trivium.wire.messages.codec import CODEC

ANSWERS = Path(__file__).parents[2] / "fixtures" / "messages" / "translate" / "answers"
STOP = Finish(Unified.STOP)
GOOGLE = StateOrigin("generate", "gemini", "g")
SIGNATURE = Opaque("thought_signature", b"sig", GOOGLE)


def written(wires, *parts, finish=STOP, usage=None, **context):
    """The message of one candidate."""
    answer = Answer((Candidate(parts, finish),), usage)
    return json.loads(CODEC.write_answer(answer, wires.context(**context)))


def test_a_message_has_every_member_clients_read(wires):
    """The id is ours, the model the one asked for; usage is estimated where nobody counted."""
    assert {
        "id": "msg_0a",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5",
        "content": [{"type": "text", "text": "Hi"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 7,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 0,
            "output_tokens_details": {"thinking_tokens": 0},
        },
    } == written(wires, Text("Hi"))


def test_trap_160_counters_follow_the_shapes_own_convention(wires):
    """Input leaves out what the caches gave and took; output contains thinking."""
    usage = Usage(
        fresh=50, cache_read=100_000, cache_write_short=8, audio_input=2, output=5, reasoning=3
    )
    shown = written(wires, Text("Hi"), usage=usage)["usage"]
    assert (52, 100_000, 8, 8) == (
        shown["input_tokens"],
        shown["cache_read_input_tokens"],
        shown["cache_creation_input_tokens"],
        shown["output_tokens"],
    )


@pytest.mark.parametrize(
    ("finish", "parts", "expected"),
    [
        (Finish(Unified.STOP), (), {"stop_reason": "end_turn"}),
        (Finish(Unified.STOP), (ToolCall("a", "f"),), {"stop_reason": "tool_use"}),
        (Finish(Unified.TOOL_CALLS), (ToolCall("a", "f"),), {"stop_reason": "tool_use"}),
        (Finish(Unified.LENGTH), (ToolCall("a", "f"),), {"stop_reason": "max_tokens"}),
        (
            Finish(Unified.STOP_SEQUENCE, stop_sequence="END"),
            (),
            {"stop_reason": "stop_sequence", "stop_sequence": "END"},
        ),
        (Finish(Unified.CONTEXT_FULL), (), {"stop_reason": "model_context_window_exceeded"}),
        (Finish(Unified.PAUSED), (), {"stop_reason": "pause_turn"}),
        (Finish(Unified.OTHER, "walk"), (), {"stop_reason": "max_tokens"}),
        (
            Finish(Unified.CONTENT_FILTER, "SAFETY", category="SAFETY"),
            (),
            {
                "stop_reason": "refusal",
                "stop_details": {"type": "refusal", "category": None, "explanation": "SAFETY"},
            },
        ),
        (
            Finish(Unified.CONTENT_FILTER, category="bio", explanation="No."),
            (),
            {
                "stop_reason": "refusal",
                "stop_details": {"type": "refusal", "category": "bio", "explanation": "No."},
            },
        ),
        (
            Finish(Unified.STOP),
            (Refusal("No."),),
            {
                "stop_reason": "refusal",
                "stop_details": {"type": "refusal", "category": None, "explanation": None},
            },
        ),
    ],
)
def test_trap_46_every_end_has_its_word(wires, finish, parts, expected):
    """Never null, and never complete where the answer is not; what is pending is said."""
    message = written(wires, *parts, finish=finish)
    found = {name: value for name, value in message.items() if name.startswith("stop_")}
    assert {"stop_sequence": None} | expected == found


def test_trap_2_broken_arguments_are_kept_word_for_word(wires):
    """An object is demanded; an empty one would run the tool with nothing."""
    content = written(wires, ToolCall("a", "f", '{"path": "a'), ToolCall("b", "f", ""))["content"]
    assert [{"_raw": '{"path": "a'}, {}] == [block["input"] for block in content]


def test_arguments_keep_their_order_and_numbers(wires):
    """The text is embedded as it is, without its blanks."""
    answer = Answer((Candidate((ToolCall("a", "f", '{ "b": 1.0, "a": 1e2 }'),)),))
    assert b'"input":{"b":1.0,"a":1e2}' in CODEC.write_answer(answer, wires.context())


def test_trap_8_ids_are_such_as_the_shape_takes(wires):
    """A clean id stays; another one is rewritten the same way every time, a missing one made."""
    calls = (ToolCall("call_1", "f"), ToolCall("functions.f:0", "f"), ToolCall("", "f"))
    ids = [block["id"] for block in written(wires, *calls)["content"]]
    assert ids == [block["id"] for block in written(wires, *calls)["content"]]
    assert ("call_1", "toolu_0a2") == (ids[0], ids[2])
    assert all(one.replace("_", "").replace("-", "").isalnum() for one in ids)
    assert ids[1] != written(wires, ToolCall("functions.f:1", "f"))["content"][0]["id"]


def test_attachments_travel_where_clients_echo_them(wires):
    """Readable reasoning in its signature, hidden reasoning and calls in a block before, text after."""
    sealed = wires.seal((SIGNATURE,))
    assert [
        {"type": "thinking", "thinking": "Hm", "signature": sealed},
        {"type": "redacted_thinking", "data": sealed},
        {"type": "text", "text": "Hi"},
        {"type": "thinking", "thinking": "", "signature": sealed},
        {"type": "redacted_thinking", "data": sealed},
        {"type": "tool_use", "id": "a", "name": "f", "input": {}},
    ] == written(
        wires,
        Reasoning("Hm", opaque=(SIGNATURE,)),
        Reasoning("", ReasoningForm.HIDDEN, opaque=(SIGNATURE,)),
        Text("Hi", opaque=(SIGNATURE,)),
        ToolCall("a", "f", opaque=(SIGNATURE,)),
    )["content"]


def test_a_cited_stretch_is_a_block_of_its_own(wires):
    """The shape cites blocks: a text is cut where its citations begin and end, and nowhere else."""
    cited = Citation("https://cats.example", "Cats", 5, 9)
    content = written(wires, Text("Dogs cats birds", (cited,)))["content"]
    assert ["Dogs ", "cats", " birds"] == [block["text"] for block in content]
    assert [False, True, False] == ["citations" in block for block in content]
    assert "cats" == content[1]["citations"][0]["cited_text"]


def test_what_cannot_be_shown_is_not_hidden(wires):
    """Spoken words are words; free text is wrapped; empty text is left out."""
    assert [
        {"type": "text", "text": "Spoken."},
        {"type": "tool_use", "id": "a", "name": "f", "input": {"input": "free"}},
    ] == written(
        wires,
        Text(""),
        Audio(None, "Spoken."),
        ToolCall("a", "f", "free", CallKind.CUSTOM),
    )["content"]


@pytest.mark.parametrize("path", sorted(ANSWERS.glob("*.json")), ids=lambda path: path.stem)
def test_what_is_written_reads_as_what_was_read(wires, path):
    """All blocks of the vendor's own answers, its counters and its ends come out as they went in."""
    context = AnswerContext(origin=wires.origin)
    answer = CODEC.read_answer(path.read_bytes(), context)
    told = CODEC.write_answer(answer, wires.context(seal=lambda opaque: opaque[0].data.decode()))
    before, after = json.loads(path.read_bytes()), json.loads(told)
    assert before["content"] == without_silence(after["content"])
    assert before["usage"] == after["usage"]
    if path.stem != "unknown":
        assert before["stop_reason"] == after["stop_reason"]
        assert before["stop_sequence"] == after["stop_sequence"]
        assert before.get("stop_details") == after.get("stop_details")


def without_silence(content):
    """Thinking without words comes out redacted: the other slot of the same attachment."""
    return [
        {"type": "thinking", "thinking": "", "signature": "c2ln"}
        if block == {"type": "redacted_thinking", "data": "c2ln"}
        else block
        for block in content
    ]
