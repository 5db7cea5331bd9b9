"""Vendors' blocks grow by deltas that nobody has documented."""

import pytest

from trivium.wire.messages.open_block import OpenBlock


def grown(*deltas: bytes, pieces: tuple[str, ...] = ()) -> bytes:
    block = OpenBlock("", -1)
    block.block = {"type": "news", "text": "a"}
    for delta in deltas:
        block.grow(b'{"delta":%b}' % delta)
    block.pieces += pieces
    return block.whole()


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        ((), b'{"type":"news","text":"a"}'),
        ((b'{"type":"text","text":"b"}', b'{"text":"c"}'), b'{"type":"news","text":"abc"}'),
        ((b'{"text":1}',), b'{"type":"news","text":1}'),
        ((b'{"type":"x","n":1}', b'{"n":2}'), b'{"type":"news","text":"a","n":2}'),
    ],
)
def test_text_is_added_and_anything_else_takes_the_place_of_what_was(
    deltas: tuple[bytes, ...], expected: bytes
) -> None:
    """A delta's ``type`` is of the delta, and no member of the block."""
    assert expected == grown(*deltas)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (('{"q":', "1}"), b'{"q":1}'),
        (('{"q":',), b'{"_raw":"{\\"q\\":"}'),
    ],
)
def test_input_is_said_as_the_object_that_its_pieces_make(
    pieces: tuple[str, ...], expected: bytes
) -> None:
    """Input that was cut off is kept as it came."""
    assert b'{"type":"news","text":"a","input":%b}' % expected == grown(pieces=pieces)


def test_blank_input_is_none() -> None:
    """Pieces of white space say nothing."""
    assert b'{"type":"news","text":"a"}' == grown(pieces=(" ",))


def test_an_event_that_is_no_object_is_refused() -> None:
    """Whoever reads the stream tells of the nonsense."""
    with pytest.raises(ValueError, match="truncated"):
        OpenBlock("", -1).grow(b"{")
