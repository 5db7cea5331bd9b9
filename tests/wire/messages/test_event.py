"""Events of a messages stream: many at once, and whether anything in them is unknown."""

import msgspec
import pytest

from trivium.wire.messages.event import decode, decode_all, decode_strict

DELTA = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
ODD = DELTA | {"shimmer": 1}


def lines(*events):
    """As a read of a stream has them."""
    return b"\n".join(map(msgspec.json.encode, events))


@pytest.mark.parametrize(
    ("data", "number", "is_known"),
    [
        (lines(DELTA, DELTA), 2, True),
        (lines(DELTA, ODD), 2, False),
        (lines(DELTA) + b"\nnonsense", 0, False),
        (b"", 0, True),
    ],
)
def test_many_events_are_read_at_once(data, number, is_known):
    """What is unknown in one of them is looked for in all."""
    events, known = decode_all(data)
    assert (number, is_known) == (len(events), known)


def test_what_is_unknown_is_refused_where_that_is_asked_for():
    """And passed over where it is not."""
    data = msgspec.json.encode(ODD)
    assert "a" == decode(data).delta.text
    with pytest.raises(msgspec.ValidationError, match="shimmer"):
        decode_strict(data)
