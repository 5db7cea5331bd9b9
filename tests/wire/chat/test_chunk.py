"""Chunks as servers write them: wider than the specification where they are known to differ."""

import msgspec
import pytest

from trivium.wire.chat.chunk import Chunk, OpeningChunk

READ = [
    b'{"choices":[{"delta":{"content":[{"type":"text","text":"x"}]}}]}',
    b'{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"a":1}}}]}}]}',
    b'{"choices":[{"delta":null,"finish_reason":null,"x":1}],"usage":null}',
    b'{"choices":null,"error":"text"}',
    b"{}",
]


@pytest.mark.parametrize("raw", READ)
def test_what_servers_are_known_to_send_is_read(raw):
    """Null, lists, objects and members nobody listed."""
    assert isinstance(msgspec.json.decode(raw, type=Chunk), Chunk)


def test_the_first_chunk_says_who_answers():
    """Later ones are not asked again."""
    found = msgspec.json.decode(b'{"id":"c1","model":"x","choices":[]}', type=OpeningChunk)
    assert ("c1", "x", []) == (found.id, found.model, found.choices)
