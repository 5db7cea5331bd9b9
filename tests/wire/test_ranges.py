"""One range of bytes: what is asked for, what is no range, what lies outside."""

import pytest

from trivium.wire.ranges import ByteRange, Unsatisfiable, is_one, span


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        (None, None),
        (b"bytes=0-0", ByteRange(0, 1)),
        (b"bytes=2-5", ByteRange(2, 6)),
        (b"bytes=2-", ByteRange(2, 10)),
        (b"bytes=2-999", ByteRange(2, 10)),
        (b"bytes=-3", ByteRange(7, 10)),
        (b"bytes=-999", ByteRange(0, 10)),
        (b"bytes= 1-2 ", ByteRange(1, 3)),
        (b"bytes=5-2", None),
        (b"bytes=0-1,4-5", None),
        (b"bytes=", None),
        (b"bytes=-", None),
        (b"bytes=a-b", None),
        (b"items=0-1", None),
        (b"bytes=0-1\r\n", None),
    ],
)
def test_a_range_is_one_or_none(header, wanted):
    """Anything that is not understood is no range, and the whole answer is right."""
    assert wanted == span(header, 10)


@pytest.mark.parametrize(
    ("header", "size"),
    [(b"bytes=10-", 10), (b"bytes=10-20", 10), (b"bytes=-0", 10), (b"bytes=0-", 0)],
)
def test_a_range_outside_is_an_error(header, size):
    """There is no byte to send."""
    with pytest.raises(Unsatisfiable):
        span(header, size)


def test_a_part_says_where_it_is():
    """Both ends are included in the header, as the RFC counts."""
    assert b"bytes 2-5/10" == ByteRange(2, 6).content_range(10)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (b"bytes=0-0", True), (b"bytes=5-", True), (b"bytes=-5", True),
        (b"bytes=5-2", False), (b"bytes=0-1,4-5", False), (b"items=0-1", False), (b"", False),
    ],
)  # fmt: skip
def test_only_one_range_goes_on(header, expected):
    """Several would come back as a form, which is no film."""
    assert expected is is_one(header)
