"""A document is fetched once, a store that is away is asked once, and what is known stays."""

import time

import pytest

from trivium.settings.secret_stores import lookup
from trivium.settings.secret_stores.lookup import StoredSecrets
from trivium.settings.secret_stores.store import StoreError


class Store:
    """Gives what it has, or fails as it is told."""

    def __init__(self):
        self.asked = []
        self.error = None
        self.has = {"a/b": {"x": "one", "y": "two"}, "c/d": {"x": "three"}}

    def read(self, name):
        self.asked.append(name)
        if self.error:
            raise self.error
        return self.has[name]


@pytest.fixture
def store():
    return Store()


def reading(store, known=None, **how):
    return StoredSecrets({}, known or {}, opening=lambda *_: store, **how)


def test_a_document_is_fetched_once(store):
    """However many of its fields are named, and how often."""
    found = reading(store)
    texts = ["vault:a/b#x", "vault:a/b#y", "vault:a/b#x", "vault:c/d#x"]
    assert ["one", "two", "one", "three"] == [found.look_up(text) for text in texts]
    assert ["a/b", "c/d"] == store.asked
    assert {} == found.stale
    assert set(texts) == set(found.values)


def test_at_first_a_store_must_give(store):
    """There is nothing else to go by."""
    store.error = StoreError("is away", whole=True)
    with pytest.raises(ValueError, match="names the secret vault:a/b#x, which is away"):
        reading(store).look_up("vault:a/b#x")


def test_later_what_is_known_stays(store):
    """And why it may be old is kept."""
    store.error = StoreError("is away", whole=True)
    found = reading(store, {"vault:a/b#x": "before"})
    assert "before" == found.look_up("vault:a/b#x")
    assert {"vault:a/b#x": "is away"} == found.stale
    assert {"vault:a/b#x": "before"} == found.values
    with pytest.raises(ValueError, match="which is away"):
        found.look_up("vault:c/d#x")
    assert ["a/b"] == store.asked


def test_one_secret_that_is_missing_keeps_no_other_back(store):
    """The store itself is well."""
    store.error = StoreError("is not there")
    found = reading(store, {"vault:a/b#x": "before"})
    assert "before" == found.look_up("vault:a/b#x")
    store.error = None
    assert "three" == found.look_up("vault:c/d#x")


def test_a_field_that_has_gone_stays_as_it_was(store):
    """Somebody is writing the secret anew."""
    assert "before" == reading(store, {"vault:a/b#z": "before"}).look_up("vault:a/b#z")


def test_nobody_is_waited_for_for_long(store):
    """Not even one that answers a byte at a time."""
    store.read = lambda _: time.sleep(0.5)
    began = time.monotonic()
    with pytest.raises(ValueError, match=r"did not answer within 0\.05 s"):
        reading(store, limit_s=0.05).look_up("vault:a/b#x")
    assert time.monotonic() - began < 2


def test_many_slow_documents_take_no_longer_than_one_reading_may(store):
    """Each is in time, all of them are not: what is known stays, and a start is not held up."""

    def slow(name):
        store.asked.append(name)
        time.sleep(0.1)
        return {"x": name}

    store.read = slow
    texts = [f"vault:a/{number}#x" for number in range(50)]
    found = reading(store, dict.fromkeys(texts, "before"), reading_s=0.35)
    began = time.monotonic()
    values = [found.look_up(text) for text in texts]
    assert time.monotonic() - began < 2
    assert 1 <= len(store.asked) <= 4
    assert "before" == values[-1]
    assert "answer within" in found.stale[texts[-1]] or "took 0.35 s for" in found.stale[texts[-1]]


def test_a_bug_is_not_taken_for_a_store_that_is_away(store):
    """It is seen, with its traceback."""
    store.error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        reading(store, {"vault:a/b#x": "before"}).look_up("vault:a/b#x")


@pytest.mark.parametrize("scheme", ["vault", "aws-sm", "gcp-sm"])
def test_every_scheme_has_its_store(scheme):
    """Found by its name, imported when it is named."""
    assert callable(lookup.open_store(scheme, {"VAULT_ADDR": "http://127.0.0.1:1"}).read)
