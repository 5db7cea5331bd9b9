"""Citations of the converse shape."""

import pytest

from trivium.conversation.parts import Citation, Native
from trivium.faults import Fault
from trivium.wire import caps
from trivium.wire.converse import citations


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"title":"t","source":"https://example.com"}', ("https://example.com", "t", None)),
        (b'{"source":"doc-1","location":{"web":{"url":"http://example.com"}}}', ("http://example.com", None, None)),
        (b'{"source":"ftp://x","location":{"web":{"url":"javascript:1"}}}', (None, None, None)),
        (b'{"sourceContent":[{"text":"a"},{"x":1},{"text":"b"}]}', (None, None, "ab")),
        (b'{"title":3,"source":[],"location":[],"sourceContent":{}}', (None, None, None)),
        (b'{"location":{"web":7}}', (None, None, None)),
    ],
)  # fmt: skip
def test_a_citation_is_read(raw, expected):
    """Only an address that a client can open is one; the maker's own words are kept."""
    url, title, quoted = expected
    assert Citation(url, title, quoted=quoted, native=Native("converse", raw)) == citations.read(
        raw
    )


@pytest.mark.parametrize("raw", [b"3", b"null", b"nonsense", b"[]"])
def test_what_is_no_citation_is_none(raw):
    """Nothing is made up."""
    assert citations.read(raw) is None
    assert () == citations.answered(b"[" + raw + b"]")


def test_too_many_are_refused():
    """An answer that is nothing but sources is a failure."""
    with pytest.raises(Fault, match="too many"):
        citations.answered(b"[" + b"{}," * caps.CITATIONS_MAX + b"{}]")


def test_words_come_in_pieces():
    """Whatever else stands among them is passed over."""
    assert "ab" == citations.pieces([{"text": "a"}, 3, {"text": 3}, {"text": "b"}])
    assert "" == citations.pieces({"text": "a"})
