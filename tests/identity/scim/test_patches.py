"""Operations of a PATCH on a resource, without a database."""

import time

import pytest

from trivium.identity.scim.model import OPERATIONS_MAX, ScimError
from trivium.identity.scim.patches import (
    apply_steps,
    check_read_only,
    listed,
    normal,
    read_path,
    read_steps,
)

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
BEFORE = {
    "schemas": [USER],
    "id": "7",
    "userName": "b",
    "name": {"givenName": "B"},
    "emails": [{"value": "b@x.org", "type": "work", "primary": True}],
}


def after(*operations):
    """The members that have changed."""
    changed = apply_steps(BEFORE, read_steps({"Operations": list(operations)}))
    return {name: value for name, value in changed.items() if BEFORE.get(name) != value}


@pytest.mark.parametrize(
    ("operations", "changed"),
    [
        ([{"op": "ADD", "path": "displayName", "value": "B"}], {"displayName": "B"}),
        ([{"op": "add", "value": {"displayName": "B", "userName": "c"}}], {"displayName": "B", "userName": "c"}),
        ([{"op": "replace", "path": "name", "value": {"familyName": "J"}}], {"name": {"givenName": "B", "familyName": "J"}}),
        ([{"op": "replace", "path": "NAME.GIVENNAME", "value": "C"}], {"name": {"givenName": "C"}}),
        ([{"op": "remove", "path": "name.givenName"}], {"name": {"givenName": None}}),
        ([{"op": "remove", "path": "name"}], {"name": {}}),
        ([{"op": "add", "path": "name.middleName", "value": "M"}], {}),
        ([{"op": "remove", "path": "emails"}], {"emails": []}),
        ([{"op": "remove", "path": 'emails[type eq "work"]'}], {"emails": []}),
        ([{"op": "remove", "path": 'emails[type eq "home"]'}], {}),
        (
            [{"op": "add", "path": "emails", "value": [{"value": "h@x.org", "type": "home"}]}],
            {"emails": [*BEFORE["emails"], {"value": "h@x.org", "type": "home"}]},
        ),
        (
            [{"op": "Add", "path": 'emails[type eq "other"].value', "value": "o@x.org"}],
            {"emails": [*BEFORE["emails"], {"type": "other", "value": "o@x.org"}]},
        ),
        (
            [{"op": "Replace", "path": "emails[primary eq true].value", "value": "n@x.org"}],
            {"emails": [{"value": "n@x.org", "type": "work", "primary": True}]},
        ),
        (
            [{"op": "replace", "path": "emails.value", "value": "n@x.org"}],
            {"emails": [{"value": "n@x.org", "type": "work", "primary": True}]},
        ),
        ([{"op": "replace", "value": {"id": "7", "meta": {}, "schemas": []}}], {}),
        # nobody is let in by what is not said
        ([{"op": "remove", "path": "active"}], {}),
        ([{"op": "replace", "path": "active", "value": None}], {}),
        ([{"op": "replace", "value": {"active": None, "displayName": "B"}}], {"displayName": "B"}),
        ([{"op": "replace", "path": "urn:x:y:z", "value": 1}], {}),
        ([{"op": "replace", "path": 'phoneNumbers[type eq "work"].value', "value": "1"}], {}),
    ],
)  # fmt: skip
def test_a_resource_is_changed(operations, changed):
    """As the RFC, Okta and Entra write it."""
    assert changed == after(*operations)


@pytest.mark.parametrize(
    ("body", "scim_type"),
    [
        ({}, "invalidSyntax"),
        ({"Operations": []}, "invalidSyntax"),
        ({"Operations": [7]}, "invalidSyntax"),
        ({"Operations": [{"op": 7}]}, "invalidSyntax"),
        ({"Operations": [{"op": "add", "path": 7}]}, "invalidPath"),
        ({"Operations": [{"op": "add", "value": 7}]}, "invalidValue"),
        ({"Operations": [{"op": "remove", "value": {}}]}, "noTarget"),
        ({"Operations": [{"op": "remove", "path": "x"}] * (OPERATIONS_MAX + 1)}, "tooMany"),
        ({"Operations": [{"op": "add", "value": {"active": 1}}] * OPERATIONS_MAX + [{"op": "add", "value": {"active": 1, "name": {}}}]}, "tooMany"),
        ({"Operations": [{"op": "add", "path": "name[x pr]", "value": {}}]}, "invalidPath"),
        ({"Operations": [{"op": "add", "path": "active[x pr]", "value": {}}]}, "invalidPath"),
        ({"Operations": [{"op": "add", "path": "active.x", "value": {}}]}, "invalidPath"),
        ({"Operations": [{"op": "add", "path": "name.x", "value": {}}]}, "invalidPath"),
        ({"Operations": [{"op": "add", "path": "name", "value": "x"}]}, "invalidValue"),
        ({"Operations": [{"op": "replace", "path": "id", "value": "8"}]}, "mutability"),
        ({"Operations": [{"op": "replace", "path": 'emails[type eq "x"].value', "value": "8"}]}, "noTarget"),
        ({"Operations": [{"op": "add", "path": 'emails[type co "x"].value', "value": "8"}]}, "noTarget"),
        ({"Operations": [{"op": "add", "path": "emails", "value": [{}] * 60}]}, "tooMany"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused(body, scim_type):
    """With the RFC's own word."""
    with pytest.raises(ScimError) as caught:
        apply_steps(BEFORE, read_steps(body))
    assert scim_type == caught.value.scim_type


@pytest.mark.parametrize(
    "path", ["", "a b", "emails[", "emails[type eq]", "emails[type pr]value", "x.y.z"]
)
def test_a_path_that_is_none(path):
    """Is refused as a path, not as a filter."""
    with pytest.raises(ScimError) as caught:
        read_path(path)
    assert "invalidPath" == caught.value.scim_type
    assert "filter" not in str(caught.value)


def test_as_many_operations_as_there_may_be_take_no_time():
    """On a list as long as there may be."""
    emails = [{"value": f"{i}@x.org", "type": "work"} for i in range(50)]
    operation = {"op": "replace", "path": 'emails[type eq "work"].value', "value": "n@x.org"}
    begun = time.process_time()
    steps = read_steps({"Operations": [operation] * OPERATIONS_MAX})
    apply_steps({**BEFORE, "emails": emails}, steps)
    assert time.process_time() - begun < 2


def test_a_whole_resource():
    """Names as they are written, without what is not kept."""
    body = {
        "USERNAME": "b",
        "title": "x",
        "urn:x:y": {},
        "emails": {"VALUE": "b@x.org"},
        "name": None,
    }
    assert {"userName": "b", "emails": [{"value": "b@x.org"}], "name": None} == normal(body)
    assert [[1], [1]] == [listed(1), listed([1])]
    check_read_only("id", "7", BEFORE)
