"""The rows of the description, gathered from the module of each shape."""

from trivium.edge.openapi.paths import OPERATIONS, SHAPES
from trivium.wire.operation import PUBLIC_SHAPES, TABLE


def test_every_shape_says_what_it_is():
    """In a sentence, for the list of tags."""
    assert set(PUBLIC_SHAPES) == set(SHAPES)
    assert all(module.ABOUT.endswith(".") for module in SHAPES.values())


def test_every_row_of_a_shape_is_in_the_document_once():
    """Beside those that belong to no shape."""
    rows = [row for module in SHAPES.values() for row in module.OPERATIONS]
    assert rows == [row for row in rows if OPERATIONS.count(row) == 1]
    assert {"models", "gateway"} == {row.tag for row in OPERATIONS if row not in rows}


def test_what_models_are_asked_for_has_the_tag_of_its_shape():
    """The tag decides how a key is presented."""
    told = {row.path: row.tag for row in OPERATIONS if row.method == "POST"}
    for spec in TABLE.values():
        assert {spec.shape.value} >= {told[path] for path in spec.paths}
