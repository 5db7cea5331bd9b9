"""Entries as a settings file has them: TOML from which the same entries are read again. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from trivium.catalogue.model import CatalogueKind, EntryName

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def written(entries: Iterable[tuple[EntryName, Any]]) -> str:
    """The tables of these entries, by kind in the order in which they are given."""
    by_kind: dict[CatalogueKind, list[tuple[str, Any]]] = {kind: [] for kind in CatalogueKind}
    for at, document in entries:
        by_kind[CatalogueKind(at.kind)].append((at.name, document))
    tables = [
        "\n".join(["[routing]", *_pairs(document)])
        for _, document in by_kind[CatalogueKind.ROUTING]
    ]
    if groups := by_kind[CatalogueKind.GROUP]:
        tables.append("\n".join(["[groups]", *_pairs(dict(groups))]))
    for kind in (CatalogueKind.CHANNEL, CatalogueKind.MODEL):
        tables += [
            "\n".join(_table(kind.plural, document)) for _, document in by_kind[kind]
        ]  # fmt: skip
    return "\n\n".join(tables) + "\n" if tables else ""


def value(said: Any) -> str:
    """One value on one line. A member that is null is left out: TOML has no word for it."""
    if isinstance(said, bool):
        return "true" if said else "false"
    if isinstance(said, str):
        return _text(said)
    if isinstance(said, Mapping):
        inner = ", ".join(_pairs(said))
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(said, list | tuple):
        return f"[{', '.join(value(each) for each in said if each is not None)}]"
    return repr(said)


def _table(name: str, document: Mapping[str, Any]) -> Iterator[str]:
    """A table of a list; its own lists of tables are below it, as TOML wants them to be."""
    below = {
        member: inner
        for member, inner in document.items()
        if isinstance(inner, list) and inner and all(isinstance(each, dict) for each in inner)
    }
    yield f"[[{name}]]"
    yield from _pairs({k: v for k, v in document.items() if k not in below})
    for member, inner in below.items():
        for each in inner:
            yield f"[[{name}.{_key(member)}]]"
            yield from _pairs(each)


def _pairs(members: Mapping[str, Any]) -> Iterator[str]:
    for name, said in members.items():
        if said is not None:
            yield f"{_key(name)} = {value(said)}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(said: str) -> str:
    """A JSON string is a TOML basic string, but for one character that TOML wants escaped."""
    return msgspec.json.encode(said).decode().replace("\x7f", "\\u007f")
