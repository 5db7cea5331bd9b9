"""Values of kept answers as they are stored."""

import msgspec

from trivium.idempotency.model import AnswerHead, Place


def test_a_head_survives_storing():
    """Byte for byte, headers in their order."""
    head = AnswerHead(200, b"application/json", [(b"b", b"2"), (b"a", b"1")], length=4)
    assert head == msgspec.msgpack.decode(msgspec.msgpack.encode(head), type=AnswerHead)


def test_places_are_in_one_order():
    """By which all transactions lock their rows."""
    assert [Place(3, "a"), Place(3, "b"), Place(4, "a")] == sorted(
        [Place(4, "a"), Place(3, "b"), Place(3, "a")]
    )
