"""How a table names a person, what an export shows of it, and what becomes of it. Pure."""

from collections.abc import Mapping
from enum import Enum, unique
from types import MappingProxyType
from typing import Any, Final

import msgspec

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@unique
class OwnerLink(Enum):
    """Whose a row is, by one of its columns."""

    USER = "user"
    """It has the person's id."""
    OWNER = "owner"
    """It has the person's id, or that of a consent of theirs, negative: an application's."""
    GRANT = "grant"
    """It has the id of a consent of theirs."""
    EMAIL = "email"
    """It has their address."""


@unique
class Ending(Enum):
    """What becomes of a person's rows."""

    DELETED = "deleted"
    BLANKED = "blanked"
    """The columns of ``blank`` get those values; the row stays."""
    KEPT = "kept"


class PersonalTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table that names people."""

    name: str
    by: tuple[tuple[str, OwnerLink | str], ...]
    """Columns that say whose a row is; a text is ``TABLE.COLUMN`` of a row of theirs."""
    ending: Ending
    blank: Mapping[str, Any] = NOTHING
    kept: Mapping[str, str] = NOTHING
    """Texts and bytes that stay, and why; ids, times and amounts always stay."""
    order: tuple[str, ...] = ()
    """By what rows are read in slices, unique; empty: by the primary key."""
    slice: int = 1000
    """Rows a transaction."""
    with_parent: bool = False
    """Whether the database deletes its rows with those of its parent."""
    unless_in: str = ""
    """``TABLE.COLUMN`` of rows of anybody that keep one, unless it is the person's by its first
    column; what none keeps goes, since it says nothing of anybody any more.
    """
    withheld: frozenset[str] = frozenset()
    """Texts that an export does not show. Bytes it never shows: they are hashes, or sealed."""
    unlisted: str = ""
    """Why an export leaves the table out; empty: it is in it."""


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """By what rows of a person are found."""

    id: int
    email: str
    grants: tuple[int, ...]
    """Their consents, those that are gone as far as keys still name them."""


class ExportPage(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of a person, each with the name of its table."""

    rows: list[dict[str, Any]]
    after: str | None
    """Where the next page begins; ``None`` on the last."""


class Erased(msgspec.Struct, frozen=True, kw_only=True):
    """What an erasure did."""

    id: int
    name: str
    """What the account is called from now on."""
    rows: dict[str, int]
    """How many were changed or deleted, by table; those without any left out."""


def erased_name(user_id: int) -> str:
    """What an erased account is called. Signing up refuses the colon."""
    return f"erased:{user_id}"
