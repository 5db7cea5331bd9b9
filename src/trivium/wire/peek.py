r"""The top level of a JSON request body: read a few members, replace a few, leave the rest alone.

The pass-through lane never parses what it does not need. One pass gives every top-level member as
a raw slice, duplicates included: parsers disagree on which of two equal names counts, so a name we
read or replace that occurs twice is refused; otherwise the vendor might read another ``model``
than the one we checked. Names are compared after unescaping, so ``"mod\u0065l"`` is ``model``.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind

_encode = msgspec.json.Encoder().encode


class _Name(str):
    """A member name that never equals another: a dict keyed by it keeps duplicates."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def _name(_: type, text: str) -> _Name:
    return _Name(text)


_decode: Final = msgspec.json.Decoder(dict[_Name, msgspec.Raw], dec_hook=_name).decode
_decode_any: Final = msgspec.json.Decoder().decode


class Members:
    """The top-level members of one request body."""

    __slots__ = ("_first", "_twice", "pairs")

    def __init__(self, pairs: list[tuple[str, msgspec.Raw]]) -> None:
        self.pairs = pairs
        first = dict(pairs)
        self._first = first
        self._twice: frozenset[str] = frozenset()
        if len(first) != len(pairs):
            seen: set[str] = set()
            twice: set[str] = set()
            for name, _ in pairs:
                (twice if name in seen else seen).add(name)
            self._twice = frozenset(twice)

    def raw(self, name: str) -> bytes | None:
        """The member's bytes, ``None`` when absent or null. Raises DUPLICATE_MEMBER."""
        if self._twice and name in self._twice:
            raise Fault(
                Kind.DUPLICATE_MEMBER, f"`{name}` occurs twice in the request body.", param=name
            )
        raw = self._first.get(name)
        if raw is None:
            return None
        data = bytes(raw)
        return None if data == b"null" else data

    def value(self, name: str) -> Any:
        """The member decoded, ``None`` when absent or null."""
        raw = self.raw(name)
        return None if raw is None else _decode_any(raw)

    def string(self, name: str) -> str | None:
        """A string member, ``None`` when absent or null. Raises INVALID_TYPE."""
        value = self.value(name)
        if value is None or isinstance(value, str):
            return value
        raise _wrong_type(name, "a string", value)

    def flag(self, name: str) -> bool:
        """A boolean member, ``False`` when absent or null. Raises INVALID_TYPE."""
        raw = self.raw(name)
        if raw is None or raw == b"false":
            return False
        if raw == b"true":
            return True
        raise _wrong_type(name, "true or false", _decode_any(raw))

    def integer(self, name: str) -> int | None:
        """An integer member, ``None`` when absent or null; 5.0 counts. Raises INVALID_TYPE."""
        value = self.value(name)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
        raise _wrong_type(name, "an integer", value)

    def splice(self, changes: Mapping[str, bytes | None]) -> bytes:
        """The body with ``changes`` made: JSON bytes replace or add a member, ``None`` removes it.

        Every other member's value stays byte for byte, in its place, duplicates included.
        """
        parts: list[bytes] = []
        left = dict(changes)
        for name, raw in self.pairs:
            if name in changes:
                if self._twice and name in self._twice:
                    raise Fault(
                        Kind.DUPLICATE_MEMBER,
                        f"`{name}` occurs twice in the request body.",
                        param=name,
                    )
                new = left.pop(name)
                if new is not None:
                    parts.append(_encode(str(name)) + b":" + new)
            else:
                parts.append(_encode(str(name)) + b":" + bytes(raw))
        parts += [_encode(name) + b":" + new for name, new in left.items() if new is not None]
        return b"{" + b",".join(parts) + b"}"


def members(body: bytes) -> Members:
    """Read a body's top level. Raises MALFORMED_JSON with where it broke."""
    try:
        pairs = _decode(body)
    except msgspec.ValidationError:
        raise Fault(
            Kind.MALFORMED_JSON, "The request body must be a JSON object.", param=None
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise Fault(
            Kind.MALFORMED_JSON, f"The request body is not valid JSON: {_where(exc)}."
        ) from None
    except RecursionError:
        raise Fault(Kind.MALFORMED_JSON, "The request body is nested too deeply.") from None
    return Members([(str(name), raw) for name, raw in pairs.items()])


def _where(exc: Exception) -> str:
    text = str(exc).rstrip(".")
    return text[0].lower() + text[1:] if text else "unreadable"


def _wrong_type(name: str, wanted: str, value: object) -> Fault:
    kind = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}.get(
        type(value), "an array" if isinstance(value, list) else "an object"
    )
    return Fault(Kind.INVALID_TYPE, f"`{name}` must be {wanted}, not {kind}.", param=name)
