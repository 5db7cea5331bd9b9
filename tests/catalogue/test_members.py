"""What differs between two states of an entry, member by member."""

import msgspec
import pytest

from trivium.catalogue.members import action, member_diffs
from trivium.catalogue.model import CredentialMark, EntryBody, EntryDiff, EntryName

A = EntryName("channel", "a")
M = EntryName("model", "m")
NONE = msgspec.UNSET


def told(at, before, after):
    diff = EntryDiff(at=at, before=before, after=after)
    return action(diff), [(each.at, each.before, each.after) for each in member_diffs(diff)]


def body(document, *marks):
    found = tuple(CredentialMark(at=a, hint=h, fingerprint=f, set_ms=1) for a, h, f in marks)
    return EntryBody(document=document, marks=found)


@pytest.mark.parametrize(
    ("before", "after", "differing"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": True}, [("a", 1, True)]),
        ({"a": 1}, {"a": 1.0}, [("a", 1, 1.0)]),
        ({"a": 1}, {"b": 1}, [("a", 1, NONE), ("b", NONE, 1)]),
        ({"p": {"x": "1", "y": "2"}}, {"p": {"x": "1", "y": "3"}}, [("p.y", "2", "3")]),
        ({"b": [{"w": 1}, {"w": 2}]}, {"b": [{"w": 1}, {"w": 3}]}, [("b[1].w", 2, 3)]),
        ({"b": [1]}, {"b": [1, {"w": 2}]}, [("b[1]", NONE, {"w": 2})]),
        ({"b": [1, 2]}, {"b": [2]}, [("b[0]", 1, 2), ("b[1]", 2, NONE)]),
        ({"p": {"x": 1}}, {"p": 5}, [("p", {"x": 1}, 5)]),
        ({"p": 5}, {"p": {"x": 1}}, [("p", 5, {"x": 1})]),
    ],
)
def test_what_differs_is_told_where_it_is(before, after, differing):
    """The innermost member, and nothing beside it."""
    said = {"name": "m"}
    assert ("change", differing) == told(M, body(said | before), body(said | after))


def test_what_is_new_or_gone():
    """All members of a new one but its name; one that is gone has none."""
    document = {"name": "m", "free": True, "bindings": [{"channel": "a"}]}
    whole = [("free", NONE, True), ("bindings", NONE, [{"channel": "a"}])]
    assert ("create", whole) == told(M, None, body(document))
    assert ("delete", []) == told(M, body(document), None)
    group = EntryName("group", "g")
    assert ("create", [("", NONE, "0.8")]) == told(group, None, body("0.8"))
    assert ("change", [("", "0.8", "0.7")]) == told(group, body("0.8"), body("0.7"))


def test_credentials_are_told_by_what_may_be_shown():
    """Another one differs though its reference is the same; no value is there to be shown."""
    document = {
        "name": "a", "api_keys": ["sealed:channels/a/api_keys/0", "env:B_API_KEY"],
        "headers": {"x": "sealed:channels/a/headers/x"}, "proxy": "sealed:channels/a/proxy",
    }  # fmt: skip
    rest = (("headers/x", "", "f2"), ("proxy", "", "f3"))
    before = body(document, ("api_keys/0", "cdef", "f1"), *rest)
    _, found = told(A, before, body(document, ("api_keys/0", "wxyz", "f9"), *rest))
    assert [("api_keys[0]", "sealed …cdef", "sealed …wxyz")] == [
        (at, str(old), str(new)) for at, old, new in found
    ]
    assert ("change", []) == told(A, before, body(document, ("api_keys/0", "cdef", "f1"), *rest))
    assert document["headers"] == {"x": "sealed:channels/a/headers/x"}
    _, whole = told(A, None, before)
    assert "sealed" == str(whole[1][2]["x"])
