"""Citations, both ways."""

import pytest

from trivium.conversation.parts import Citation, Native
from trivium.wire.responses import citations

FILE = b'{"type":"file_citation","file_id":"f","filename":"a.pdf","index":3}'


def test_a_file_is_cited_by_name():
    """Its own members stay with it."""
    assert (Citation(title="a.pdf", native=Native("responses", FILE)),) == citations.citations(
        b"[" + FILE + b"]"
    )


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b"7", b'["x"]', b'[{"start_index":"a"}]'])
def test_what_cannot_be_read_cites_nothing(raw):
    """An answer is not thrown away for a footnote."""
    assert () == citations.citations(raw)


def test_a_citation_of_its_own_shape_goes_back_in_one_line():
    """Line ends would tear an event in two."""
    cited = Citation(native=Native("responses", b'{"type":\n"file_path"}'))
    assert b'{"type":"file_path"}' == bytes(citations.annotation(cited, 9))


@pytest.mark.parametrize(
    ("cited", "span"),
    [(Citation("https://a.org", "A", 2, 4), (2, 4)), (Citation("https://a.org"), (0, 9))],
)
def test_a_url_is_cited_with_its_span(cited, span):
    """The whole text where nothing else was said."""
    row = citations.annotation(cited, 9)
    assert ("url_citation", *span) == (row["type"], row["start_index"], row["end_index"])


def test_what_has_no_url_has_no_annotation():
    """Nothing is made up."""
    assert citations.annotation(Citation(quoted="x"), 9) is None
