"""The vendor's ``Schema`` message as JSON Schema.

Upper-case types, ``nullable`` and ``propertyOrdering`` become what JSON Schema has; counters are
int64 and may be text. Names of properties and the values of ``enum``, ``default`` and ``example``
are the caller's own. Source: the vendor's reference, read on 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.wire.checks import below, mistyped, spelled_twice, wrong
from trivium.wire.generate.protojson import camel

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode

_COUNTERS: Final = frozenset(
    {"minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength"}
)
_MAPS: Final = frozenset({"properties", "$defs", "defs"})
_LISTS: Final = frozenset({"anyOf", "oneOf", "prefixItems"})
_LEFT_OUT: Final = frozenset({"nullable", "propertyOrdering"})
_RENAMED: Final = {"defs": "$defs", "ref": "$ref"}


def standard(raw: bytes, path: str) -> bytes:
    """JSON Schema of a ``Schema`` message.

    Raises INVALID_TYPE where it is none, DUPLICATE_MEMBER for two spellings of one keyword,
    INVALID_VALUE where it is nested too deeply.
    """
    try:
        return _encode(_standard(_decode(raw), path))
    except RecursionError:
        raise wrong(path, "be nested less deeply") from None


def _standard(value: Any, path: str) -> Any:
    if isinstance(value, bool):
        return value
    if not isinstance(value, dict):
        raise mistyped(path, "be an object")
    node = _spelled_once(value, path)
    out: dict[str, Any] = {}
    for name, inner in node.items():
        if name in _LEFT_OUT or (name == "format" and inner == "enum"):
            continue
        if name == "type":
            types = _types(inner)
            if types is not None:
                out["type"] = types
        elif name == "example":
            out["examples"] = [inner]
        else:
            out[_RENAMED.get(name, name)] = _keyword(name, inner, node, below(path, name))
    return _or_null(out) if node.get("nullable") is True else out


def _spelled_once(value: dict[str, Any], path: str) -> dict[str, Any]:
    node: dict[str, Any] = {}
    for spelled, inner in value.items():
        name = spelled if spelled.startswith("$") else camel(spelled)
        if name != spelled and name in value:
            raise spelled_twice(name, spelled, f"{path}.{spelled}")
        if inner is not None:
            node[name] = inner
    return node


def _keyword(name: str, inner: Any, node: dict[str, Any], path: str) -> Any:
    if name in _COUNTERS and isinstance(inner, str) and inner.isdecimal():
        return int(inner)
    if name in _MAPS and isinstance(inner, dict):
        rows = {key: _standard(row, below(path, key)) for key, row in inner.items()}
        return _ordered(rows, node.get("propertyOrdering")) if name == "properties" else rows
    if name in _LISTS and isinstance(inner, list):
        return [_standard(row, f"{path}[{at}]") for at, row in enumerate(inner)]
    if name == "items" or (name == "additionalProperties" and isinstance(inner, dict)):
        return _standard(inner, path)
    return inner


def _types(value: Any) -> Any:
    if isinstance(value, list):
        return [row.lower() if isinstance(row, str) else row for row in value]
    if not isinstance(value, str) or value.upper() == "TYPE_UNSPECIFIED":
        return None
    return value.lower()


def _ordered(rows: dict[str, Any], order: Any) -> dict[str, Any]:
    """Properties in the wanted order: JSON Schema has no keyword for it."""
    if not isinstance(order, list):
        return rows
    first = [name for name in order if isinstance(name, str) and name in rows]
    return {name: rows[name] for name in dict.fromkeys([*first, *rows])}


def _or_null(out: dict[str, Any]) -> dict[str, Any]:
    found = out.get("type")
    if isinstance(found, str):
        out["type"] = [found, "null"]
        if isinstance(out.get("enum"), list) and None not in out["enum"]:
            out["enum"] = [*out["enum"], None]
    elif isinstance(out.get("anyOf"), list):
        out["anyOf"] = [*out["anyOf"], {"type": "null"}]
    return out
