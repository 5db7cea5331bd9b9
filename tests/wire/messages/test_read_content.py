"""Content blocks of a request: where they may stand, and what they need."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.attachments import sealed_shut
from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Role
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import CacheMark, Reasoning, Text
from trivium.faults import Fault, Kind
from trivium.wire.messages import read_content
from trivium.wire.messages.read_content import ALLOWED, Blocks
from trivium.wire.messages.request_structs import Cache

ORIGIN = StateOrigin("messages", "anthropic", "main")
KNOWN = sorted(frozenset().union(*ALLOWED.values()))

CALL = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
TOOL = {"name": "f", "input_schema": {"type": "object"}}
CITED = {"type": "text", "text": "x", "citations": [{"type": "char_location"}]}
NEW = {"anthropic_version": "2026-10-21"}


def body(**members):
    """A least request with some members."""
    return {"model": "m", "max_tokens": 4096, **members}


def said(*contents):
    """Messages of alternating roles, the user's first."""
    return [
        {"role": ("user", "assistant")[at % 2], "content": one} for at, one in enumerate(contents)
    ]


def turn(role, *rows, strict=False):
    """The parts of one message."""
    blocks = [msgspec.Raw(json.dumps(row)) for row in rows]
    return Blocks(sealed_shut, strict=strict).turn(role, blocks, "p")


@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT, Role.SYSTEM])
@pytest.mark.parametrize("kind", KNOWN)
def test_a_kind_stands_where_it_may_stand(role, kind):
    """Elsewhere it is refused for that, before anything else about it."""
    with pytest.raises(Fault) as caught:
        turn(role, {"type": kind})
    refused = "cannot stand" in caught.value.message
    assert refused is (kind not in ALLOWED[role])


@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT, Role.SYSTEM])
def test_unknown_kinds_may_stand_anywhere(role):
    """Even with members whose names we know under other types."""
    row = {"type": "hologram", "text": 5, "name": ["x"]}
    assert json.dumps(row).encode() == turn(role, row)[0].native.data


def test_a_call_cannot_stand_in_a_result():
    """Unknown kinds can: clients reference tools there."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "tool_use"}]}
    with pytest.raises(Fault) as caught:
        turn(Role.USER, result)
    assert "p.0.content.0.type" == caught.value.param
    known = {"type": "tool_reference", "tool_name": "f"}
    assert "tool_reference" == turn(Role.USER, {**result, "content": [known]})[0].parts[0].kind


@pytest.mark.parametrize("signature", [{}, {"signature": None}, {"signature": ""}])
def test_thinking_without_a_signature_is_read(signature):
    """As what we wrote with an empty one: clients that leave out what is empty send it so."""
    row = {"type": "thinking", "thinking": "Hm"} | signature
    assert (Reasoning("Hm"),) == turn(Role.ASSISTANT, row)


def test_marks_are_counted_over_the_whole_request():
    """Four are taken, wherever they stand."""
    blocks = Blocks(sealed_shut, strict=False)
    assert [CacheMark()] * 4 == [blocks.mark(Cache("ephemeral"), "p") for _ in range(4)]
    assert None is blocks.mark(None, "p")
    with pytest.raises(Fault) as caught:
        blocks.mark(Cache("ephemeral"), "p.9")
    assert ("p.9.cache_control", Kind.INVALID_VALUE) == (caught.value.param, caught.value.kind)


def test_a_mark_is_ephemeral():
    """There is no other kind."""
    with pytest.raises(Fault) as caught:
        Blocks(sealed_shut, strict=False).mark(Cache("eternal"), "p")
    assert "p.cache_control.type" == caught.value.param


@pytest.mark.parametrize(("system", "texts"), [("", ()), ("A", (Text("A"),)), ([], ())])
def test_instructions_are_text(system, texts):
    """As a string or as blocks; an empty string is none."""
    blocks = Blocks(sealed_shut, strict=False)
    assert texts == blocks.texts(msgspec.Raw(json.dumps(system)), "system")


def test_sealed_attachments_return_to_the_part_they_were_made_for(wires):
    """A redacted block's to the call after it, a silent one's to the text before it."""
    sealed = "sealed:thought_signature:c2ln"
    redacted = {"type": "redacted_thinking", "data": sealed}
    silent = {"type": "thinking", "thinking": "", "signature": sealed}
    text = {"type": "text", "text": "Hi"}
    opaque = (Opaque("thought_signature", b"sig", ORIGIN),)

    def parts(*blocks):
        return wires.read(body(messages=said("Hi", list(blocks)))).turns[1].parts

    call = ToolCall("t1", "f", "{}")
    assert (ToolCall("t1", "f", "{}", opaque=opaque),) == parts(redacted, CALL)
    assert (Text("Hi", opaque=opaque), call) == parts(text, silent, CALL)
    assert (Text("", opaque=opaque),) == parts(silent)
    assert (Text("Hi", opaque=opaque), ToolCall("t1", "f", "{}", opaque=opaque)) == parts(
        text, silent, redacted, CALL
    )


@pytest.mark.parametrize(
    ("content", "parts"),
    [(None, ()), ("", ()), ([], ()), ("A", (Text("A"),))],
)
def test_trap_13_a_result_without_words_is_a_result(wires, content, parts):
    """Dropping it would orphan the call for ever."""
    result = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    found = wires.read(body(tools=[TOOL], messages=said("Go", [CALL], [result])))
    assert (ToolResult("t1", parts),) == found.turns[2].parts


@pytest.mark.parametrize(
    "messages",
    [
        said("Hi", [{"type": "document", "source": {"type": "text", "data": "x"}}]),
        said([CITED]),
    ],
)
def test_the_new_version_refuses_what_the_old_one_tolerates(wires, messages):
    """Documents in assistant turns, citations in user turns."""
    assert wires.read(body(messages=messages)).turns
    with pytest.raises(Fault) as caught:
        wires.read(body(messages=messages), **NEW)
    assert Kind.INVALID_VALUE is caught.value.kind


@pytest.mark.parametrize("value", [b"1e400", b'"\\ud800"', b'"\xff"'])
def test_what_is_only_skimmed_is_still_checked(value):
    """Unknown blocks are kept as they came, but they must be JSON in UTF-8."""
    block = msgspec.Raw(b'{"type":"hologram","x":' + value + b"}")
    with pytest.raises(Fault) as caught:
        Blocks(sealed_shut, strict=False).turn(Role.USER, [block], "p")
    assert Kind.MALFORMED_JSON is caught.value.kind


ROWS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", "thinking", "shimmer", None])},
    optional={
        "text": st.sampled_from(["a", "", None]),
        "id": st.sampled_from(["t1", "", None]),
        "name": st.sampled_from(["f", "", None]),
        "input": st.sampled_from([{}, {"a": "\\é"}, [], None, {"_raw": "x"}]),
        "tool_use_id": st.sampled_from(["t1", "", None]),
        "content": st.sampled_from(["a", "", None, [], [{"type": "text", "text": "b"}], 1]),
        "is_error": st.sampled_from([True, None, 1]),
        "cache_control": st.sampled_from([None, {"type": "ephemeral"}]),
        "caller": st.sampled_from([None, {"type": "direct"}]),
    },
)


@given(st.sampled_from([Role.USER, Role.ASSISTANT, Role.SYSTEM]), st.lists(ROWS, max_size=3))
def test_a_plain_block_is_read_as_any_other(role, rows):
    """What is read the short way is what the long way makes of it, its faults as well."""

    def read():
        try:
            return turn(role, *rows)
        except Fault as fault:
            return fault.kind, fault.message

    short = read()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_content, "_plain", lambda raw, role: None)
        assert read() == short
