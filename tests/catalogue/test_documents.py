"""Documents as callers send them: bounded, and without credentials once they are stored."""

import time

import pytest

from trivium.catalogue import documents
from trivium.catalogue.documents import DocumentError, checked, kept, moved, sealed_apart, unsealed
from trivium.catalogue.model import EntryName

MAIN = EntryName("channel", "team/main")
WHOLE = {
    "name": "team/main",
    "provider": "openai",
    "api_keys": ["sk-1", "env:B_API_KEY"],
    "credential": {"secret": "c", "region": "r"},
    "headers": {"x-a": "h"},
    "proxy": "http://u:p@127.0.0.1:1",
    "queue_s": 4.0,
}
APART = {
    **WHOLE,
    "api_keys": ["sealed:channels/team/main/api_keys/0", "env:B_API_KEY"],
    "credential": {
        "secret": "sealed:channels/team/main/credential/secret",
        "region": "sealed:channels/team/main/credential/region",
    },
    "headers": {"x-a": "sealed:channels/team/main/headers/x-a"},
    "proxy": "sealed:channels/team/main/proxy",
}
VALUES = {
    "api_keys/0": "sk-1",
    "credential/secret": "c",
    "credential/region": "r",
    "headers/x-a": "h",
    "proxy": "http://u:p@127.0.0.1:1",
}


def test_credentials_leave_their_places_and_come_back():
    """Whatever the file's rules take for a secret; references are none."""
    assert (APART, VALUES) == sealed_apart(MAIN, WHOLE, {})
    assert WHOLE == unsealed(MAIN, APART, VALUES)
    assert [] == kept(MAIN, WHOLE)
    assert sorted(VALUES) == sorted(kept(MAIN, APART))
    model = {"name": "m", "api_key": "x"}
    assert (model, {}) == sealed_apart(EntryName("model", "m"), model, {})
    missing = unsealed(MAIN, APART, {})
    assert APART == missing


def test_what_is_sent_back_is_kept():
    """In another order, under the other name for keys, beside new ones."""
    sent = {"api_keys": ["new", "sealed:channels/team/main/api_keys/0"], "name": "team/main"}
    found = sealed_apart(MAIN, sent, VALUES)
    assert {"api_keys/0": "new", "api_keys/1": "sk-1"} == found[1]
    assert ["sealed:channels/team/main/api_keys/0", "sealed:channels/team/main/api_keys/1"] == (
        found[0]["api_keys"]
    )
    one = {"api_key": "sealed:channels/team/main/api_keys/0"}
    assert {"api_key": "sk-1"} == sealed_apart(MAIN, one, VALUES)[1]


@pytest.mark.parametrize(
    "sent",
    [
        {"api_key": "sealed:channels/other/api_key"},
        {"api_key": "sealed:channels/team/main/api_key"},
        {"api_key": "sealed:channels/team/main/headers/x-a"},
        {"headers": {"x-b": "sealed:channels/team/main/api_keys/0"}},
        {"api_key": "sealed:"},
    ],
)
def test_nobody_elses_credential_is_to_be_had(sent):
    """Nor one that is not there, nor under a name that sends it otherwise."""
    with pytest.raises(DocumentError, match="is no reference to a credential of channels"):
        sealed_apart(MAIN, sent, VALUES)


@pytest.mark.parametrize(
    ("change", "member"),
    [
        ({"provider": "anthropic"}, "provider"),
        ({"base_url": "https://evil.example/v1"}, "base_url"),
        ({"base_url": "http://api.example/v1"}, "base_url"),
        ({"base_url": "https://api.example:444/v1"}, "base_url"),
        ({"base_url": "https://[x"}, "base_url"),
        ({"base_url": None}, "base_url"),
        ({"base_url": 5}, "base_url"),
        ({"proxy": "http://evil.example:1"}, "proxy"),
        ({"credential": {"authority": "evil.example"}}, "credential"),
        ({"base_url": "https://API.example/v2", "queue_s": 1}, None),
    ],
)
def test_where_calls_go_is_told_apart(change, member):
    """Another path of the same host is the same place."""
    before = {"provider": "openai", "base_url": "https://api.example/v1"}
    assert member == moved(before, before | change)


def nested(depth):
    found = "x"
    for _ in range(depth):
        found = {"a": found}
    return found


@pytest.mark.parametrize(
    ("kind", "name", "document", "said"),
    [
        ("channel", "", {}, "the name of a channel must be 1 to 64 letters"),
        ("model", "a b", {}, "the name of a model must be 1 to 200 characters"),
        ("group", "a" * 65, "1", "the name of a group is not a name"),
        ("channel", "a", [], "the document of a channel is an object"),
        ("group", "a", {}, "the document of a group is its factor as a text"),
        ("model", "a", {"name": "b"}, "name: must be a, as in the address"),
        ("model", "a", nested(9), "nested more than 8 deep"),
        ("model", "a", {"x": [1] * 10_001}, "more than 10,000 values"),
        ("model", "a", {"x": "y" * 200_000}, "bytes, more than 131,072"),
    ],
)
def test_what_is_no_document(kind, name, document, said):
    """Each has a reason that names it."""
    with pytest.raises(DocumentError, match=said):
        checked(EntryName(kind, name), document)


def test_what_is_one_has_its_name_first():
    """Whether it was sent or not."""
    assert ["name", "free"] == list(checked(EntryName("model", "m"), {"free": True}))
    assert "0.8" == checked(EntryName("group", "g"), "0.8")
    assert {"repeats": 1} == checked(EntryName("routing", "routing"), {"repeats": 1})
    assert nested(7) == checked(EntryName("routing", "routing"), nested(7))


def test_a_document_of_any_shape_is_looked_at_in_no_time():
    """Wide, deep or long: what is beyond the bounds is not walked."""
    began = time.process_time()
    for document in (nested(50_000), {"x": [[]] * 1_000_000}, {"x": "y" * 10_000_000}):
        with pytest.raises(DocumentError):
            checked(EntryName("model", "a"), document)
    assert time.process_time() - began < 1.0
    assert documents.DEPTH_MAX < 50


def test_what_says_nothing_is_not_kept():
    """A file has no word for it; a list keeps its places, so that its problem is told there."""
    said = {"a": None, "b": {"c": None, "d": [None, {"e": None}]}, "f": False, "g": 0}
    wanted = {"name": "m", "b": {"d": [None, {}]}, "f": False, "g": 0}
    assert wanted == checked(EntryName("model", "m"), said)
    assert {} == checked(EntryName("routing", "routing"), {"slow_s": None})
