"""Documents as callers send them and as they are stored: bounded, and without credentials. Pure.

A credential leaves its place in the document, which then says ``sealed:channels/NAME/PLACE``. A
caller who sends that back keeps the credential. It stays with the account that it was given for:
where the calls would go elsewhere, it has to be given again, else whoever may change an address
could have any credential sent to one of theirs.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import msgspec

from trivium.catalogue.model import CatalogueKind, EntryName
from trivium.settings.errors import Path
from trivium.settings.rules import RULES, rule
from trivium.settings.secrets import REGISTERED

BYTES_MAX: Final = 131_072
"""Of one document, as JSON."""
DEPTH_MAX: Final = 8
"""Of tables and lists in each other; models with prices that change have five."""
VALUES_MAX: Final = 10_000
"""Values of one document."""
SEALED: Final = "sealed:"
_KEYS: Final = ("api_key", "api_keys")
"""Members between which a credential may move: both are sent alike."""
_MOVING: Final = ("provider", "base_url", "proxy", "credential")
"""Members that say where a channel's credentials go."""
_NAMES: Final = {
    CatalogueKind.CHANNEL: RULES["channels.name"].check,
    CatalogueKind.MODEL: RULES["models.name"].check,
    CatalogueKind.GROUP: RULES["groups"].names,
}

Values: TypeAlias = Mapping[str, str]
"""Credentials by their place in the document."""


class DocumentError(ValueError):
    """A document that cannot be one; the message names the member."""


def checked(at: EntryName, document: Any) -> Any:
    """The document with its name, within the bounds, and without members that are null: they say
    nothing, and the file has no word for it. Raises DocumentError.

    What its members mean is checked later, by the same rules as those of the file.
    """
    kind = CatalogueKind(at.kind)
    check = _NAMES.get(kind)
    what = check(at.name) if check else None
    if what or len(at.name) > 200:
        raise DocumentError(f"the name of a {kind.value} {what or 'is too long'}")
    bounded(document)
    document = _said(document)
    if kind is CatalogueKind.GROUP:
        if not isinstance(document, str):
            raise DocumentError('the document of a group is its factor as a text, such as "0.8"')
        return document
    if not isinstance(document, dict):
        raise DocumentError(f"the document of a {kind.value} is an object with its members")
    if kind is CatalogueKind.ROUTING:
        return document
    if document.get("name", at.name) != at.name:
        raise DocumentError(f"name: must be {at.name}, as in the address, or be left out")
    return {"name": at.name, **document}


def _said(value: Any) -> Any:
    """A bounded document without members that are null; a list keeps its places."""
    if isinstance(value, dict):
        return {name: _said(inner) for name, inner in value.items() if inner is not None}
    return [_said(inner) for inner in value] if isinstance(value, list) else value


def bounded(document: Any) -> None:
    """Raises DocumentError for one that is too large or too deep, without walking what is beyond
    the bounds.
    """
    values, level = 0, [document]
    for _ in range(DEPTH_MAX + 1):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner += value.values()
            elif isinstance(value, list):
                inner += value
        values += len(level)
        if values > VALUES_MAX:
            raise DocumentError(f"the document has more than {VALUES_MAX:,} values")
        level = inner
        if not level:
            break
    else:
        raise DocumentError(f"the document is nested more than {DEPTH_MAX} deep")
    size = len(msgspec.json.encode(document))
    if size > BYTES_MAX:
        raise DocumentError(f"the document has {size:,} bytes, more than {BYTES_MAX:,}")


def credentials(at: EntryName, document: Any) -> Iterator[tuple[str, Path, str]]:
    """Every text of a document that is a credential, its reference or where one is: its place,
    its path and itself.
    """
    if at.kind != CatalogueKind.CHANNEL.value or not isinstance(document, dict):
        return
    for name, value in document.items():
        if isinstance(value, str) and _is_secret((name,)):
            yield name, (name,), value
        elif isinstance(value, dict):
            for inner, text in value.items():
                if isinstance(text, str) and _is_secret((name, inner)):
                    yield f"{name}/{inner}", (name, inner), text
        elif isinstance(value, list):
            for i, text in enumerate(value):
                if isinstance(text, str) and _is_secret((name, i)):
                    yield f"{name}/{i}", (name, i), text


def _is_secret(path: Path) -> bool:
    found = rule(("channels", 0, *path))
    return found is not None and found.secret


def reference(at: EntryName, place: str) -> str:
    """What stands in a document instead of a credential."""
    return f"{SEALED}{CatalogueKind(at.kind).plural}/{at.name}/{place}"


def sealed_apart(at: EntryName, document: Any, former: Values) -> tuple[Any, dict[str, str]]:
    """The document with references, and its credentials. ``former``: those that the entry has,
    which references name. Raises DocumentError for a reference to another's, or to none.
    """
    own = reference(at, "")
    values: dict[str, str] = {}
    changed: list[tuple[Path, str]] = []
    for place, path, text in credentials(at, document):
        if text.startswith(REGISTERED):
            continue
        value = text
        if text.startswith(SEALED):
            kept = text.removeprefix(own)
            member, moved_to = kept.partition("/")[0], str(path[0])
            if kept not in former or (member != moved_to and not {member, moved_to} <= {*_KEYS}):
                raise DocumentError(
                    f"{place}: is no reference to a credential of {at}: give the credential "
                    "itself, or env:NAME of a variable that has it"
                )
            value = former[kept]
        values[place] = value
        changed.append((path, reference(at, place)))
    return _replaced(document, changed), values


def kept(at: EntryName, document: Any) -> list[str]:
    """Places of a document that refer to credentials which the entry has already."""
    found = credentials(at, document)
    return [place for place, _, text in found if text.startswith(SEALED)]


def unsealed(at: EntryName, document: Any, values: Values) -> Any:
    """The document with its credentials in their places; one that is missing stays a reference."""
    changed = [
        (path, values[place])
        for place, path, text in credentials(at, document)
        if text.startswith(SEALED) and place in values
    ]
    return _replaced(document, changed)


def _replaced(document: Any, texts: list[tuple[Path, str]]) -> Any:
    """A copy in which these texts stand in their places."""
    if not texts:
        return document
    copy = {
        name: list(value) if isinstance(value, list) else {**value}
        if isinstance(value, dict) else value
        for name, value in document.items()
    }  # fmt: skip
    for path, text in texts:
        inner: Any = copy
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = text
    return copy


def moved(before: Any, after: Any) -> str | None:
    """Which member of a channel's whole documents has its calls go elsewhere; ``None``: none."""
    for name in _MOVING:
        old, new = before.get(name), after.get(name)
        if name == "base_url":
            old, new = _origin(old), _origin(new)
        if old != new:
            return name
    return None


def _origin(url: Any) -> Any:
    """Scheme, host and port of an address; anything else as it is."""
    if not isinstance(url, str):
        return url
    try:
        parts = urlsplit(url)
        return parts.scheme, (parts.hostname or "").lower(), parts.port, parts.username
    except ValueError:
        return url
