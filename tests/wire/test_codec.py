"""What every shape's codec is, and what they are given where nobody gave them anything."""

from importlib import import_module

import msgspec
import pytest

from trivium.conversation.attachments import opened
from trivium.conversation.opaque import SIGNATURE, SLOT, Opaque, StateOrigin
from trivium.conversation.request import Conversation
from trivium.faults import Kind
from trivium.wire.codec import (
    AnswerContext,
    Codec,
    ReadContext,
    WriteContext,
    broke,
    unsealed,
)

SHAPES = ("chat", "responses", "messages", "generate")


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_a_whole_codec(shape):
    """Both directions, whole and streamed, under the shape's own name."""
    codec = import_module(f"trivium.wire.{shape}.codec").CODEC
    assert shape == codec.shape.value
    assert shape == codec.places.shape
    for field in msgspec.structs.fields(Codec):
        assert field.name in ("shape", "places") or callable(getattr(codec, field.name))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_stream_has_a_reader_and_a_writer_of_its_own(shape):
    """They keep state: two answers never share one."""
    codec = import_module(f"trivium.wire.{shape}.codec").CODEC
    reading = AnswerContext(origin=StateOrigin(shape, "p", "main"))
    writing = WriteContext(
        request=Conversation(shape=shape, model="m"), id="a", created=0, model="m", request_id="r"
    )
    for made, context, names in (
        (codec.read_stream, reading, ("feed", "end")),
        (codec.write_stream, writing, ("feed", "end", "heartbeat")),
    ):
        assert made(context) is not made(context)
        assert all(callable(getattr(made(context), name)) for name in names)
    assert codec.read_stream(reading).usage is None


def test_callers_get_empty_slots_where_nothing_is_sealed():
    """And what they bring in one has no known maker."""
    assert unsealed((Opaque(SIGNATURE, b"x"),)) == ""
    assert (Opaque(SLOT, b"x"),) == opened("x", ReadContext().open)


def test_an_error_object_that_nobody_explains_is_the_upstreams():
    """Its words are not shown: they may name accounts."""
    fault = broke(b'{"message":"org-123 is over its limit"}')
    assert Kind.UPSTREAM_BROKE is fault.kind
    assert "org-123" not in fault.message
