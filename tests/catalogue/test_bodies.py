"""What an entry stores of a document."""

import pytest

from catalogue.sealed import SEAL, seal_of
from trivium.catalogue.bodies import BodyMaker, same
from trivium.catalogue.documents import DocumentError
from trivium.catalogue.model import EntryName

A = EntryName("channel", "a")
DOCUMENT = {"provider": "openai", "api_keys": ["sk-0123456789-one", "two"]}


def opened(seal):
    return lambda at, body: seal.open(at.kind, at.name, body.sealed) if body.sealed else {}


MAKER = BodyMaker(SEAL, opened(SEAL))


def test_a_credential_that_stays_keeps_its_day():
    """Given again or referred to; another one has its own."""
    first = MAKER.body(A, DOCUMENT, None, 5)
    assert [("api_keys/0", "-one", 5), ("api_keys/1", "", 5)] == [
        (mark.at, mark.hint, mark.set_ms) for mark in first.marks
    ]
    assert first is MAKER.body(A, {**DOCUMENT, "name": "a"}, first, 6)
    assert first is MAKER.body(A, first.document, first, 6)
    kept = first.document["api_keys"][0]
    second = MAKER.body(A, {**DOCUMENT, "api_keys": [kept, "three"]}, first, 7)
    assert [5, 7] == [mark.set_ms for mark in second.marks]
    assert first.marks[0] == second.marks[0]
    assert {"api_keys/0": "sk-0123456789-one", "api_keys/1": "three"} == opened(SEAL)(A, second)
    bare = MAKER.body(A, {"provider": "openai"}, first, 8)
    assert (None, ()) == (bare.sealed, bare.marks)


def test_what_another_secret_sealed_can_be_replaced_and_not_kept():
    """The way out for whoever lost the secret."""
    other = seal_of(b"2" * 32)
    lost = BodyMaker(other, opened(other)).body(A, DOCUMENT, None, 5)
    with pytest.raises(
        DocumentError, match="api_keys/0: cannot be kept: it was sealed with another"
    ):
        MAKER.body(A, lost.document, lost, 6)
    found = MAKER.body(A, DOCUMENT, lost, 6)
    assert "two" == opened(SEAL)(A, found)["api_keys/1"]


def test_documents_that_say_the_same():
    """In any order; a number is no truth."""
    assert same({"a": 1, "b": [1.5]}, {"b": [1.5], "a": 1})
    for other in ({"a": True}, {"a": 1.0}, {"a": "1"}, {"a": 1, "b": None}):
        assert not same({"a": 1}, other)
