"""How many objects a body holds."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth.measuring import FACTOR, growth, least
from trivium.wire import json_size
from trivium.wire.json_size import exceeds


@pytest.mark.parametrize(
    ("value", "objects"),
    [
        ({}, 1),
        ({"a": [{}, {"b": {}}]}, 5),
        ({"text": "{{{{{{{{"}, 1),
        ({"text": 'a "quoted {" and \\ {'}, 1),
        ({"text": "\\", "b": {"c": "{"}}, 2),
        ([{"role": "user", "content": "{"}] * 50, 51),
        ({"text": ["[", "]", "[[["] * 3}, 2),
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
    body = b'[{"' + end * 40 + b'x":"{{"}]'
    for size in range(1, len(body)):
        monkeypatch.setattr(json_size, "_WINDOW_BYTES", size)
        assert not exceeds(body, 2)


def test_a_short_body_is_not_looked_at():
    """It cannot hold more objects than bytes."""
    assert not exceeds(b"{" * 10, 10)


@pytest.mark.parametrize(
    ("body", "objects"),
    [
        (b"{" + b",".join(b'"k%d":1' % i for i in range(2000)) + b"}", 1000),
        (b"[" + b"1," * 5000 + b"1]", 1000),
        (b"[" + b'"a",' * 5000 + b"1]", 1000),
        (b"[" + b"[]," * 999 + b"[]]", 1001),
    ],
)
def test_members_and_values_are_counted_for_objects(body, objects):
    """Two members, or five values, of which nothing else is made."""
    assert not exceeds(body, objects)
    assert exceeds(body, objects - 1)
    assert not exceeds(b'["' + body.replace(b'"', b'\\"') + b'"]', 10)


ODD = {
    "escapes": b'["' + b"\\n{" * 20_000 + b'"]',
    "escaped quotes": b'["' + b'\\"{' * 20_000 + b'"]',
    "backslashes": b'["' + b"\\\\{" * 20_000 + b'"]',
    "short strings": b"[" + b'":",' * 15_000 + b'"{{{{{{{"]',
    "empty strings": b"[" + b'"",' * 20_000 + b"1]",
    "one string": b'["' + b"{:,[" * 15_000 + b'"]',
    "quotes alone": b'"' * 60_000,
}


@pytest.mark.parametrize("name", ODD)
def test_the_time_of_a_look_grows_with_the_body(name):
    """Twice the bytes take twice as long, whatever stands in them."""

    def look(times):
        body = ODD[name] * times
        return lambda: exceeds(body, 7)

    _, _, factor = growth(look, 4, 3)
    assert factor <= FACTOR
    limit_s = 0.06 * len(ODD[name]) * 32 / 1_048_576 + 0.001
    assert least(look(32), limit_s) < limit_s


def counted(body):
    """Signs outside of strings, byte by byte: objects and arrays, members, values."""
    objects = members = values = 0
    inside = escaped = False
    for byte in body:
        if inside and escaped:
            escaped = False
        elif inside and byte == ord("\\"):
            escaped = True
        elif byte == ord('"'):
            inside = not inside
        elif not inside:
            objects += byte in b"{["
            members += byte == ord(":")
            values += byte == ord(",")
    return objects, members, values


@given(
    st.lists(st.sampled_from(['"', '\\"', "\\\\", "{", "[", ":", ",", "]}", "ab", "é"])),
    st.integers(1, 40),
    st.integers(0, 12),
)
def test_what_stands_outside_of_strings_is_what_a_walk_over_each_byte_finds(
    pieces, window_bytes, objects_max
):
    """Wherever the windows are cut, and whatever stands in the strings between them."""
    inside = False
    kept = []
    for piece in pieces:  # an escape outside of a string is no JSON, and is read as it comes
        inside ^= piece == '"'
        if inside or "\\" not in piece:
            kept.append(piece)
    body = "".join(kept).encode() + b" " * (objects_max + 1)
    objects, members, values = counted(body)
    most_members = json_size.MEMBERS_EACH * objects_max
    most_values = json_size.VALUES_EACH * objects_max
    quotes = "".join(kept).replace('\\"', "").count('"')
    looked_into = (
        body.count(b"{") + body.count(b"[") > objects_max
        or body.count(b":") > most_members
        or body.count(b",") > most_values
    )
    expected = looked_into and (
        objects > objects_max
        or members > most_members
        or values > most_values
        or quotes > 2 * (2 * most_members + most_values + objects_max + 1)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_size, "_WINDOW_BYTES", window_bytes)
        assert expected == exceeds(body, objects_max)
