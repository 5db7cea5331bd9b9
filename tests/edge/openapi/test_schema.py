"""The notation makes the JSON Schema it says it makes."""

import pytest

from trivium.edge.openapi import schema as s

TEXT = {"type": "string"}
INT = {"type": "integer"}
NULL = {"type": "null"}
A = {"$ref": "#/components/schemas/A"}


def record(required=(), **members):
    """An object with known members."""
    out = {"type": "object", "properties": members}
    return {
        **out,
        **({"required": list(required)} if required else {}),
        "additionalProperties": True,
    }


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("text", TEXT),
        ("text(maxLength 3, pattern '^a') \"Why.\"",
         {**TEXT, "maxLength": 3, "pattern": "^a", "description": "Why."}),
        ('text "Folded\n     into one."', {**TEXT, "description": "Folded into one."}),
        ("int 0..", {**INT, "minimum": 0}),
        ("int ..9", {**INT, "maximum": 9}),
        ("num -2..2.5", {"type": "number", "minimum": -2, "maximum": 2.5}),
        ("bool = false", {"type": "boolean", "default": False}),
        ("'a'", {**TEXT, "const": "a"}),
        ("'a' | 'b'", {**TEXT, "enum": ["a", "b"]}),
        ("'a' | 'b' | A | 'c'",
         {"anyOf": [{**TEXT, "enum": ["a", "b"]}, A, {**TEXT, "const": "c"}]}),
        ("text[1..]", {"type": "array", "items": TEXT, "minItems": 1}),
        ("text[1..4][]",
         {"type": "array",
          "items": {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 4}}),
        ("(text | A)[]", {"type": "array", "items": {"anyOf": [TEXT, A]}}),
        ("{*: text}", {"type": "object", "additionalProperties": TEXT}),
        ("object", {"type": "object", "additionalProperties": True}),
        ("{a!: text, b: int}", record("a", a=TEXT, b=INT)),
        ("closed {a: text}", {**record(a=TEXT), "additionalProperties": False}),
        ("text | int", {"anyOf": [TEXT, INT]}),
        ("A", A),
        ("int 1.. | null", {"type": ["integer", "null"], "minimum": 1}),
        ("'a' | 'b' | null \"Why.\"",
         {"anyOf": [{**TEXT, "enum": ["a", "b"]}, NULL], "description": "Why."}),
        ("A | null", {"anyOf": [A, NULL]}),
        ("text | int | null", {"anyOf": [TEXT, INT, NULL]}),
        ("(text | int) | null", {"anyOf": [{"anyOf": [TEXT, INT]}, NULL]}),
        ('(text "One.") | int', {"anyOf": [{**TEXT, "description": "One."}, INT]}),
        ('int deprecated "Old." = 3',
         {**INT, "deprecated": True, "description": "Old.", "default": 3}),
    ],
)  # fmt: skip
def test_a_type_becomes_its_schema(written, expected):
    """An enum or a reference admits null beside it, because the type alone would not."""
    assert expected == s.schema(written)


@pytest.mark.parametrize(
    ("spread", "required"), [("...some", ["a", "c"]), ("...some!", ["a", "b", "c"])]
)
def test_members_are_taken_over(spread, required):
    """As they are, or all of them required; one that is named again is replaced in its place."""
    found = s.schemas(f"some = {{a!: text, b: int}} Whole = {{{spread}, c!: bool, b: num}}")
    assert record(required, a=TEXT, b={"type": "number"}, c={"type": "boolean"}) == found["Whole"]


def test_parts_come_from_elsewhere_too():
    """They are not among what is defined; what is defined here goes first."""
    assert {"A": TEXT} == s.schemas("A = some", {"some": TEXT})
    assert {"some": INT, "A": INT} == s.schemas("some = int A = some", {"some": TEXT})


def test_parameters():
    """What is in a path is required, others where they say so."""
    found = s.parameters('x = path it: int "One." y = query y!: int 1.. "Two." = 2')
    assert {
        "x": {"name": "it", "in": "path", "schema": INT, "description": "One.", "required": True},
        "y": {
            "name": "y",
            "in": "query",
            "schema": {**INT, "minimum": 1, "default": 2},
            "description": "Two.",
            "required": True,
        },
    } == found
    assert "required" not in s.parameters('z = header x-z: text "Three."')["z"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("A = tekst", "tekst is not defined before it is used"),
        ("A = {a: text b: text}", "expected where b stands"),
        ("A = text[1..2", "expected where end stands"),
        ("A = text;", "; means nothing here"),
        ("A text", "= expected where text stands"),
    ],
)
def test_what_cannot_be_read_is_refused(wrong, message):
    """A typing error is caught when the module is read."""
    with pytest.raises(ValueError, match=message):
        s.schemas(wrong)
