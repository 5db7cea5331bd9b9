"""Entries of the catalogue that the database has, and the changes that made them."""

from enum import Enum, unique
from typing import Any, TypeAlias

import msgspec


@unique
class CatalogueKind(Enum):
    """What an entry is: each is one table of the settings file, or one member of it."""

    CHANNEL = "channel"
    MODEL = "model"
    GROUP = "group"
    ROUTING = "routing"

    @property
    def plural(self) -> str:
        """The name of its table in the settings file, and its word in addresses."""
        return self.value if self is CatalogueKind.ROUTING else f"{self.value}s"


ROUTING: str = "routing"
"""The name of the only entry of its kind."""


class EntryName(msgspec.Struct, frozen=True, order=True):
    """Which entry: its kind and its name."""

    kind: str
    """The value of a ``CatalogueKind``, so that names have an order."""
    name: str

    def __str__(self) -> str:
        """As messages have it: ``channels["main"]``."""
        if self.kind == CatalogueKind.ROUTING.value:
            return self.kind
        return f'{CatalogueKind(self.kind).plural}["{self.name}"]'


class CredentialMark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is shown of a credential that is sealed."""

    at: str
    """Its place in the document: ``api_key``, ``api_keys/0``, ``headers/x-team``."""
    hint: str = ""
    """Its last four characters; empty of one that is shorter than twelve."""
    fingerprint: str
    """The same for the same credential at the same place, and nothing else can be done with it."""
    set_ms: int
    """When it was given, in milliseconds since the epoch."""


Marks: TypeAlias = tuple[CredentialMark, ...]


class EntryBody(msgspec.Struct, frozen=True, kw_only=True):
    """What an entry says."""

    document: Any
    """As the file's table has it; a credential is a reference to it, ``sealed:…``."""
    sealed: bytes | None = None
    """The credentials; ``None``: it has none of its own."""
    marks: Marks = ()


class CatalogueEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry as it is stored."""

    at: EntryName
    version: int
    """The revision that it was last changed at: no number is ever used twice for one name."""
    body: EntryBody
    updated_ms: int
    updated_by: int | None
    """A user's id; ``None``: somebody at the machine's shell, or a machine."""


class Revision(msgspec.Struct, frozen=True):
    """A state of all entries together."""

    value: int = 0
    """Counts changes; 0: nothing was ever changed."""
    mark: str = ""
    """Of the last change, at random."""


class ChangeAuthor(msgspec.Struct, frozen=True, kw_only=True):
    """Who makes a change, and from where."""

    user_id: int | None = None
    name: str = ""
    """Of a machine; empty for a user."""
    address: str = ""
    agent: str = ""


class EntryDiff(msgspec.Struct, frozen=True, kw_only=True):
    """One entry before and after a change; ``None``: there was, or is, none."""

    at: EntryName
    before: EntryBody | None
    after: EntryBody | None


class CatalogueChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change: who, when, from where, and what."""

    id: int
    revision: int
    at_ms: int
    author: ChangeAuthor
    reason: str
    undoes: int | None = None
    """The change that it takes back."""
    undone_by: int | None = None
    diffs: tuple[EntryDiff, ...] = ()
    left_out: int = 0
    """Entries that it concerned besides, where not all were asked for."""


class CatalogueError(Exception):
    """A change that is refused. The message says why, in words for whoever asked."""


class StaleError(CatalogueError):
    """It was changed by somebody else since it was read."""


class UnconditionalError(CatalogueError):
    """The change would replace what is there, and does not say what was read."""


class AbsentError(CatalogueError):
    """There is no such entry or change."""


class UnfitError(CatalogueError):
    """The catalogue would not fit together. ``lines``: what is wrong, one line each."""

    def __init__(self, *lines: str) -> None:
        self.lines = lines
        super().__init__("\n".join(lines))


class KeptApartError(CatalogueError):
    """It cannot be changed here or now: the file has it, or it was changed since."""
