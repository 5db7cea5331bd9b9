"""Resources are read and written as RFC 7643 has them."""

import pytest

from trivium.identity.scim.model import ScimError, ScimGroup, ScimProfile, ScimUser
from trivium.identity.scim.resources import (
    chosen,
    listing,
    member_id,
    moment,
    number_of,
    read_group,
    read_members,
    read_profile,
    shown_group,
    shown_user,
    truth,
)

BASE = "https://gateway.example/scim/v2"


@pytest.mark.parametrize(
    ("emails", "expected"),
    [
        (None, "b@x.org"),
        ([{"value": "1@x.org"}, {"value": "2@x.org"}], "1@x.org"),
        ([{"value": "1@x.org"}, {"value": "2@x.org", "type": "Work"}], "2@x.org"),
        ([{"value": "1@x.org", "type": "work"}, {"value": "2@x.org", "primary": "True"}], "2@x.org"),
        ([{"type": "work"}], "b@x.org"),
    ],
)  # fmt: skip
def test_one_address_is_kept(emails, expected):
    """The primary one, else that of work, else the first, else the name."""
    assert expected == read_profile({"userName": "b@x.org", "emails": emails}).email


@pytest.mark.parametrize("value", [1, "perhaps", None, []])
def test_what_is_no_truth(value):
    """Is refused by name."""
    with pytest.raises(ScimError, match="active"):
        truth(value, "active")
    assert [True, False] == [truth("True", "a"), truth("FALSE", "a")]


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "01", "\u0663", "9" * 19, "9" * 30, "a"])
def test_ids_are_numbers(text):
    """That there can be; no other text is one."""
    assert number_of(text) is None
    with pytest.raises(ScimError):
        member_id(text)
    assert 7 == number_of("7")


def test_members():
    """Each once; groups in groups are refused."""
    assert [] == read_members(None)
    assert [2, 1] == read_members([{"value": "2"}, {"value": "1", "type": "User"}, {"value": "2"}])
    assert [2] == read_members({"value": "2"})
    for wrong in ("2", ["2"], [{"value": 2}], [{"value": "2", "type": "Group"}]):
        with pytest.raises(ScimError):
            read_members(wrong)
    with pytest.raises(ScimError, match="displayName"):
        read_group({})


def test_a_person():
    """With what there is; the version changes with it."""
    profile = ScimProfile(user_name="b", email="b@x.org", given_name="B")
    user = ScimUser(
        id=7, profile=profile, locked=False, made_here=True, created_at=0, changed_at=60,
        groups=((3, "g"),),
    )  # fmt: skip
    shown = shown_user(user, BASE)
    assert {"givenName": "B"} == shown["name"]
    assert "displayName" not in shown
    assert f"{BASE}/Groups/3" == shown["groups"][0]["$ref"]
    meta = shown["meta"]
    assert ("1970-01-01T00:00:00Z", "1970-01-01T00:01:00Z") == (
        meta["created"],
        meta["lastModified"],
    )
    other = shown_user(
        ScimUser(id=7, profile=profile, locked=False, made_here=True, created_at=0, changed_at=60),
        BASE,
    )
    assert other["meta"]["version"] != meta["version"]
    assert meta["version"].startswith('W/"')


def test_a_group():
    """Members only where they were looked up."""
    group = ScimGroup(id=3, display_name="g", external_id=None, created_at=0, changed_at=0)
    assert not shown_group(group, BASE).keys() & {"members", "externalId"}
    page = listing([shown_group(group, BASE)], 5, 2)
    assert (5, 2, 1) == (page["totalResults"], page["startIndex"], page["itemsPerPage"])
    assert "2026-11-28T00:00:00Z" == moment(1_795_824_000)


@pytest.mark.parametrize(
    ("only", "without", "left"),
    [
        (set(), set(), {"schemas", "id", "a", "b"}),
        ({"a"}, set(), {"schemas", "id", "a"}),
        ({"b.x"}, set(), {"schemas", "id", "b"}),
        (set(), {"a", "id"}, {"schemas", "id", "b"}),
    ],
)
def test_some_attributes(only, without, left):
    """What was asked for, and what always is there."""
    resource = {"schemas": [], "id": "7", "a": 1, "b": [{"x": 1, "y": 2}]}
    found = chosen(resource, frozenset(only), frozenset(without))
    assert left == found.keys()
    if "b.x" in only:
        assert [{"x": 1}] == found["b"]
    assert [{"y": 2}] == chosen(resource, frozenset(), frozenset({"b.x"}))["b"]
