"""JSON Schema as the vendor's ``Schema`` message, a subset of OpenAPI 3.0.

The message has upper-case types, ``nullable`` and few keywords; it refuses the whole request over
one it does not know. So what it lacks is said in the description, where the model still reads it.
References are written out; where one leads back to itself the inner one stays a bare object.
Source: the vendor's reference, read on 2026-11-21.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode

_COUNTERS: Final = frozenset(
    {"minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength"}
)
_KEPT: Final = ("title", "description", "minimum", "maximum", "pattern", *sorted(_COUNTERS))
"""Keywords that both have and that mean the same."""
_FORMATS: Final = frozenset({"enum", "date-time", "float", "double", "int32", "int64"})
_SILENT: Final = frozenset(
    {"$schema", "$id", "$comment", "$defs", "definitions", "$ref", "$anchor", "examples"}
    | {"additionalProperties", "unevaluatedProperties", "default", "example", "deprecated"}
    | {"readOnly", "writeOnly", "title", "strict", "enumDescriptions", "propertyNames"}
)
"""Keywords that are left out without a word: they tell the model nothing it needs."""
_HANDLED: Final = frozenset(
    {"type", "format", "nullable", "enum", "const", "items", "properties", "required"}
    | {"anyOf", "oneOf", "allOf", "propertyOrdering", "prefixItems"}
    | {"exclusiveMinimum", "exclusiveMaximum"}
)
_KNOWN: Final = _HANDLED | _SILENT | frozenset(_KEPT)


def restricted(raw: bytes) -> tuple[bytes, frozenset[str]]:
    """The ``Schema`` message of a JSON Schema, and the keywords that became words or were lost."""
    root = _decode(raw)
    folded: set[str] = set()
    return _encode(_restricted(root, root, (), folded)), frozenset(folded)


def _restricted(value: Any, root: Any, path: tuple[str, ...], folded: set[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {}  # true: anything goes
    node, path = _resolved(value, root, path, folded)
    node = _merged(node, root, path, folded)
    out: dict[str, Any] = {}
    nullable, branches = _kinds(node, out)
    words = [node["description"]] if isinstance(node.get("description"), str) else []
    for name in _KEPT:
        if name in node and name != "description":
            out[name] = node[name]
    _values(node, out, words)
    _fold(node, out, words, folded)
    _bounds(node, out, words, folded)
    _inner(node, out, root, path, folded)
    nullable |= _options(node, branches, out, root, path, folded)
    if nullable or node.get("nullable") is True:
        out["nullable"] = True
    if words:
        out["description"] = "\n".join(words)
    return out


def _fold(node: dict[str, Any], out: dict[str, Any], words: list[str], folded: set[str]) -> None:
    """Keywords that the message has not, as words."""
    for name, inner in node.items():
        if name == "format" and inner in _FORMATS:
            out[name] = inner
        elif name == "format" or name not in _KNOWN:
            words.append(f"{name}: {inner if isinstance(inner, str) else _encode(inner).decode()}")
            folded.add(name)


def _options(
    node: dict[str, Any],
    branches: list[Any],
    out: dict[str, Any],
    root: Any,
    path: tuple[str, ...],
    folded: set[str],
) -> bool:
    """Fill in ``anyOf``; whether null is one of the options."""
    branches += [row for row in node.get("anyOf") or node.get("oneOf") or () if row is not None]
    options = [row for row in branches if not _is_null(row)]
    rows = [_restricted(row, root, path, folded) for row in options]
    if len(rows) == 1:
        out |= {name: inner for name, inner in rows[0].items() if name not in out}
    elif rows:
        out["anyOf"] = rows
    return len(options) < len(branches)


def _resolved(
    node: dict[str, Any], root: Any, path: tuple[str, ...], folded: set[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The node behind ``$ref``, with what stands beside it; an empty object where it recurs."""
    while isinstance(ref := node.get("$ref"), str):
        beside = {name: inner for name, inner in node.items() if name != "$ref"}
        target = _at(root, ref)
        if ref in path or target is None:
            folded.add("$ref")
            return {"type": "object", **beside}, path
        path = (*path, ref)
        node = {**target, **beside}
    return node, path


def _at(root: Any, ref: str) -> dict[str, Any] | None:
    found = root
    if not ref.startswith("#"):
        return None
    for step in ref[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            return None
        found = found[name]
    return found if isinstance(found, dict) else None


def _merged(
    node: dict[str, Any], root: Any, path: tuple[str, ...], folded: set[str]
) -> dict[str, Any]:
    """``allOf`` in one node: the shape has no such keyword."""
    rows = node.get("allOf")
    if not isinstance(rows, list):
        return node
    out = {name: inner for name, inner in node.items() if name != "allOf"}
    for row in rows:
        if not isinstance(row, dict):
            continue
        found, path = _resolved(row, root, path, folded)
        for name, inner in _merged(found, root, path, folded).items():
            if name == "properties" and isinstance(inner, dict):
                out[name] = {**out.get(name, {}), **inner}
            elif name == "required" and isinstance(inner, list):
                out[name] = list(dict.fromkeys([*out.get(name, []), *inner]))
            else:
                out.setdefault(name, inner)
    return out


def _kinds(node: dict[str, Any], out: dict[str, Any]) -> tuple[bool, list[Any]]:
    """Fill in the type; whether null is one of them, and branches where there are several."""
    found = node.get("type")
    names = [row for row in found if isinstance(row, str)] if isinstance(found, list) else []
    if isinstance(found, str):
        names = [found]
    rest = [name for name in names if name.lower() != "null"]
    if len(rest) == 1:
        out["type"] = rest[0].upper()
    elif not rest and "properties" in node:
        out["type"] = "OBJECT"
    elif not rest and ("enum" in node or isinstance(node.get("const"), str)):
        out["type"] = "STRING"
    branches: list[Any] = []
    if len(rest) > 1:
        items = {"items": node["items"]} if "items" in node else {}
        branches = [{"type": name, **(items if name == "array" else {})} for name in rest]
    return len(rest) < len(names), branches


def _values(node: dict[str, Any], out: dict[str, Any], words: list[str]) -> None:
    """``enum`` and ``const``: the message takes texts only."""
    values = [node["const"]] if "const" in node else node.get("enum")
    if not isinstance(values, list):
        return
    if None in values:
        out["nullable"] = True
        values = [value for value in values if value is not None]
    if all(isinstance(value, str) for value in values) and out.get("type") == "STRING":
        out["enum"] = values
    elif values:
        words.append("one of: " + ", ".join(_encode(value).decode() for value in values))


def _bounds(node: dict[str, Any], out: dict[str, Any], words: list[str], folded: set[str]) -> None:
    for name, kept in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        bound = node.get(name)
        if isinstance(bound, int | float) and not isinstance(bound, bool):
            step = 1 if name == "exclusiveMinimum" else -1
            if out.get("type") == "INTEGER" and isinstance(bound, int):
                out.setdefault(kept, bound + step)
            else:
                words.append(f"{name}: {bound}")
                folded.add(name)


def _inner(
    node: dict[str, Any], out: dict[str, Any], root: Any, path: tuple[str, ...], folded: set[str]
) -> None:
    properties = node.get("properties")
    if isinstance(properties, dict) and properties:
        out["properties"] = {
            name: _restricted(row, root, path, folded) for name, row in properties.items()
        }
        out["required"] = _present(node.get("required"), properties)
        if not out["required"]:
            del out["required"]
        if len(properties) > 1:
            out["propertyOrdering"] = list(properties)
    if out.get("type") == "ARRAY":
        items = node.get("items")
        rows = node.get("prefixItems")
        if isinstance(rows, list) and rows and not isinstance(items, dict):
            items = {"anyOf": rows}
            folded.add("prefixItems")
        # the vendor refuses an array that says nothing of its items
        out["items"] = _restricted(items, root, path, folded) or {"type": "STRING"}


def _present(required: Any, properties: Iterable[str]) -> list[str]:
    """Required names that are properties: the vendor refuses others."""
    known = set(properties)
    rows = required if isinstance(required, list) else []
    return [name for name in rows if isinstance(name, str) and name in known]


def _is_null(row: Any) -> bool:
    return isinstance(row, dict) and row.get("type") == "null"
