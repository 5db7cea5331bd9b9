"""A change of entries from a page: tried, told, saved, or refused beside the member it is about."""

import asyncio
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from starlette.requests import Request

from trivium.catalogue.documents import SEALED, DocumentError, credentials
from trivium.catalogue.model import (
    AbsentError,
    CatalogueError,
    EntryBody,
    EntryDiff,
    EntryName,
    StaleError,
    UnfitError,
)
from trivium.catalogue.planning import ChangeResult
from trivium.catalogue.preview import MODELS_MAX, LostRequests, lost, plans
from trivium.catalogue.sealing import hint
from trivium.catalogue.service import Condition, EntryEdit
from trivium.console import context, forms
from trivium.console.catalogue import entries, problems
from trivium.console.context import Console
from trivium.console.language import N_, LazyText, text
from trivium.routing.model import Model
from trivium.settings.secrets import REGISTERED

CHARS_MAX: Final = 400
"""Of a value that a page shows."""
MEMBERS_MAX: Final = 60
"""Members of one entry that a page shows."""
ENTRIES_MAX: Final = 20
"""Entries of one change that a page shows."""
LOST_MAX: Final = 20
LOOKED_BACK: Final = 50
"""Changes of an entry among which a version is looked for."""
_DIGITS_MAX: Final = 15

Fields = forms.Filled[forms.Form]
"""A form whose fields depend on what is edited: it is read by the page itself."""


WHY: Final = (
    N_("the model is gone"),
    N_("the model has no channel that is switched on"),
    N_("the channel is gone or switched off; others serve the model"),
    N_("the model is not bound to the channel any more; others serve it"),
)
"""Why a request would not be served as it was, as ``catalogue/preview.py`` says it."""


class ChangedMember(msgspec.Struct, frozen=True, kw_only=True):
    """One member before and after; empty: it was not, or is not, there."""

    member: str
    before: str
    after: str


class EntryChange(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of one entry."""

    at: EntryName
    action: str
    """``create``, ``change`` or ``delete``."""
    members: tuple[ChangedMember, ...]
    more: int = 0
    """Members that are not told."""


class PlannedModel(msgspec.Struct, frozen=True, kw_only=True):
    """How a model would be routed."""

    model: str
    steps: tuple[tuple[str, str], ...] = ()
    """Channel, and its own name for the model, in order."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Channel, and why it is passed over."""
    gone: bool = False
    refused: str = ""


class ChangePreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a change would come to."""

    changes: tuple[EntryChange, ...]
    plans: tuple[PlannedModel, ...]
    plans_max: bool
    """Whether there may be more models that are concerned."""
    lost: tuple[LostRequests, ...] | None
    """Requests of the last hour that would not be served as they were; ``None``: nobody counted."""


class StaleEdit(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody else was faster: what there is now, beside what was to be saved."""

    who: str
    """Empty: nobody who has an account."""
    at_ms: int
    gone: bool
    members: tuple[ChangedMember, ...]
    """``before``: as it is now; ``after``: as it was to be."""


def version(form: Fields) -> int | None:
    """The version that the form was made of; ``None``: the entry was not there."""
    return number_of(form, "version")


def number_of(form: Fields, field: str) -> int | None:
    """A version that a form carries; ``None``: none."""
    said = form.first(field)
    return int(said) if said.isascii() and said.isdigit() and len(said) <= _DIGITS_MAX else None


def edit(at: EntryName, document: Any, form: Fields) -> EntryEdit:
    """What the entry is to be, on the condition that it is still what the form was made of."""
    read = version(form)
    condition = Condition(absent=True) if read is None else Condition(version=read)
    return EntryEdit(at=at, document=document, condition=condition)


async def made(
    request: Request, wanted: EntryEdit, form: Fields, *, dry_run: bool
) -> ChangeResult | StaleEdit | None:
    """Change an entry, or only try; ``None``: it is refused, and the form says why."""
    console = context.of(request)
    try:
        return await console.catalogue.change(
            [wanted],
            entries.author(request),
            reason=form.first("reason").strip(),
            dry_run=dry_run,
        )
    except StaleError:
        return await _stale(console, wanted)
    except (CatalogueError, DocumentError) as error:
        refuse(form, error, wanted.at)
        return None


async def document_at(console: Console, at: EntryName, version: int) -> Any:
    """What an entry said at a version; ``None``: it is so long ago that it is not looked for."""
    for change in await console.catalogue.changes(limit=LOOKED_BACK, kind=at.kind, name=at.name):
        for diff in change.diffs if change.revision == version else ():
            if diff.at == at and diff.after is not None:
                return diff.after.document
    return None


_ABSENT: Final = object()


def merged(read: Any, theirs: Any, mine: Any) -> Any:
    """Documents of one that was read and changed by two: mine where I have changed something, else
    theirs. Tables are merged by their members, lists are taken whole.
    """
    if not (isinstance(read, dict) and isinstance(theirs, dict) and isinstance(mine, dict)):
        return theirs if mine == read else mine
    made = {}
    for name in {**theirs, **mine}:
        three = (read.get(name, _ABSENT), theirs.get(name, _ABSENT), mine.get(name, _ABSENT))
        value = merged(*three)
        if value is not _ABSENT:
            made[name] = value
    return made


async def version_now(console: Console, at: EntryName) -> int | None:
    """The version of an entry of the database; ``None``: it is not there."""
    now = await entries.one(console, at)
    return None if now is None or now.place else now.version


def refuse(form: Fields, error: CatalogueError | DocumentError, at: EntryName) -> None:
    """Say what is wrong, each beside its member; what belongs nowhere, above the form."""
    if isinstance(error, DocumentError):
        found = [problems.of_document(str(error))]
    elif isinstance(error, UnfitError):
        found = problems.placed(error.lines, at)
    elif isinstance(error, AbsentError):
        form.fail("", N_("It is not there any more."))
        return
    else:
        found = [("", str(error))]
    for member, words in found:
        form.fail(member, spoken(words))


def spoken(words: str) -> LazyText:
    """Words of the settings as a message: they are the same in every language."""
    return text("%(words)s", words=words)


def words_of(said: LazyText) -> str:
    """The words of the settings again, out of a message; of another its English."""
    return str(said.values.get("words", said.message))


def unplaced(form: Fields, shown: Collection[str]) -> list[LazyText]:
    """What is wrong with members that the page has no field for."""
    return [
        said if not member else spoken(f"{member} {words_of(said)}")
        for member, said in form.errors.items()
        if member not in shown
    ]


async def preview(console: Console, result: ChangeResult) -> ChangePreview:
    """What came of a trial, for people."""
    # each may have thousands of members
    changes = await asyncio.to_thread(entry_changes, result.diffs)
    if result.catalogue is None:
        return ChangePreview(changes=changes, plans=(), plans_max=False, lost=())
    served = await console.history.served_lately()
    catalogue = result.catalogue
    # models by the thousand are looked at
    planned = await asyncio.to_thread(plans, catalogue, result.diffs)
    found = None
    if served is not None:
        now = await asyncio.to_thread(_pairs, tuple(console.models()))
        # what is not served as it was already is not this change's doing
        found = lost(catalogue, [each for each in served if each[:2] in now])
    return ChangePreview(
        changes=changes,
        plans=tuple(_planned(each) for each in planned),
        plans_max=len(planned) == MODELS_MAX,
        lost=None if found is None else tuple(found[:LOST_MAX]),
    )


def _pairs(models: Iterable[Model]) -> set[tuple[str, str]]:
    """Each model with each channel that serves it."""
    return {(model.name, bound.channel.name) for model in models for bound in model.bindings}


def _planned(told: Mapping[str, Any]) -> PlannedModel:
    refused = told.get("refused") or {}
    return PlannedModel(
        model=told["model"],
        gone=told.get("gone", False),
        refused=refused.get("message", ""),
        steps=tuple((each["channel"], each["upstream_model"]) for each in told.get("steps", ())),
        skipped=tuple((each["channel"], each["why"]) for each in told.get("skipped", ())),
    )


def entry_changes(diffs: Sequence[EntryDiff]) -> tuple[EntryChange, ...]:
    """The first of several entries before and after."""
    return tuple(entry_change(diff) for diff in diffs[:ENTRIES_MAX])


def entry_change(diff: EntryDiff) -> EntryChange:
    """One entry before and after, by the members that differ."""
    before, after = diff.before, diff.after
    members = differences(diff.at, before, after)
    return EntryChange(
        at=diff.at,
        action="create" if before is None else "delete" if after is None else "change",
        members=tuple(members[:MEMBERS_MAX]),
        more=max(0, len(members) - MEMBERS_MAX),
    )


def differences(
    at: EntryName, before: EntryBody | None, after: EntryBody | None
) -> list[ChangedMember]:
    """Members that differ; credentials are told by their last characters."""
    old, new = flat(at, before), flat(at, after)
    none = ("", "")
    return [
        ChangedMember(member=name, before=old.get(name, none)[0], after=new.get(name, none)[0])
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]


def flat(at: EntryName, body: EntryBody | None) -> dict[str, tuple[str, str]]:
    """Every value of a document by its member, ``bindings.0.weight``: as it is shown, and what it
    is compared by.
    """
    if body is None:
        return {}
    marks = {mark.at: mark for mark in body.marks}
    secret = {place.replace("/", "."): (place, said) for place, _, said in
              credentials(at, body.document)}  # fmt: skip
    found: dict[str, tuple[str, str]] = {}
    left: deque[tuple[str, Any]] = deque([("", body.document)])
    while left:
        path, value = left.popleft()
        inner: list[tuple[str, Any]] = []
        if isinstance(value, dict) and value:
            inner = [(str(name), each) for name, each in value.items()]
        elif isinstance(value, list) and (
            any(isinstance(each, dict) for each in value) or f"{path}.0" in secret
        ):
            inner = [(str(number), each) for number, each in enumerate(value)]
        if inner:
            below = [(f"{path}.{name}" if path else name, each) for name, each in inner]
            left.extendleft(reversed(below))
        elif path in secret:
            place, said = secret[path]
            mark = marks.get(place) if said.startswith(SEALED) else None
            if mark is not None:
                found[path] = f"…{mark.hint}", mark.fingerprint
            else:
                found[path] = said if said.startswith(REGISTERED) else f"…{hint(said)}", said
        elif path != "name":
            said = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            found[path or "factor"] = _short(said), said
    return found


def _short(said: str) -> str:
    return said if len(said) <= CHARS_MAX else f"{said[:CHARS_MAX]}…"


async def _stale(console: Console, wanted: EntryEdit) -> StaleEdit:
    """What there is now, beside what was to be."""
    now = await entries.one(console, wanted.at)
    if now is None:
        return StaleEdit(who="", at_ms=0, gone=True, members=())
    by = () if now.updated_by is None else (now.updated_by,)
    names, _ = await console.requests.names(by, ())
    yours = EntryBody(document=wanted.document, marks=now.marks)
    there = EntryBody(document=now.document, marks=now.marks)
    members = await asyncio.to_thread(differences, wanted.at, there, yours)
    return StaleEdit(
        who=names.get(now.updated_by or 0, ""),
        at_ms=now.updated_ms,
        gone=False,
        members=tuple(members[:MEMBERS_MAX]),
    )
