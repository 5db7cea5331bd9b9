"""Rows and structs of the same names."""

from enum import Enum
from types import SimpleNamespace

import msgspec
import pytest

from trivium.storage.structs import struct_of, values_of


class Colour(Enum):
    """Something with a value of its own."""

    RED = "red"


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """A row's twin."""

    id: int
    colour: Colour
    parts: tuple[str, ...] = ()


ROW = SimpleNamespace(id=7, colour="red", parts="a b", more="x")
THING = Thing(id=7, colour=Colour.RED, parts=("a", "b"))


def test_a_row_becomes_a_struct():
    """By names; what is not simply a column's value is given, and other columns are left."""
    parts = tuple(ROW.parts.split())
    assert THING == struct_of(Thing, ROW, colour=Colour(ROW.colour), parts=parts)


def test_a_field_without_a_column_is_a_mistake():
    """A default does not hide it."""
    row = SimpleNamespace(id=7, colour="red")
    with pytest.raises(AttributeError):
        struct_of(Thing, row, colour=Colour.RED)


def test_a_struct_becomes_the_values_of_a_row():
    """Without what is no column, with an Enum's value, and with what is given."""
    assert {"colour": "red", "parts": "a b"} == values_of(THING, "id", parts="a b")
