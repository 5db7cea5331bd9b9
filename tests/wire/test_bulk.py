"""How many objects a body holds."""

import msgspec
import pytest

from trivium.wire import bulk
from trivium.wire.bulk import exceeds


@pytest.mark.parametrize(
    ("value", "objects"),
    [
        ({}, 1),
        ({"a": [{}, {"b": {}}]}, 4),
        ({"text": "{{{{{{{{"}, 1),
        ({"text": 'a "quoted {" and \\ {'}, 1),
        ({"text": "\\", "b": {"c": "{"}}, 2),
        ([{"role": "user", "content": "{"}] * 50, 50),
        ("{" * 100, 0),
    ],
)
@pytest.mark.parametrize("indent", [0, 2])
def test_objects_are_counted_and_braces_in_texts_are_not(value, objects, indent):
    """However the JSON is laid out."""
    body = msgspec.json.format(msgspec.json.encode(value), indent=indent)
    assert not exceeds(body, objects)
    if objects:
        assert exceeds(body + b" " * 200, objects - 1)


@pytest.mark.parametrize("end", [b"{", b"\\{", b'\\"{', b"\\"])
def test_a_text_across_the_first_look_is_still_a_text(end, monkeypatch):
    """Wherever it is cut."""
    body = b'["' + end * 40 + b'x","{{"]'
    for size in range(1, len(body)):
        monkeypatch.setattr(bulk, "_FIRST_BYTES", size)
        assert not exceeds(body, 1)


def test_a_short_body_is_not_looked_at():
    """It cannot hold more objects than bytes."""
    assert not exceeds(b"{" * 10, 10)
