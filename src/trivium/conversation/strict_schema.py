"""Schemas of tools that OpenAI takes, and those that its strict mode takes.

It refuses the whole request for any other. Parameters must name their members, be there none:
servers of the Model Context Protocol leave that out. In strict mode every object is closed and none
of its members optional, as Anthropic's strict tools may have them. Source: OpenAI's structured
outputs guide, "Supported schemas", read on 2026-11-22, and what its API answers ("object schema
missing properties").
"""

from typing import Any, Final

import msgspec

_decode: Final = msgspec.json.Decoder().decode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.Encoder().encode
_NO_TYPE: Final = msgspec.Raw()

NAMED: Final = ("properties", "$defs", "definitions")
"""Keywords whose members are names of schemas."""
UNHELD: Final = frozenset(
    {"not", "if", "then", "else", "patternProperties", "dependentRequired", "dependentSchemas"}
    | {"contains", "uniqueItems", "propertyNames", "minProperties", "maxProperties"}
    | {"unevaluatedProperties"}
)
"""Keywords to which neither OpenAI nor Anthropic holds an answer."""
_REFUSED: Final = UNHELD | {"allOf", "oneOf", "prefixItems", "default"}
"""Keywords that the mode does not know."""


def named(schema: bytes) -> bytes:
    """Parameters that name their members; the same bytes where they do."""
    if b'"properties"' in schema:
        return schema
    try:
        members = _members(schema)
    except (ValueError, RecursionError):
        return schema
    if members and bytes(members.get("type", _NO_TYPE)) != b'"object"':
        return schema
    return _encode({"type": "object", **members, "properties": {}})


def is_closed(schema: bytes) -> bool:
    """Whether strict mode takes a schema. It takes none that cannot be read."""
    try:
        found = _decode(schema)
        return isinstance(found, dict) and found.get("type") == "object" and _closed(found)
    except (ValueError, RecursionError):
        return False


def _closed(node: Any) -> bool:
    if not isinstance(node, dict) or not _REFUSED.isdisjoint(node):
        return False
    kind = node.get("type")
    holds = kind == "object" or (isinstance(kind, list) and "object" in kind)
    if (holds or "properties" in node) and not _whole(node):
        return False
    inner = [node["items"]] if "items" in node else []
    rows = node.get("anyOf", [])
    if not isinstance(rows, list):
        return False
    inner += rows
    for name in NAMED:
        named = node.get(name, {})
        if not isinstance(named, dict):
            return False
        inner += named.values()
    return all(map(_closed, inner))


def _whole(node: dict[str, Any]) -> bool:
    """Whether an object requires all of its members and allows no others."""
    required, properties = node.get("required", []), node.get("properties", {})
    if node.get("additionalProperties") is not False:
        return False
    if not isinstance(required, list) or not isinstance(properties, dict):
        return False
    there = {name for name in required if isinstance(name, str)}
    return there.issuperset(properties)
