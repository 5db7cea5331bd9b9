"""``/api/admin/catalogue``: channels, models, price groups and routing rules of the database.

What is sent is an entry as the settings file has it, written as JSON. Whoever changes one says
which version was read: of two editors the second is told, and nothing is overwritten.
"""

import asyncio
import functools
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec

from trivium.catalogue.documents import DocumentError, bounded
from trivium.catalogue.members import action
from trivium.catalogue.model import (
    AbsentError,
    CatalogueEntry,
    CatalogueError,
    CatalogueKind,
    ChangeAuthor,
    EntryBody,
    EntryDiff,
    EntryName,
    KeptApartError,
    StaleError,
    UnconditionalError,
)
from trivium.catalogue.planning import ChangeResult
from trivium.catalogue.preview import lost, plans
from trivium.catalogue.service import Condition, EntryEdit
from trivium.console.api import answer
from trivium.console.api.admin.base import (
    AdminRequest,
    ApiBody,
    ApiMethod,
    VersionedAnswer,
    resource,
    whole,
)
from trivium.console.api.answer import ApiError

APPLY_BYTES_MAX: Final = 8_388_608
"""Of a set of entries; thousands of models fit."""
KINDS: Final = {kind.plural: kind for kind in CatalogueKind}
_STATUS: Final[Mapping[type[Exception], int]] = {
    StaleError: 412,
    UnconditionalError: 428,
    AbsentError: 404,
    KeptApartError: 409,
}
"""All others are 400."""
_TAG: Final = re.compile(r'\s*(?:W/)?"([0-9]{1,18})"\s*')
_LINES: Final = 50
"""Problems that one answer tells."""

Reason = Annotated[str, msgspec.Meta(max_length=500)]


class NewCatalogueEntry(ApiBody, frozen=True, kw_only=True):
    """What an entry is to be, and why."""

    document: Any
    """As the settings file has it; of a price group the factor, a text."""
    reason: Reason = ""

    def __post_init__(self) -> None:
        """Raises ValueError for a document that is too deep or too large to be one."""
        bounded(self.document)


class AppliedEntry(ApiBody, frozen=True, kw_only=True):
    """One entry of several."""

    kind: CatalogueKind
    name: str
    document: Any
    """``None``: it is to be gone."""

    def __post_init__(self) -> None:
        """Raises ValueError for a document that is too deep or too large to be one."""
        bounded(self.document)


class CatalogueSet(ApiBody, frozen=True, kw_only=True):
    """Entries that are changed together, or not at all."""

    entries: Annotated[tuple[AppliedEntry, ...], msgspec.Meta(max_length=20_000)]
    revision: int | None = None
    """Of the catalogue that was read; ``None`` where nothing that is there is changed."""
    reason: Reason = ""


class UndoneChange(ApiBody, frozen=True, kw_only=True):
    """Why a change is undone."""

    reason: Reason = ""


Act = Callable[[AdminRequest], Awaitable[Any]]


def told(act: Act) -> Act:
    """Errors of the catalogue as this API has them."""

    @functools.wraps(act)
    async def done(asked: AdminRequest) -> Any:
        try:
            return await act(asked)
        except DocumentError as error:
            raise ApiError(400, str(error)) from None
        except CatalogueError as error:
            lines = str(error).splitlines()
            more = [f"and {len(lines) - _LINES} more"] if len(lines) > _LINES else []
            message = "\n".join([*lines[:_LINES], *more])
            raise ApiError(_STATUS.get(type(error), 400), message) from None

    return done


@told
async def listing(asked: AdminRequest) -> Any:
    """Everything: the file's entries with their lines, the database's with their versions."""
    catalogue = asked.console.catalogue
    revision, entries = await catalogue.everything()
    # thousands of entries take longer to write out than others should wait
    return await asyncio.to_thread(_everything, revision.value, catalogue.of_file(), entries)


def _everything(
    revision: int, of_file: Sequence[Any], entries: Mapping[EntryName, CatalogueEntry]
) -> dict[str, Any]:
    found = [
        {
            "kind": each.at.kind,
            "name": each.at.name,
            "origin": {"source": "file", "place": each.place},
            "document": each.document,
        }
        for each in of_file
    ]
    return {
        "revision": revision,
        "entries": [*found, *(shown(entries[at]) for at in sorted(entries))],
    }


@told
async def show(asked: AdminRequest) -> Any:
    """One entry of the database, or of the file."""
    at = _at(asked)
    catalogue = asked.console.catalogue
    _, entries = await catalogue.everything()
    entry = entries.get(at)
    if entry is not None:
        return VersionedAnswer(shown(entry), f'"{entry.version}"')
    for each in catalogue.of_file():
        if each.at == at:
            origin = {"source": "file", "place": each.place}
            return {
                "kind": at.kind, "name": at.name, "origin": origin, "document": each.document
            }  # fmt: skip
    raise AbsentError(f"there is no {at}")


@told
async def put(asked: AdminRequest) -> Any:
    """Make an entry what the body says. The same again changes nothing."""
    wanted: NewCatalogueEntry = asked.body
    if wanted.document is None:
        raise ApiError(400, "document: is missing; DELETE takes an entry away")
    edit = EntryEdit(at=_at(asked), document=wanted.document, condition=_condition(asked))
    return await _changed(asked, edit, wanted.reason)


@told
async def delete(asked: AdminRequest) -> Any:
    """Take an entry away."""
    edit = EntryEdit(at=_at(asked), document=None, condition=_condition(asked))
    return await _changed(asked, edit, asked.query.get("reason", ""))


async def _changed(asked: AdminRequest, edit: EntryEdit, reason: str) -> Any:
    catalogue, dry_run = asked.console.catalogue, dry_run_of(asked)
    done = await catalogue.change([edit], author_of(asked), reason=reason, dry_run=dry_run)
    said = await _result(asked, done, dry_run=dry_run)
    if dry_run:
        return said
    entry = done.entries.get(edit.at)
    if entry is None:
        return said | {"entry": None}
    return VersionedAnswer(said | {"entry": shown(entry)}, f'"{entry.version}"')


@told
async def apply(asked: AdminRequest) -> Any:
    """Change several entries together, or none of them."""
    wanted: CatalogueSet = asked.body
    edits = [
        EntryEdit(at=EntryName(each.kind.value, each.name), document=each.document)
        for each in wanted.entries
    ]
    dry_run = dry_run_of(asked)
    done = await asked.console.catalogue.change(
        edits,
        author_of(asked),
        reason=wanted.reason,
        read_at=wanted.revision,
        together=True,
        dry_run=dry_run,
    )
    return await _result(asked, done, dry_run=dry_run)


@told
async def changes(asked: AdminRequest) -> Any:
    """A page of changes, newest first."""
    query = asked.query
    limit = whole(query.get("limit", "50"))
    if limit is None or not 1 <= limit <= 200:
        raise ApiError(400, "limit: must be 1 to 200")
    kind = query.get("kind")
    if kind is not None and kind not in {each.value for each in CatalogueKind}:
        raise ApiError(400, "kind: must be channel, model, group or routing")
    if "name" in query and kind is None:
        raise ApiError(400, "name: needs kind beside it")
    found = await asked.console.catalogue.changes(
        _number(query, "before"), limit, kind=kind, name=query.get("name"),
        user_id=_number(query, "user"),
    )  # fmt: skip
    return {
        "changes": [
            {
                "id": each.id,
                "revision": each.revision,
                "at_ms": each.at_ms,
                "user_id": each.author.user_id,
                "machine": each.author.name,
                "address": each.author.address,
                "reason": each.reason,
                "undoes": each.undoes,
                "undone_by": each.undone_by,
                "entries": [diff_shown(diff) for diff in each.diffs],
            }
            for each in found
        ],
        "before": found[-1].id if len(found) == limit else None,
    }


@told
async def undo(asked: AdminRequest) -> Any:
    """Make everything that a change concerned what it was before."""
    wanted: UndoneChange = asked.body
    dry_run = dry_run_of(asked)
    done = await asked.console.catalogue.undo(
        asked.number("change"), author_of(asked), reason=wanted.reason, dry_run=dry_run
    )
    return await _result(asked, done, dry_run=dry_run)


async def _result(asked: AdminRequest, done: ChangeResult, *, dry_run: bool) -> dict[str, Any]:
    said: dict[str, Any] = {
        "dry_run": dry_run,
        "revision": done.revision,
        "change_id": done.change_id,
        "entries": [diff_shown(diff) for diff in done.diffs],
    }
    if not dry_run or done.catalogue is None:
        return said
    served = await asked.console.history.served_lately()
    shown_plans = await asyncio.to_thread(plans, done.catalogue, done.diffs)
    found = None if served is None else lost(done.catalogue, served)
    requests = None if found is None else [msgspec.structs.asdict(each) for each in found]
    return said | {"plans": shown_plans, "lost_requests": requests}


def shown(entry: CatalogueEntry) -> dict[str, Any]:
    """An entry as this API shows it: what was sent, but for its credentials."""
    return {
        "kind": entry.at.kind,
        "name": entry.at.name,
        "origin": {"source": "database", "version": entry.version},
        "document": entry.body.document,
        "credentials": _credentials(entry.body),
        "updated_ms": entry.updated_ms,
        "updated_by": entry.updated_by,
    }


def diff_shown(diff: EntryDiff) -> dict[str, Any]:
    """What became of one entry, with the members that differ."""
    before, after = diff.before, diff.after
    return {
        "kind": diff.at.kind,
        "name": diff.at.name,
        "action": action(diff),
        "members": _members(before, after),
        "before": None if before is None else _body(before),
        "after": None if after is None else _body(after),
    }


def _members(before: EntryBody | None, after: EntryBody | None) -> list[str]:
    """Top-level members of two documents that differ; a credential that is another differs."""
    old = before.document if before is not None else None
    new = after.document if after is not None else None
    if not isinstance(old, dict) or not isinstance(new, dict):
        return []
    names = {name for name in {**old, **new} if old.get(name) != new.get(name)}
    assert before is not None
    assert after is not None
    marks = [{mark.at: mark.fingerprint for mark in body.marks} for body in (before, after)]
    names |= {
        at.partition("/")[0]
        for at in {**marks[0], **marks[1]}
        if marks[0].get(at) != marks[1].get(at)
    }
    return sorted(names)


def _body(body: EntryBody) -> dict[str, Any]:
    return {"document": body.document, "credentials": _credentials(body)}


def _credentials(body: EntryBody) -> list[dict[str, Any]]:
    return [
        {
            "at": mark.at,
            "last4": mark.hint or None,
            "fingerprint": mark.fingerprint,
            "set_ms": mark.set_ms,
        }
        for mark in body.marks
    ]


def _at(asked: AdminRequest) -> EntryName:
    """The entry of the path."""
    kind = KINDS[asked.request.scope["path"].split("/")[4]]
    return EntryName(kind.value, asked.request.path_params.get("name", kind.value))


def _condition(asked: AdminRequest) -> Condition:
    """What the headers say was read. Raises ApiError (400)."""
    headers = asked.request.headers
    match, none = headers.get("if-match"), headers.get("if-none-match")
    if match is not None and none is not None:
        raise ApiError(400, "If-Match and If-None-Match exclude each other")
    if none is not None:
        if none.strip() != "*":
            raise ApiError(400, "If-None-Match: must be *, for an entry that is not there yet")
        return Condition(absent=True)
    if match is None:
        return Condition()
    found = _TAG.fullmatch(match)
    if found is None:
        raise ApiError(400, 'If-Match: must be the version in quotes, such as "12"')
    return Condition(version=int(found[1]))


def dry_run_of(asked: AdminRequest) -> bool:
    """Whether a change is only to be tried. Raises ApiError (400)."""
    said = asked.query.get("dry_run", "false")
    if said not in ("true", "false"):
        raise ApiError(400, "dry_run: must be true or false")
    return said == "true"


def _number(query: Mapping[str, str], name: str) -> int | None:
    if name not in query:
        return None
    found = whole(query[name])
    if found is None:
        raise ApiError(400, f"{name}: must be a whole number")
    return found


def author_of(asked: AdminRequest) -> ChangeAuthor:
    """Who makes a change, as its history has it."""
    sender, machine = answer.sender(asked.request), asked.machine
    user_id, name = (asked.by, "") if machine is None else (machine.user_id, machine.name)
    return ChangeAuthor(user_id=user_id, name=name, address=sender.address, agent=sender.agent)


_DRY: Final = frozenset({"dry_run"})
_PUT: Final = ApiMethod(put, NewCatalogueEntry, _DRY)
_DELETE: Final = ApiMethod(delete, query=_DRY | {"reason"})

ENDPOINTS: Final = (
    resource("/api/admin/catalogue", GET=ApiMethod(listing)),
    resource(
        "/api/admin/catalogue/apply",
        POST=ApiMethod(apply, CatalogueSet, _DRY, bytes_max=APPLY_BYTES_MAX),
    ),
    resource(
        "/api/admin/catalogue/changes",
        GET=ApiMethod(changes, query=frozenset({"before", "limit", "kind", "name", "user"})),
    ),
    resource(
        "/api/admin/catalogue/changes/{change}/undo", POST=ApiMethod(undo, UndoneChange, _DRY)
    ),
    *(
        resource(path, GET=ApiMethod(show), PUT=_PUT, DELETE=_DELETE)
        for path in (
            "/api/admin/catalogue/routing",
            "/api/admin/catalogue/channels/{name}",
            "/api/admin/catalogue/models/{name}",
            "/api/admin/catalogue/groups/{name}",
        )
    ),
)
