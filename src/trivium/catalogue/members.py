"""What a change does to an entry, member by member. Pure."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from trivium.catalogue.bodies import same
from trivium.catalogue.documents import SEALED, credentials
from trivium.catalogue.model import EntryBody, EntryDiff, EntryName

ACTIONS: Final = {(True, False): "create", (False, False): "change", (False, True): "delete"}
"""What is done, by whether there was nothing before and whether there is nothing after."""


class SealedSaid(msgspec.Struct, frozen=True):
    """A credential that is sealed, as it may be shown."""

    last4: str | None
    fingerprint: str

    def __str__(self) -> str:
        """Write it for people, in one or two words."""
        return f"sealed …{self.last4}" if self.last4 else "sealed"


class MemberDiff(msgspec.Struct, frozen=True, kw_only=True):
    """One member before and after; ``UNSET`` where it is not there."""

    at: str
    """Its place within the entry: ``bindings[0].weight``; empty of a price group."""
    before: Any = msgspec.UNSET
    after: Any = msgspec.UNSET


def action(diff: EntryDiff) -> str:
    """``create``, ``change`` or ``delete``."""
    return ACTIONS[diff.before is None, diff.after is None]


def member_diffs(diff: EntryDiff) -> list[MemberDiff]:
    """Members that differ: of a new entry all, of one that is taken away none. The name is not
    told again.
    """
    if diff.after is None:
        return []
    before = msgspec.UNSET if diff.before is None else _shown(diff.at, diff.before)
    return list(_differing("", before, _shown(diff.at, diff.after)))


def _shown(at: EntryName, body: EntryBody) -> Any:
    """The document with what may be shown of its credentials in their places."""
    marks = {mark.at: SealedSaid(mark.hint or None, mark.fingerprint) for mark in body.marks}
    document = body.document
    if not isinstance(document, dict):
        return document
    document = {name: said for name, said in document.items() if name != "name"}
    for place, path, text in credentials(at, document):
        if not text.startswith(SEALED) or place not in marks:
            continue
        name = path[0]
        if len(path) == 1:
            document[name] = marks[place]
        else:
            inner = document[name]
            copy: Any = {**inner} if isinstance(inner, dict) else [*inner]
            copy[path[1]] = marks[place]
            document[name] = copy
    return document


def _differing(at: str, before: Any, after: Any) -> Iterator[MemberDiff]:
    if isinstance(after, dict) and (isinstance(before, dict) or not at):
        known = before if isinstance(before, dict) else {}
        for name in {**known, **after}:
            below = f"{at}.{name}" if at else name
            yield from _differing(below, known.get(name, _NONE), after.get(name, _NONE))
    elif isinstance(before, list) and isinstance(after, list):
        for i in range(max(len(before), len(after))):
            old = before[i] if i < len(before) else _NONE
            new = after[i] if i < len(after) else _NONE
            yield from _differing(f"{at}[{i}]", old, new)
    elif before is _NONE or after is _NONE:
        if before is not after:
            yield MemberDiff(at=at, before=before, after=after)
    elif not same(before, after):
        yield MemberDiff(at=at, before=before, after=after)


_NONE: Final = msgspec.UNSET
