"""Builders of JSON Schema (2020-12, as OpenAPI 3.1 has it): short words for what repeats."""

from typing import Any

Schema = dict[str, Any]


def text(about: str = "", **rules: Any) -> Schema:
    """A string; rules are JSON Schema's own: ``pattern``, ``maxLength``."""
    return _said({"type": "string", **rules}, about)


def integer(about: str = "", low: int | None = None, high: int | None = None) -> Schema:
    """A whole number within inclusive bounds."""
    return _said({"type": "integer", **_bounds(low, high)}, about)


def number(about: str = "", low: float | None = None, high: float | None = None) -> Schema:
    """A number within inclusive bounds."""
    return _said({"type": "number", **_bounds(low, high)}, about)


def boolean(about: str = "") -> Schema:
    """True or false."""
    return _said({"type": "boolean"}, about)


def one_of(*values: str, about: str = "") -> Schema:
    """One of these texts; a single one is a constant."""
    if len(values) == 1:
        return _said({"type": "string", "const": values[0]}, about)
    return _said({"type": "string", "enum": list(values)}, about)


def array(
    items: Schema, about: str = "", low: int | None = None, high: int | None = None
) -> Schema:
    """A list with an inclusive range of lengths."""
    rules = {"minItems": low, "maxItems": high}
    kept = {name: value for name, value in rules.items() if value is not None}
    return _said({"type": "array", "items": items, **kept}, about)


def mapping(values: Schema, about: str = "") -> Schema:
    """An object whose names are the caller's own."""
    return _said({"type": "object", "additionalProperties": values}, about)


def free(about: str = "") -> Schema:
    """An object that is not looked into."""
    return _said({"type": "object", "additionalProperties": True}, about)


def record(
    properties: dict[str, Schema], required: tuple[str, ...] = (), about: str = "", **rules: Any
) -> Schema:
    """An object with known members; others are allowed and travel on."""
    unknown = set(required) - set(properties)
    assert not unknown, f"required but not described: {unknown}"
    out: Schema = {"type": "object", "properties": properties}
    if required:
        out["required"] = list(required)
    return _said({**out, "additionalProperties": True, **rules}, about)


def either(*schemas: Schema, about: str = "") -> Schema:
    """Any of these."""
    return _said({"anyOf": list(schemas)}, about)


def nullable(schema: Schema) -> Schema:
    """The same, or an explicit null, which means as much as leaving the member out."""
    kind = schema.get("type")
    if isinstance(kind, str) and "enum" not in schema and "const" not in schema:
        return {**schema, "type": [kind, "null"]}
    about = schema.get("description", "")
    rest = {name: value for name, value in schema.items() if name != "description"}
    return _said({"anyOf": [rest, {"type": "null"}]}, about)


def with_default(schema: Schema, value: Any) -> Schema:
    """The same, and what leaving the member out means."""
    return {**schema, "default": value}


def ref(name: str) -> Schema:
    """A component by name."""
    return {"$ref": f"#/components/schemas/{name}"}


def _said(schema: Schema, about: str) -> Schema:
    return {**schema, "description": about} if about else schema


def _bounds(low: float | None, high: float | None) -> Schema:
    bounds = {"minimum": low, "maximum": high}
    return {name: value for name, value in bounds.items() if value is not None}
