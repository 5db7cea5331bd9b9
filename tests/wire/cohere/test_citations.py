"""Citations, both ways."""

import json

import msgspec
import pytest

from trivium.conversation.parts import Citation
from trivium.wire.cohere import citations

ROW = {
    "start": 0,
    "end": 5,
    "text": "Grüße",
    "sources": [
        {"type": "document", "id": "d1", "document": {"url": "https://a.example", "text": "x"}}
    ],
    "content_index": 1,
    "type": "TEXT_CONTENT",
}


def test_its_own_comes_back():
    """With its sources as they were, and the words it lies on."""
    found = citations.read(ROW)
    assert (found.url, found.title, found.quoted) == ("https://a.example", "d1", "x")
    assert citations.place(ROW) == ("TEXT_CONTENT", 1)
    assert citations.written(found, 1, "Grüße!", 6, {}) == ROW


@pytest.mark.parametrize("row", [{}, {"start": "a", "end": 2}, {"start": 5, "end": 1}])
def test_offsets_that_are_none(row):
    """All of the text is meant."""
    found = citations.read(row)
    assert (found.start, found.end) == (None, None)


def test_of_other_shapes_the_source_is_a_document():
    """By address or title; of a caller's own document its id is told."""
    row = citations.written(Citation("https://a.example", "A"), 0, "abc", 3, {})
    (source,) = row["sources"]
    assert source["document"] == {"title": "A", "url": "https://a.example"}
    assert (row["start"], row["end"], row["text"]) == (0, 3, "abc")
    raw = json.dumps([{"id": "d1", "data": {"title": "T", "text": "x"}}, "y"]).encode()
    known = citations.sources_of({"documents": msgspec.Raw(raw)})
    row = citations.written(Citation(title="T"), 0, None, 3, known)
    assert row["sources"] == [
        {"type": "document", "id": "d1", "document": {"title": "T", "text": "x"}}
    ]
    assert known["doc:1"] == ("doc:1", {"text": "y"})
    assert citations.written(Citation(), 0, "abc", 3, {}) is None


def test_long_stretches_and_documents_are_not_repeated():
    """Each citation would hold all of them again."""
    long = citations.SNIPPET_MAX + 1
    row = citations.written(Citation(title="T"), 0, "x" * long, long, {})
    assert "text" not in row
    raw = json.dumps(["x" * citations.SOURCE_BYTES_MAX]).encode()
    known = citations.sources_of({"documents": msgspec.Raw(raw)})
    assert known["doc:0"] == ("doc:0", {"title": "doc:0"})
