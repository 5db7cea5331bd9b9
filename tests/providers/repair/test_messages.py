"""A messages stream of llama.cpp gets the first event and the member it lacks."""

import msgspec
import pytest

from trivium.providers.repair.messages import OpeningRepair, rewrite

BLOCK = b'{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f"%s}}'


def test_the_missing_member_is_added():
    """Everything else stays in its place."""
    assert BLOCK % b',"input":{}' == rewrite(BLOCK % b"")


@pytest.mark.parametrize(
    "data",
    [
        BLOCK % b',"input":{"x":1}',
        b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"tool_use"}}',
        b'{"type":"content_block_start","x":"\\"tool_use\\"","content_block":{"type":"text"}}',
        b'{"type":"content_block_start", "tool_use" broken',
        b'["content_block_start","tool_use"]',
        b'{"type":"content_block_start","content_block":"tool_use"}',
        b'{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
        b"",
    ],
)
def test_other_frames_stay_as_they_are(data):
    """Frames are not even parsed unless they can be meant."""
    assert data == rewrite(data)


@pytest.mark.parametrize(
    "data",
    [
        b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        b'{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":1}}',
        b'{"type":"message_stop"}',
    ],
)
def test_a_stream_without_its_first_event_gets_one(data):
    """Once; with every member that clients read without looking."""
    opening = OpeningRepair(model="public", at=0x5F, input_tokens=12)
    (name, start), (same, last) = opening.rewrite(data)
    assert (b"message_start", b"", data) == (name, same, last)
    event = msgspec.json.decode(start)
    assert ("message_start", "msg_5f", "public", [], "assistant") == (
        event["type"],
        event["message"]["id"],
        event["message"]["model"],
        event["message"]["content"],
        event["message"]["role"],
    )
    assert {"input_tokens": 12, "output_tokens": 0} == event["message"]["usage"]
    assert opening.guessed
    assert [(b"", data)] == opening.rewrite(data)


def test_a_stream_with_its_first_event_keeps_it():
    """Nothing is added before or after."""
    opening = OpeningRepair(model="public", at=1, input_tokens=12)
    for data in (b'{"type":"message_start","message":{}}', b'{"type":"content_block_start"}'):
        assert [(b"", data)] == opening.rewrite(data)
    assert not opening.guessed


@pytest.mark.parametrize("data", [b'{"type":"ping"}', b'{"type":"error","error":{}}', b"[1]", b"{"])
def test_what_may_come_before_it_passes(data):
    """Above all an error, which is to become a status."""
    opening = OpeningRepair(model="public", at=1, input_tokens=12)
    assert [(b"", data)] == opening.rewrite(data)
    assert 2 == len(opening.rewrite(b'{"type":"message_stop"}'))
