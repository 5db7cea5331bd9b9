"""Bytes are asked for in blocks, and only when they are not at hand."""

from trivium.wire.audio.length.window import BLOCK_BYTES, Window


def looking(window, *places):
    found = []
    for start, size in places:
        found.append((yield from window.at(start, size)))
    return found


def test_a_block_serves_many_looks():
    """One question for all that lies near; a place before or behind is asked for anew."""
    data = bytes(range(256)) * 1000
    asked = []
    asking = looking(Window(), (0, 4), (10, 4), (BLOCK_BYTES, 2), (5, 3), (255_999, 9))
    try:
        place = next(asking)
        while True:
            asked.append(place)
            place = asking.send(data[place[0] : place[0] + place[1]])
    except StopIteration as done:
        found = done.value
    assert [0, BLOCK_BYTES, 5, 255_999] == [start for start, _ in asked]
    assert [data[:4], data[10:14], data[BLOCK_BYTES:][:2], data[5:8], data[-1:]] == found
