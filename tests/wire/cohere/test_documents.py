"""Documents, both ways."""

import pytest

from trivium.conversation.parts import Document, Inline, Pieces, SearchResult, Text
from trivium.faults import Fault
from trivium.wire.cohere import documents


def read(value, at=0):
    """One document."""
    return documents.read(value, "documents[0]", at, citable=True)


@pytest.mark.parametrize(
    ("value", "title", "words"),
    [
        ("plain", "doc:3", "plain"),
        ({"data": {"text": "t", "title": "T"}}, "T", "t"),
        ({"id": "d", "data": {"snippet": "s", "year": 7, "by": "me"}}, "d", "year: 7\nby: me\ns"),
        ({"data": {"a": {"b": [1]}}}, "doc:3", 'a: {"b":[1]}'),
    ],
)
def test_what_it_says(value, title, words):
    """Members beside its words are lines of them; its own shape gets it as it was."""
    found = read(value, 3)
    assert (found.title, found.citable, documents.words(found)) == (title, True, words)
    own = value if isinstance(value, dict) else {"data": {"text": value}}
    assert documents.written(found) == own


@pytest.mark.parametrize(
    ("value", "param"),
    [(7, "documents[0]"), ({}, "documents[0].data"), ({"id": 7, "data": {}}, "documents[0].id")],
)
def test_what_is_none(value, param):
    """The member is named."""
    with pytest.raises(Fault) as caught:
        read(value)
    assert caught.value.param == param


def test_documents_of_others():
    """Text of any kind, with title and context; what has no words is none."""
    plain = Inline("text/plain", "aGVsbG8=", "a.txt")
    assert documents.written(Document(plain)) == {"data": {"title": "a.txt", "text": "hello"}}
    pieces = Document(Pieces((Text("a"), Text("b"))), title="T", context="C")
    assert documents.written(pieces) == {"data": {"title": "T", "context": "C", "text": "a\nb"}}
    assert documents.written(Document(Inline("application/pdf", "JVBERg=="))) is None
    assert documents.written(Text("a")) is None
    hit = SearchResult("https://a.example", "t", (Text("x"),))
    assert documents.written(hit)["data"]["url"] == "https://a.example"
