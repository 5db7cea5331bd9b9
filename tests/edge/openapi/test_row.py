"""The notation makes the rows it says it makes."""

import pytest

from trivium.edge.openapi.row import ANY, BEARER, GENERATE, MESSAGES, operations


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("audio", ("audio", BEARER)),
        ("messages", ("messages", MESSAGES)),
        ("generate", ("generate", GENERATE)),
        ("models", ("models", ANY)),
        ("gateway", ("gateway", ())),
        ("admin", ("admin", ("adminBearer",))),
        ("audio tag=gateway", ("gateway", ())),
        ("models keys=generate", ("models", GENERATE)),
        ("gateway keys=any", ("gateway", ANY)),
        ("oauth keys=none", ("oauth", ())),
        ("oauth keys=oauthClient", ("oauth", ("oauthClient",))),
    ],
)
def test_the_tag_tells_the_keys_unless_they_are_named(written, expected):
    """A shape's clients know one way."""
    tag, _, more = written.partition(" ")
    (row,) = operations(f'{tag}\nPOST /x n "A." {more}')
    assert expected == (row.tag, row.keys)


def test_a_row_goes_on_until_the_next_begins():
    """Lines that are indented belong to it."""
    one, other = operations("""
audio
POST /v1/a/{b} createA "Makes an A
  of it." request=A answer=B|C
  answer=D ranges
GET /v1/a listA "Lists." files=text/plain
""")
    assert ("POST", "/v1/a/{b}", "createA", "Makes an A of it.") == (
        *(one.method, one.path),
        *(one.name, one.about),
    )
    assert ("A", ("B", "C", "D"), True, False) == (one.request, one.answer, one.ranges, one.known)
    assert ("listA", None, (), ("text/plain",)) == (
        *(other.name, other.request),
        *(other.answer, other.files),
    )
