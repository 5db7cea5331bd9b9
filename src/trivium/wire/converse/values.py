"""Small checks that the readers of a Converse request share."""

from collections.abc import Mapping
from typing import Final, TypeVar

import msgspec

from trivium.wire.messages.paths import missing, view, wrong

_T = TypeVar("_T")
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def required(value: _T | None, path: str) -> _T:
    """A member that must be there, and must not be empty. Raises MISSING_MEMBER."""
    if value is None or value == "":
        raise missing(path)
    return value


def only(raw: msgspec.Raw, path: str) -> tuple[str, msgspec.Raw]:
    """The one member of a union, by name. Raises ``Fault`` for none, and for several."""
    return single(view(_members, raw, path), path)


def single(members: Mapping[str, msgspec.Raw], path: str) -> tuple[str, msgspec.Raw]:
    """As ``only``, of members that were read."""
    there = present(members)
    if len(there) != 1:
        names = ", ".join([name[:64] for name in list(there)[:4]])
        raise wrong(path, f"must have exactly one member{f', not {names}' if names else ''}.")
    return next(iter(there.items()))


def present(members: Mapping[str, msgspec.Raw]) -> dict[str, msgspec.Raw]:
    """The members that are not null, which is absent."""
    return {name: raw for name, raw in members.items() if len(raw) != 4 or bytes(raw) != b"null"}
