"""The builders make the JSON Schema they say they make."""

import pytest

from trivium.edge.openapi import schema as s


@pytest.mark.parametrize(
    ("built", "expected"),
    [
        (s.text(), {"type": "string"}),
        (
            s.text("Why.", maxLength=3),
            {"type": "string", "maxLength": 3, "description": "Why."},
        ),
        (s.integer(low=0), {"type": "integer", "minimum": 0}),
        (s.number(low=-2, high=2), {"type": "number", "minimum": -2, "maximum": 2}),
        (s.boolean(), {"type": "boolean"}),
        (s.one_of("a"), {"type": "string", "const": "a"}),
        (s.one_of("a", "b"), {"type": "string", "enum": ["a", "b"]}),
        (s.array(s.text(), low=1), {"type": "array", "items": {"type": "string"}, "minItems": 1}),
        (s.mapping(s.text()), {"type": "object", "additionalProperties": {"type": "string"}}),
        (s.free(), {"type": "object", "additionalProperties": True}),
        (
            s.record({"a": s.text()}, ("a",)),
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "required": ["a"],
                "additionalProperties": True,
            },
        ),
        (s.either(s.text(), s.integer()), {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        (s.ref("A"), {"$ref": "#/components/schemas/A"}),
        (s.nullable(s.integer(low=1)), {"type": ["integer", "null"], "minimum": 1}),
        (
            s.nullable(s.one_of("a", "b", about="Why.")),
            {
                "anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}],
                "description": "Why.",
            },
        ),
        (s.nullable(s.ref("A")), {"anyOf": [s.ref("A"), {"type": "null"}]}),
    ],
)
def test_a_word_becomes_its_schema(built, expected):
    """An enum or a reference admits null beside it, because the type alone would not."""
    assert expected == built


def test_a_required_member_must_be_described():
    """A typing error in `required` is caught when the module is read."""
    with pytest.raises(AssertionError, match="nowhere"):
        s.record({"a": s.text()}, ("nowhere",))
