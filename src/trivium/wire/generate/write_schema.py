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
_NODES_MAX: Final = 5000
"""Most nodes written out; the largest schemas of real tools have some hundred."""
_GROWTH_BYTES: Final = 262_144
"""What references may make of a schema beyond twice its own size."""
_REFS_MAX: Final = 200
"""References within one another; those of real tools go five deep."""
_BRANCHES: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_KNOWN: Final = _HANDLED | _SILENT | frozenset(_KEPT)


class _Walk:
    """One schema's way through its own references."""

    __slots__ = ("bytes_left", "folded", "left", "root")

    def __init__(self, root: Any, size: int) -> None:
        """``size``: bytes of the schema, which say how much may be written out."""
        self.root = root
        self.folded: set[str] = set()
        self.left = _NODES_MAX
        self.bytes_left = 2 * size + _GROWTH_BYTES

    def exhausted(self) -> bool:
        """Whether another node is one too many: references can double at every step."""
        self.left -= 1
        if self.left < 0:
            self.folded.add("$ref")
        return self.left < 0

    def charge(self, node: dict[str, Any]) -> None:
        """Count a node's own texts and lists: a few references to a long one make gigabytes."""
        for name, inner in node.items():
            if isinstance(inner, str | dict):
                self.bytes_left -= len(inner)
            elif isinstance(inner, list):
                # of branches each is a node of its own; any other list is written out whole
                self.bytes_left -= len(inner) if name in _BRANCHES else len(_encode(inner))
        if self.bytes_left < 0:
            self.left = 0


def restricted(raw: bytes) -> tuple[bytes, frozenset[str]]:
    """The ``Schema`` message of a JSON Schema, and the keywords that became words or were lost.

    What cannot be read, or is nested too deeply to be written out, is a bare object.
    """
    try:
        walk = _Walk(_decode(raw), len(raw))
        found = _encode(_restricted(walk.root, (), walk))
    except (ValueError, RecursionError):
        return b'{"type":"OBJECT"}', frozenset({"properties"})
    return found, frozenset(walk.folded)


def _restricted(value: Any, path: tuple[str, ...], walk: _Walk) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {}  # true: anything goes
    if walk.exhausted():
        return {"type": "OBJECT"}
    node, path = _resolved(value, path, walk)
    node, path = _merged(node, path, walk)
    walk.charge(node)
    out: dict[str, Any] = {}
    nullable, branches = _kinds(node, out)
    words = [node["description"]] if isinstance(node.get("description"), str) else []
    for name in _KEPT:
        if name in node and name != "description":
            out[name] = node[name]
    _values(node, out, words)
    _fold(node, out, words, walk)
    _bounds(node, out, words, walk)
    _inner(node, out, path, walk)
    nullable |= _options(node, branches, out, path, walk)
    if nullable or node.get("nullable") is True:
        out["nullable"] = True
    if words:
        out["description"] = "\n".join(words)
    return out


def _fold(node: dict[str, Any], out: dict[str, Any], words: list[str], walk: _Walk) -> None:
    """Keywords that the message has not, as words."""
    for name, inner in node.items():
        if name == "format" and isinstance(inner, str) and inner in _FORMATS:
            out[name] = inner
        elif name == "format" or name not in _KNOWN:
            words.append(f"{name}: {inner if isinstance(inner, str) else _encode(inner).decode()}")
            walk.folded.add(name)


def _options(
    node: dict[str, Any],
    branches: list[Any],
    out: dict[str, Any],
    path: tuple[str, ...],
    walk: _Walk,
) -> bool:
    """Fill in ``anyOf``; whether null is one of the options."""
    for name in ("anyOf", "oneOf"):
        rows = node.get(name)
        branches += rows if isinstance(rows, list) else []
    options = [row for row in branches if not _is_null(row)]
    found = [_restricted(row, path, walk) for row in options]
    if len(found) == 1:
        out |= {name: inner for name, inner in found[0].items() if name not in out}
    elif found:
        out["anyOf"] = found
    return len(options) < len(branches)


def _resolved(
    node: dict[str, Any], path: tuple[str, ...], walk: _Walk
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The node behind ``$ref``, with what stands beside it; an empty object where it recurs."""
    while isinstance(ref := node.get("$ref"), str):
        beside = {name: inner for name, inner in node.items() if name != "$ref"}
        target = _at(walk.root, ref)
        if ref in path or target is None or len(path) >= _REFS_MAX or walk.exhausted():
            walk.folded.add("$ref")
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
    node: dict[str, Any], path: tuple[str, ...], walk: _Walk
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """``allOf`` in one node, which the message has not, and the references that led to it."""
    rows = node.get("allOf")
    if not isinstance(rows, list):
        return node, path
    out = {name: inner for name, inner in node.items() if name != "allOf"}
    through: dict[str, None] = {}
    properties: dict[str, Any] = {}
    required: list[Any] = []
    for row in (out, *rows):
        if not isinstance(row, dict) or (row is not out and walk.exhausted()):
            continue
        found, inside = (out, path) if row is out else _merged(*_resolved(row, path, walk), walk)
        through |= dict.fromkeys(inside[len(path) :])
        if row is not out:
            walk.charge(found)
        for name, inner in list(found.items()):
            if name == "properties" and isinstance(inner, dict):
                properties |= inner
            elif name == "required" and isinstance(inner, list):
                required += inner
            else:
                out.setdefault(name, inner)
    if properties and isinstance(out.get("properties", {}), dict):
        out["properties"] = properties
    if required and isinstance(out.get("required", []), list):
        # names of members are told apart, and whatever else stands there is left out later
        out["required"] = list(dict.fromkeys(one for one in required if isinstance(one, str)))
    return out, (*path, *through)


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
    elif not rest and ("items" in node or "prefixItems" in node):
        out["type"] = "ARRAY"
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


def _bounds(node: dict[str, Any], out: dict[str, Any], words: list[str], walk: _Walk) -> None:
    for name, kept in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        bound = node.get(name)
        if isinstance(bound, int | float) and not isinstance(bound, bool):
            step = 1 if name == "exclusiveMinimum" else -1
            if out.get("type") == "INTEGER" and isinstance(bound, int):
                out.setdefault(kept, bound + step)
            else:
                words.append(f"{name}: {bound}")
                walk.folded.add(name)


def _inner(node: dict[str, Any], out: dict[str, Any], path: tuple[str, ...], walk: _Walk) -> None:
    properties = node.get("properties")
    if isinstance(properties, dict) and properties:
        out["properties"] = {name: _restricted(row, path, walk) for name, row in properties.items()}
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
            walk.folded.add("prefixItems")
        # the vendor refuses an array that says nothing of its items
        out["items"] = _restricted(items, path, walk) or {"type": "STRING"}


def _present(required: Any, properties: Iterable[str]) -> list[str]:
    """Required names that are properties: the vendor refuses others."""
    known = set(properties)
    rows = required if isinstance(required, list) else []
    return [name for name in rows if isinstance(name, str) and name in known]


def _is_null(row: Any) -> bool:
    return isinstance(row, dict) and row.get("type") == "null"
