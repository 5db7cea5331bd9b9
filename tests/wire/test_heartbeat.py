"""Heartbeats that no client takes for an answer."""

import msgspec
import pytest

from trivium.wire.heartbeat import COMMENT, PING, SPACE, heartbeat
from trivium.wire.messages.write_stream import PING as VENDORS_PING
from trivium.wire.operation import Shape

STREAMED = (Shape.CHAT, Shape.COMPLETIONS, Shape.RESPONSES, Shape.MESSAGES, Shape.GENERATE)


@pytest.mark.parametrize("shape", [Shape.CHAT, Shape.COMPLETIONS, Shape.RESPONSES])
def test_openais_shapes_get_a_comment(shape):
    """Lines that begin with a colon are skipped by every reader of server-sent events."""
    assert heartbeat(shape, "m", "req_1") == COMMENT
    assert COMMENT.startswith(b":")


def test_messages_get_the_vendors_own_ping():
    """The same bytes wherever it is sent from."""
    assert heartbeat(Shape.MESSAGES, "m", "req_1") == PING == VENDORS_PING


def test_generate_gets_a_chunk_that_says_nothing():
    """The official Python reader takes any line without ``data: `` for an error, and the chats of
    both official SDKs forget a turn one of whose chunks has no content.
    """
    sent = heartbeat(Shape.GENERATE, 'm"x', "req_1")

    assert sent.startswith(b"data: {")
    assert sent.endswith(b"}\n\n")
    assert msgspec.json.decode(sent[6:]) == {
        "candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "index": 0}],
        "modelVersion": 'm"x',
        "responseId": "1",
    }


def test_an_array_gets_white_space():
    """Legal before the bracket and between two elements."""
    beat = heartbeat(Shape.GENERATE, "m", "req_1", array=True)

    assert beat == SPACE
    assert msgspec.json.decode(beat + b"[{}," + beat + b"{}]") == [{}, {}]


@pytest.mark.parametrize("shape", STREAMED)
def test_a_heartbeat_ends_its_own_frame(shape):
    """What follows begins a frame of its own."""
    assert heartbeat(shape, "m", "req_1").endswith(b"\n\n")
