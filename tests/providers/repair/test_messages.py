"""A streamed tool_use block of llama.cpp gets the member it lacks."""

import pytest

from trivium.providers.repair.messages import rewrite

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
