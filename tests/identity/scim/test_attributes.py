"""Names of attributes, with what is kept and what is not."""

import pytest

from trivium.identity.scim.attributes import KEPT, PARTS, part_written, written
from trivium.identity.scim.descriptions import schemas
from trivium.identity.scim.model import ScimError


@pytest.mark.parametrize(
    ("name", "expected"),
    [("username", "userName"), ("title", None), ("urn:x:y", None), ("id", "id")],
)
def test_an_attribute(name, expected):
    """As it is written, or known and not kept."""
    assert expected == written(name)


@pytest.mark.parametrize(
    ("name", "part"), [("shoesize", ""), ("name", "shoesize"), ("active", "part")]
)
def test_what_nobody_knows_is_refused(name, part):
    """By its name."""
    with pytest.raises(ScimError, match=part or name) as caught:
        part_written(name, part) if part else written(name)
    assert "invalidPath" == caught.value.scim_type


def test_what_is_kept_is_described():
    """Every attribute and part of the table stands in a schema."""
    described = {}
    for schema in schemas("https://x"):
        for each in schema["attributes"]:
            parts = {part["name"] for part in each.get("subAttributes", ())}
            described.setdefault(each["name"], set()).update(parts)
    assert set(KEPT.values()) - {"id", "meta", "schemas"} == described.keys()
    assert {"name", "emails", "members"} == PARTS.keys()
    for name in ("name", "members"):
        assert set(PARTS[name].values()) == described[name]
    assert ("middlename", None) == ("middlename", part_written("name", "middlename"))
