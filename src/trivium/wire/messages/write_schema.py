"""JSON schemas within the subset that constrained answers of the messages shape take.

Objects are closed; limits that the grammar cannot hold become words of the description, as the
vendor's own SDKs have it. Source: structured outputs reference and SDK 2.11, read on 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.strict_schema import NAMED, UNHELD

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode

_FOLDED: Final = UNHELD | {
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "maxItems", "minContains", "maxContains"),
}
_FORMATS: Final = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)
_SILENT: Final = frozenset({"$schema", "$id", "$comment"})
"""Keywords that constrain nothing."""
_DEEP: Final = frozenset({"items", "prefixItems", "anyOf", "oneOf", "allOf"})


def closed(raw: bytes) -> tuple[bytes, list[str]]:
    """The schema within the subset, and the keywords that were turned into words.

    Order of members is kept; a schema that needs nothing comes back as it was, and so does what
    cannot be read: the vendor's own words about it are better than ours.
    """
    folded: list[str] = []
    try:
        before = _decode(raw)
    except (ValueError, RecursionError):
        return raw, folded
    after = _closed(before, folded)
    return (raw if after == before else _encode(after)), folded


def _closed(schema: Any, folded: list[str]) -> Any:
    if isinstance(schema, list):
        return [_closed(one, folded) for one in schema]
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    words: list[str] = []
    for name, value in schema.items():
        if _is_beyond(name, value):
            words.append(f"{name}: {_encode(value).decode()}")
            if name not in folded:
                folded.append(name)
        elif name not in _SILENT:
            # the grammar knows no "exactly one of": any of is the nearest
            out["anyOf" if name == "oneOf" else name] = _inside(name, value, folded)
    if _is_object(schema):
        out["additionalProperties"] = False
    if words:
        said = out.get("description")
        note = "{" + ", ".join(words) + "}"
        out["description"] = f"{said}\n\n{note}" if isinstance(said, str) and said else note
    return out


def _inside(name: str, value: Any, folded: list[str]) -> Any:
    if name in NAMED and isinstance(value, dict):
        return {key: _closed(one, folded) for key, one in value.items()}
    return _closed(value, folded) if name in _DEEP else value


def _is_beyond(name: str, value: Any) -> bool:
    if name == "additionalProperties":
        return value not in (True, False)
    if name == "format":
        return not isinstance(value, str) or value not in _FORMATS
    if name == "minItems":
        return value not in (0, 1)
    return name in _FOLDED


def _is_object(schema: dict[str, Any]) -> bool:
    kind = schema.get("type")
    return (
        kind == "object"
        or (isinstance(kind, list) and "object" in kind)
        or (kind is None and "properties" in schema)
    )
