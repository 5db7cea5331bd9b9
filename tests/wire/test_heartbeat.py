"""Heartbeats that no client takes for an answer."""

import msgspec
import pytest

from trivium.wire.event_stream import event
from trivium.wire.heartbeat import COMMENT, PING, SPACE, heartbeat, is_answer
from trivium.wire.operation import Shape

STREAMED = (Shape.CHAT, Shape.COMPLETIONS, Shape.RESPONSES, Shape.MESSAGES, Shape.GENERATE)


@pytest.mark.parametrize("shape", [Shape.CHAT, Shape.COMPLETIONS, Shape.RESPONSES])
def test_openais_shapes_get_a_comment(shape):
    """Lines that begin with a colon are skipped by every reader of server-sent events."""
    assert heartbeat(shape) == COMMENT
    assert COMMENT.startswith(b":")


def test_messages_get_the_vendors_own_ping():
    """Which clients know, and pass over."""
    assert heartbeat(Shape.MESSAGES) == PING


def test_generate_gets_an_empty_event_that_ends_as_the_others_do():
    """The official Python reader takes any line without ``data: `` for an error, and Go's takes two
    events for one where line ends are mixed.
    """
    assert heartbeat(Shape.GENERATE) == b"\r\n\r\n"
    assert heartbeat(Shape.GENERATE, blank=b"\n\n") == b"\n\n"


def test_an_array_gets_white_space():
    """Legal before the bracket and between two elements."""
    beat = heartbeat(Shape.GENERATE, array=True)

    assert beat == SPACE
    assert msgspec.json.decode(beat + b"[{}," + beat + b"{}]") == [{}, {}]


@pytest.mark.parametrize("shape", STREAMED)
def test_a_heartbeat_ends_its_own_frame(shape):
    """What follows begins a frame of its own."""
    assert heartbeat(shape).endswith((b"\n\n", b"\r\n\r\n"))


def test_heartbeats_are_no_answer():
    """An error may follow them; of messages the vendor's own event begins the stream."""
    assert not is_answer(COMMENT * 2, Shape.CHAT)
    assert is_answer(COMMENT + b"data: {}\n\n", Shape.CHAT)
    beat = heartbeat(Shape.CONVERSE)
    assert not is_answer(beat * 2, Shape.CONVERSE)
    assert is_answer(beat + event("messageStart", b"{}"), Shape.CONVERSE)
