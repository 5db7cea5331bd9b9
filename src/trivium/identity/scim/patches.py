"""What a PATCH changes (RFC 7644, section 3.5.2), as Okta and Entra write it, too. Pure.

Names of operations in any case, a replacement without a path, names with dots as members of such a
value, booleans as texts, and what is to be removed as a value beside the path: all of these come.
Sources: https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20/ and
https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from trivium.identity.scim.attributes import KEPT, READ_ONLY, part_written, written
from trivium.identity.scim.filters import (
    Filter,
    FilterComparison,
    FilterReader,
    attribute_name,
    holds,
)
from trivium.identity.scim.model import OPERATIONS_MAX, ScimError

ELEMENTS_MAX: Final = 50
"""Of a list that is no group's."""
_OPS: Final = frozenset({"add", "replace", "remove"})


class PatchPath(msgspec.Struct, frozen=True):
    """What an operation changes."""

    attribute: str | None
    """As it is written; ``None``: it is not kept."""
    where: Filter | None = None
    """Which elements of a list."""
    part: str | None = None
    """Of the attribute, or of those elements; as it is written."""


class PatchStep(msgspec.Struct, frozen=True):
    """One change of one attribute."""

    op: str
    """``add``, ``replace`` or ``remove``."""
    path: PatchPath
    value: Any = None


def read_steps(body: Mapping[str, Any]) -> list[PatchStep]:
    """The changes of a PATCH, in order. Raises ``ScimError``."""
    found = next((value for name, value in body.items() if name.lower() == "operations"), None)
    if not isinstance(found, list) or not found:
        raise ScimError(400, "Operations: a list with an operation is needed", "invalidSyntax")
    if len(found) > OPERATIONS_MAX:
        raise ScimError(413, f"Operations: more than {OPERATIONS_MAX}", "tooMany")
    steps: list[PatchStep] = []
    for each in found:
        steps += _steps(each)
        if len(steps) > OPERATIONS_MAX:
            raise ScimError(413, f"Operations: more than {OPERATIONS_MAX} changes", "tooMany")
    return steps


def _steps(operation: Any) -> Iterator[PatchStep]:
    if not isinstance(operation, dict):
        raise ScimError(400, "Operations: each is an object", "invalidSyntax")
    members = {name.lower(): value for name, value in operation.items()}
    op = members.get("op")
    if not isinstance(op, str) or op.lower() not in _OPS:
        raise ScimError(400, "op: is add, replace or remove", "invalidSyntax")
    op, path, value = op.lower(), members.get("path"), members.get("value")
    if path is not None and not isinstance(path, str):
        raise ScimError(400, "path: is a text, such as 'emails'", "invalidPath")
    if path:
        yield PatchStep(op, read_path(path), value)
        return
    if op == "remove":
        raise ScimError(400, "path: is needed to remove something", "noTarget")
    if not isinstance(value, dict):
        raise ScimError(400, "value: is an object where there is no path", "invalidValue")
    for name, each in value.items():
        yield PatchStep(op, read_path(name), each)


def read_path(text: str) -> PatchPath:
    """A path, such as ``emails[type eq "work"].value``. Raises ``ScimError`` (invalidPath)."""
    try:
        reader = FilterReader(text)
        name, where, part = reader.element()
        reader.end()
    except ScimError as error:
        message = str(error).replace("filter:", "path:")
        raise ScimError(400, message, "invalidPath") from None
    if not name.startswith("urn:") and where is None:
        name, _, part = name.partition(".")
    attribute = written(name)
    if attribute is None or not part:
        return PatchPath(attribute, where)
    kept = part_written(attribute, part)
    return PatchPath(attribute if kept else None, where, kept)


def apply_steps(resource: dict[str, Any], steps: Iterable[PatchStep]) -> dict[str, Any]:
    """A resource, whose names are as they are written, after these changes. Raises ``ScimError``
    (noTarget, mutability, invalidPath, invalidValue).
    """
    changed = dict(resource)
    for step in steps:
        name = step.path.attribute
        if name is None:
            continue
        if name in READ_ONLY:
            check_read_only(name, step.value, resource)
        elif name == "emails":
            changed[name] = _list_after(changed.get(name) or [], step)
        elif name == "name":
            changed[name] = _object_after(changed.get(name) or {}, step)
        elif step.path.where is not None:
            raise ScimError(400, f"{name} is no list", "invalidPath")
        elif name == "active" and (step.op == "remove" or step.value is None):
            continue  # nobody is let in by what is not said
        else:
            changed[name] = None if step.op == "remove" else step.value
    return changed


def check_read_only(name: str, value: Any, resource: Mapping[str, Any]) -> None:
    """Raise ``ScimError`` (mutability) for a value that would change what cannot be changed; what
    was read and comes back is none.
    """
    if name in ("meta", "groups", "schemas") or value == resource.get(name):
        return
    raise ScimError(400, f"{name}: cannot be changed", "mutability")


def _object_after(found: dict[str, Any], step: PatchStep) -> dict[str, Any]:
    if step.path.where is not None:
        raise ScimError(400, f"{step.path.attribute} is no list", "invalidPath")
    part = step.path.part
    if part is not None:
        return {**found, part: None if step.op == "remove" else step.value}
    if step.op == "remove":
        return {}
    return {**found, **_known_parts("name", step.value)}


def _list_after(found: list[Any], step: PatchStep) -> list[Any]:
    path, where, value = step.path, step.path.where, step.value
    if where is None and path.part is None:
        if step.op == "remove":
            return []
        added = [_known_parts("emails", each) for each in listed(value)]
        after = [*found, *added] if step.op == "add" else added
        if len(after) > ELEMENTS_MAX:
            raise ScimError(400, f"emails: more than {ELEMENTS_MAX}", "tooMany")
        return after
    met = [where is None or holds(where, each) for each in found]
    if not any(met):
        return _list_without_target(found, step)
    if step.op == "remove" and path.part is None:
        return [each for each, is_met in zip(found, met, strict=True) if not is_met]
    if path.part is None:
        change = _known_parts("emails", value)
    else:
        change = {path.part: None if step.op == "remove" else value}
    return [{**each, **change} if is_met else each for each, is_met in zip(found, met, strict=True)]


def _list_without_target(found: list[Any], step: PatchStep) -> list[Any]:
    """Nothing meets the filter: an addition makes what would, everything else fails."""
    where, part = step.path.where, step.path.part
    if step.op == "remove":
        return found
    is_simple = isinstance(where, FilterComparison) and where.operator == "eq"
    if step.op == "replace" or not is_simple or len(found) >= ELEMENTS_MAX:
        raise ScimError(400, "no value meets the filter of the path", "noTarget")
    assert isinstance(where, FilterComparison)
    change = _known_parts("emails", step.value) if part is None else {part: step.value}
    name = part_written("emails", where.attribute)
    return [*found, {**({name: where.value} if name else {}), **change}]


def _known_parts(attribute: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ScimError(400, f"{attribute}: is an object here", "invalidValue")
    found = {}
    for name, each in value.items():
        part = part_written(attribute, name.lower())
        if part is not None:
            found[part] = each
    return found


def listed(value: Any) -> list[Any]:
    """Several values, or the one that came without a list."""
    return value if isinstance(value, list) else [value]


def normal(body: Mapping[str, Any]) -> dict[str, Any]:
    """A whole resource with its names as they are written, without what is not kept. Raises
    ``ScimError`` for a name that is unknown, or is there twice.
    """
    found: dict[str, Any] = {}
    for name, value in body.items():
        try:
            kept = written(attribute_name(name))
        except ScimError:
            raise ScimError(
                400, f"there is no attribute {name[:80]!r}; see /Schemas", "invalidSyntax"
            ) from None
        if kept is None:
            continue
        if kept in found:
            raise ScimError(400, f"{kept}: is there twice", "invalidSyntax")
        found[kept] = _normal_value(kept, value)
    assert found.keys() <= set(KEPT.values())
    return found


def _normal_value(name: str, value: Any) -> Any:
    if value is None or name not in ("name", "emails"):
        return value
    if name == "name":
        return _known_parts(name, value)
    if len(listed(value)) > ELEMENTS_MAX:
        raise ScimError(400, f"emails: more than {ELEMENTS_MAX}", "tooMany")
    return [_known_parts(name, each) for each in listed(value)]
