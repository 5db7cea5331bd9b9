"""Parts of an answer as content blocks."""

import json

import msgspec
import pytest

from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Native,
    SearchResult,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.usage import Usage
from trivium.wire.messages.write_answer_parts import (
    blocks,
    call_input,
    call_start,
    counters,
    plain,
    redacted,
    silent,
)

INLINE = Inline("image/png", "aGk=")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (ToolCall("a", "f", '{"x":1}'), {"x": 1}),
        (ToolCall("a", "f", ""), {}),
        (ToolCall("a", "f", "[1]"), {"_raw": "[1]"}),
        (ToolCall("a", "f", "free", CallKind.CUSTOM), {"input": "free"}),
    ],
)
def test_an_input_is_always_an_object(call, told):
    """And never one that the model did not mean."""
    assert told == json.loads(call_input(call))


def test_members_of_the_shapes_own_calls_are_kept(wires):
    """Another shape's are not shown."""
    caller = {"type": "direct"}
    own = ToolCall("a", "f", native=Native("messages", json.dumps({"caller": caller}).encode()))
    told = json.loads(msgspec.json.encode(call_start(own, wires.context(), 0)))
    assert caller == told["caller"]
    other = ToolCall("a", "f", native=Native("chat", b'{"caller":1}'))
    assert "caller" not in call_start(other, wires.context(), 0)


def test_vendors_blocks_are_shown_to_their_own_shape_only(wires):
    """Word for word there, their words elsewhere, nothing where there are none."""
    own = VendorPart(Native("messages", b'{"type":"hologram"}'), "hologram")
    assert [{"type": "hologram"}] == blocks(own, wires.context(), 0)
    assert [] == blocks(VendorPart(Native("chat", b"{}"), "x"), wires.context(), 0)


def test_nothing_is_sealed_where_nothing_is(wires):
    """No empty slots."""
    assert [] == redacted((), wires.context()) == silent((), wires.context())
    opaque = (Opaque("signature", b"s"),)
    assert [] == redacted(opaque, wires.context(seal=lambda _: ""))


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (SearchResult("s", "T", (Text("A"), Text("B"))), "A\nB"),
        (Audio(None, "Spoken."), "Spoken."),
        (Audio(INLINE), "[Audio output, which the messages protocol cannot carry]"),
        (Image(INLINE), "[Image output, which the messages protocol cannot carry]"),
        (Video(INLINE), "[Video output, which the messages protocol cannot carry]"),
        (Document(INLINE), "[Document output, which the messages protocol cannot carry]"),
    ],
)
def test_what_cannot_be_shown_is_named(part, words):
    """Its words, or what it is: never silence."""
    assert words == plain(part)


@pytest.mark.parametrize(
    ("tier", "told"),
    [
        ("default", "standard"),
        ("priority", "priority"),
        ("flex", "standard"),
        ("x", None),
        (None, None),
    ],
)
def test_tiers_have_their_own_words(tier, told):
    """One that nobody knows is not said."""
    assert told == counters(Usage(), tier).get("service_tier")
