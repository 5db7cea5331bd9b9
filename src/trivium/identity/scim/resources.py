"""People and teams as the resources of SCIM, and what a directory says about them. Pure."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from trivium.identity.scim.model import (
    GROUP_URN,
    LIST_URN,
    TEXT_CHARS_MAX,
    USER_URN,
    ScimError,
    ScimGroup,
    ScimProfile,
    ScimUser,
)

MEMBER_CHARS_MAX: Final = 20
"""Of an id."""


def read_profile(resource: Mapping[str, Any]) -> ScimProfile:
    """What a resource, whose names are as they are written, says about a person. Raises
    ``ScimError`` (invalidValue).
    """
    user_name = _text(resource, "userName")
    if not user_name:
        raise ScimError(400, "userName: is needed", "invalidValue")
    name = resource.get("name") or {}
    return ScimProfile(
        user_name=user_name,
        email=_email(resource.get("emails") or (), user_name),
        active=truth(True if (said := resource.get("active")) is None else said, "active"),
        external_id=_text(resource, "externalId"),
        display_name=_text(resource, "displayName"),
        formatted=_text(name, "formatted", "name."),
        given_name=_text(name, "givenName", "name."),
        family_name=_text(name, "familyName", "name."),
    )


def _email(emails: Any, user_name: str) -> str:
    """The primary address, else that of work, else the first; without any the user's name."""
    best, rank = "", 3
    for each in emails:
        value = _text(each, "value", "emails.")
        is_primary = truth(each.get("primary") or False, "emails.primary")
        kind = _text(each, "type", "emails.") or ""
        found = 0 if is_primary else 1 if kind.lower() == "work" else 2
        if value and found < rank:
            best, rank = value, found
    return best or user_name


def truth(value: Any, name: str) -> bool:
    """A boolean, also one that is written as a text. Raises ``ScimError`` (invalidValue)."""
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise ScimError(400, f"{name}: is true or false", "invalidValue")
    return value


def _text(found: Any, name: str, of: str = "") -> str | None:
    value = found.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise ScimError(400, f"{of}{name}: is a text", "invalidValue")
    if len(value) > TEXT_CHARS_MAX or not value.isprintable():
        raise ScimError(
            400, f"{of}{name}: has at most {TEXT_CHARS_MAX} printable characters", "invalidValue"
        )
    return value.strip() or None


def read_group(resource: Mapping[str, Any]) -> tuple[str, str | None]:
    """The name and external id of a group. Raises ``ScimError`` (invalidValue)."""
    name = _text(resource, "displayName")
    if not name:
        raise ScimError(400, "displayName: is needed", "invalidValue")
    return name, _text(resource, "externalId")


def read_members(value: Any) -> list[int]:
    """Ids of people in a value of ``members``. Linear. Raises ``ScimError`` (invalidValue)."""
    if value is None:
        return []
    found: dict[int, None] = {}
    for each in value if isinstance(value, list) else [value]:
        if not isinstance(each, dict):
            raise ScimError(400, "members: each is an object with a value", "invalidValue")
        kind = each.get("type")
        if kind is not None and kind != "User":
            raise ScimError(
                400, "members: are users; groups in groups are not kept", "invalidValue"
            )
        found[member_id(each.get("value"))] = None
    return list(found)


def member_id(value: Any) -> int:
    """The id of a member. Raises ``ScimError`` (invalidValue)."""
    number = number_of(value) if isinstance(value, str) else None
    if number is None:
        raise ScimError(400, f"members: {str(value)[:40]!r} is no id of a user", "invalidValue")
    return number


def number_of(text: str) -> int | None:
    """An id as it is in the database; ``None`` for a text that can be none."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= MEMBER_CHARS_MAX
    number = int(text) if is_number else 0
    return number if 0 < number < 2**53 and str(number) == text else None


def moment(seconds: int) -> str:
    """A time as RFC 7643 section 2.3.5 has it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def shown_user(user: ScimUser, base: str) -> dict[str, Any]:
    """A person as a resource. ``base``: the address that ends with ``/scim/v2``."""
    profile = user.profile
    name = {
        "formatted": profile.formatted,
        "givenName": profile.given_name,
        "familyName": profile.family_name,
    }
    found: dict[str, Any] = {
        "schemas": [USER_URN],
        "id": str(user.id),
        "externalId": profile.external_id,
        "userName": profile.user_name,
        "name": {part: text for part, text in name.items() if text} or None,
        "displayName": profile.display_name,
        "active": profile.active,
        "emails": [{"value": profile.email, "type": "work", "primary": True}],
        "groups": [
            {
                "value": str(each),
                "$ref": f"{base}/Groups/{each}",
                "display": title,
                "type": "direct",
            }
            for each, title in user.groups
        ],
    }
    return _with_meta(found, "User", f"{base}/Users/{user.id}", user.created_at, user.changed_at)


def shown_group(group: ScimGroup, base: str) -> dict[str, Any]:
    """A team as a resource."""
    found: dict[str, Any] = {
        "schemas": [GROUP_URN],
        "id": str(group.id),
        "externalId": group.external_id,
        "displayName": group.display_name,
    }
    if group.members is not None:
        found["members"] = [
            {"value": str(each), "$ref": f"{base}/Users/{each}", "display": name, "type": "User"}
            for each, name in group.members
        ]
    where = f"{base}/Groups/{group.id}"
    return _with_meta(found, "Group", where, group.created_at, group.changed_at)


def _with_meta(
    found: dict[str, Any], kind: str, where: str, created_at: int, changed_at: int
) -> dict[str, Any]:
    found = {name: value for name, value in found.items() if value is not None}
    digest = hashlib.sha256(msgspec.json.encode(found)).hexdigest()[:24]
    meta = {
        "resourceType": kind,
        "created": moment(created_at),
        "lastModified": moment(changed_at),
        "location": where,
        "version": f'W/"{digest}"',
    }
    return {**found, "meta": meta}


def listing(resources: list[dict[str, Any]], total: int, start: int) -> dict[str, Any]:
    """A page of resources."""
    return {
        "schemas": [LIST_URN],
        "totalResults": total,
        "startIndex": start,
        "itemsPerPage": len(resources),
        "Resources": resources,
    }


def chosen(
    resource: dict[str, Any], only: frozenset[str], without: frozenset[str]
) -> dict[str, Any]:
    """A resource with the attributes that were asked for, by their names in lower case; ``schemas``
    and ``id`` are always there (RFC 7644, section 3.9).
    """
    found = {}
    for name, value in resource.items():
        low = name.lower()
        parts = _parts(only, low) if low not in only else frozenset[str]()
        if low in ("schemas", "id"):
            found[name] = value
        elif low not in without and (not only or low in only or parts):
            found[name] = _narrowed(value, parts, _parts(without, low))
    return found


def _parts(names: frozenset[str], attribute: str) -> frozenset[str]:
    return frozenset(name.partition(".")[2] for name in names if name.startswith(f"{attribute}."))


def _narrowed(value: Any, only: frozenset[str], without: frozenset[str]) -> Any:
    if not only and not without:
        return value
    if isinstance(value, list):
        return [_narrowed(each, only, without) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: each
        for name, each in value.items()
        if name.lower() not in without and (not only or name.lower() in only)
    }
