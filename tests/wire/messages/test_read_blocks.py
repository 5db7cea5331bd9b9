"""Content blocks of a request: where they may stand, and what they need."""

import json

import msgspec
import pytest

from trivium.conversation.items import Role
from trivium.conversation.opaque import sealed_shut
from trivium.conversation.parts import CacheMark, Text
from trivium.faults import Fault, Kind
from trivium.wire.messages.read_blocks import ALLOWED, Blocks, Cache

KNOWN = sorted(frozenset().union(*ALLOWED.values()))


def turn(role, *rows, strict=False):
    """The parts of one message."""
    return Blocks(sealed_shut, strict=strict).turn(role, msgspec.Raw(json.dumps(rows)), "p")


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
