"""Which attributes there are, which are kept, and how their names are written. Pure.

Names are compared without case (RFC 7643, section 2.1). What is known and not kept is taken and
left out of the answer, which is how a directory learns of it; what nobody knows is refused by name.
"""

from typing import Final

from trivium.identity.scim.model import ScimError

READ_ONLY: Final = frozenset({"id", "meta", "groups", "schemas"})
KEPT: Final = {
    name.lower(): name
    for name in (
        *("externalId", "userName", "displayName", "active", "name", "emails", "members"),
        *("id", "meta", "groups", "schemas"),
    )
}
"""Attributes as they are written, by their names in lower case."""
PARTS: Final = {
    "name": {name.lower(): name for name in ("formatted", "givenName", "familyName")},
    "emails": {name.lower(): name for name in ("value", "type", "primary", "display")},
    "members": {name.lower(): name for name in ("value", "type", "display", "$ref")},
}
_PARTS_NOT_KEPT: Final = {
    "name": frozenset({"middlename", "honorificprefix", "honorificsuffix"}),
    "emails": frozenset[str](),
    "members": frozenset[str](),
}
_NOT_KEPT: Final = frozenset(
    {
        *("nickname", "profileurl", "title", "usertype", "preferredlanguage", "locale"),
        *("timezone", "password", "phonenumbers", "ims", "photos", "addresses", "entitlements"),
        *("roles", "x509certificates", "department", "organization", "manager", "division"),
        *("costcenter", "employeenumber"),
    }
)
"""Of RFC 7643, sections 4.1 and 4.3."""


def written(name: str) -> str | None:
    """An attribute as it is written; ``None`` for one that is known and not kept. ``name``: in
    lower case. Raises ``ScimError`` (invalidPath).
    """
    if name in KEPT:
        return KEPT[name]
    if name in _NOT_KEPT or name.startswith("urn:"):
        return None
    raise ScimError(400, f"there is no attribute {name[:80]!r}; see /Schemas", "invalidPath")


def part_written(attribute: str, part: str) -> str | None:
    """A part of an attribute as it is written; ``None`` for one that is not kept. Raises
    ``ScimError`` (invalidPath).
    """
    parts = PARTS.get(attribute)
    if parts is None:
        raise ScimError(400, f"{attribute} has no parts", "invalidPath")
    if part in parts:
        return parts[part]
    if part in _PARTS_NOT_KEPT[attribute]:
        return None
    raise ScimError(400, f"{attribute} has no part {part[:80]!r}; see /Schemas", "invalidPath")
