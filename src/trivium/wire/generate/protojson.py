"""Proto3's JSON mapping, read by schema: the many spellings of one request become one.

Members may be camelCase or snake_case at every depth, never both; ``null`` is absent; bytes are of
either base64 alphabet; numbers may be text; enums are names in any case. What a caller may fill as
it likes (arguments, results, schemas, labels) is kept as raw JSON and never touched. Members that
no schema names are collected, not lost. Source: the vendor's reference, protobuf's JSON mapping and
the requests of google-genai 3.4, LangChain 4.4 and Gemini CLI 0.61, read on 2026-11-21.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.checks import mistyped, spelled_twice, wrong
from trivium.wire.data_url import standard

_decode: Final = msgspec.json.Decoder().decode
_decode_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_list: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_SNAKE: Final = re.compile(r"_([a-z0-9])")
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,3})?")
_INT32: Final = 2**31

Unknown = list[tuple[str, bytes]]
"""Members that no schema names: path and JSON."""
Reader = Callable[[bytes, str, Unknown], Any]
"""Reads one value: its JSON, its path in the caller's spelling, where to note unknown members."""
Schema = Mapping[str, Reader]
"""Members of a message by their camelCase names."""


def camel(name: str) -> str:
    """The camelCase spelling of a member's name."""
    return _SNAKE.sub(lambda found: found[1].upper(), name) if "_" in name else name


def read(
    members: Mapping[str, msgspec.Raw], schema: Schema, path: str, unknown: Unknown
) -> dict[str, Any]:
    """A message's known members by camelCase name.

    Raises DUPLICATE_MEMBER for two spellings of one, INVALID_TYPE and INVALID_VALUE by member.
    """
    out: dict[str, Any] = {}
    for spelled, raw in members.items():
        data = bytes(raw)
        name = camel(spelled) if "_" in spelled else spelled
        place = f"{path}.{spelled}" if path else spelled
        if name is not spelled and name != spelled and name in members:
            raise spelled_twice(name, spelled, place)
        if data == b"null":
            continue
        reader = schema.get(name)
        if reader is None:
            unknown.append((place, data))
        else:
            out[name] = reader(data, place, unknown)
    return out


def value(data: bytes, path: str) -> Any:
    """Any JSON. Raises MALFORMED_JSON: members are only skimmed until they are read."""
    try:
        return _decode(data)
    except (ValueError, RecursionError):
        raise _malformed(path) from None


def members(data: bytes, path: str) -> dict[str, msgspec.Raw]:
    """The members of an object. Raises INVALID_TYPE, MALFORMED_JSON."""
    if not data.startswith(b"{"):
        raise _type(path, "an object", data)
    try:
        return _decode_members(data)
    except (ValueError, RecursionError):
        raise _malformed(path) from None


def later(data: bytes, _path: str, _unknown: Unknown) -> bytes:
    """JSON that is checked where it is read."""
    return data


def raw(data: bytes, path: str, _unknown: Unknown) -> bytes:
    """JSON that is the caller's own business, checked to be JSON."""
    value(data, path)
    return data


def raw_object(data: bytes, path: str, _unknown: Unknown) -> bytes:
    """A JSON object that is the caller's own business."""
    members(data, path)
    value(data, path)
    return data


def string(data: bytes, path: str, _unknown: Unknown) -> str:
    """Read a string. Raises ``Fault`` for any other type."""
    found = value(data, path)
    if not isinstance(found, str):
        raise _type(path, "a string", data)
    return found


def flag(data: bytes, path: str, _unknown: Unknown) -> bool:
    """Read a boolean. Raises ``Fault`` for any other type."""
    if data not in (b"true", b"false"):
        raise _type(path, "true or false", data)
    return data == b"true"


def number(data: bytes, path: str, _unknown: Unknown) -> int | float:
    """A number, or one as text; a whole one stays whole, as a compiled ``float`` would not."""
    found = value(data, path)
    if type(found) is int or type(found) is float:
        return found
    if isinstance(found, str) and _NUMBER.fullmatch(found):
        return float(found)
    raise _type(path, "a number", data)


def integer(data: bytes, path: str, unknown: Unknown) -> int:
    """A whole number of 32 bits; 5.0 and "5" count."""
    found = number(data, path, unknown)
    if isinstance(found, float) and not found.is_integer():
        raise _type(path, "a whole number", data)
    if not -_INT32 <= found < _INT32:
        raise wrong(path, "fit into 32 bits")
    return int(found)


def blob(data: bytes, path: str, unknown: Unknown) -> str:
    """Bytes, in standard base64 with padding. Raises INVALID_VALUE for what is no base64."""
    found = standard(string(data, path, unknown))
    if found is None:
        raise wrong(path, "be base64")
    return found


def word(data: bytes, path: str, _unknown: Unknown) -> str:
    """An enum's name in upper case; a number is kept as its digits."""
    found = value(data, path)
    if isinstance(found, str):
        return found.upper()
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    raise _type(path, "the name of an enum value", data)


def message(schema: Schema) -> Reader:
    """An object with members of its own."""

    def reader(data: bytes, path: str, unknown: Unknown) -> dict[str, Any]:
        return read(members(data, path), schema, path, unknown)

    return reader


def repeated(one: Reader) -> Reader:
    """Return a reader of arrays, which reads every element with ``one``."""

    def reader(data: bytes, path: str, unknown: Unknown) -> list[Any]:
        if not data.startswith(b"["):
            raise _type(path, "an array", data)
        try:
            rows = _decode_list(data)
        except (ValueError, RecursionError):
            raise _malformed(path) from None
        return [one(bytes(row), f"{path}[{at}]", unknown) for at, row in enumerate(rows)]

    return reader


def several(one: Reader) -> Reader:
    """An array of objects, or one that says something for an array of one, as the vendor's parser
    takes it and its own examples for curl write it.
    """
    array = repeated(one)

    def reader(data: bytes, path: str, unknown: Unknown) -> Any:
        if data.startswith(b"{") and data.strip(b"{} \t\r\n"):
            return [one(data, path, unknown)]
        return array(data, path, unknown)

    return reader


def strings(data: bytes, path: str, _unknown: Unknown) -> dict[str, str]:
    """A map of texts, whose keys are the caller's own. Raises ``Fault`` (INVALID_TYPE)."""
    found = value(data, path)
    if not isinstance(found, dict):
        raise _type(path, "an object", data)
    for key, text in found.items():
        if not isinstance(text, str):
            raise mistyped(f"{path}.{key}", "be a string")
    return found


def _type(path: str, wanted: str, data: bytes) -> Fault:
    first = data[:1]
    got = {b'"': "a string", b"{": "an object", b"[": "an array", b"t": "a boolean"}
    got |= {b"f": "a boolean", b"n": "null"}
    return mistyped(path, f"be {wanted}, not {got.get(first, 'a number')}")


def _malformed(path: str) -> Fault:
    return Fault(Kind.MALFORMED_JSON, f"`{path}` is not valid JSON.", param=path)
