"""What all forms of entries have in common: buttons to try and to save, and what comes back."""

from collections.abc import Callable, Collection
from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request

from trivium.catalogue.model import CatalogueKind, EntryName
from trivium.console import context, forms
from trivium.console.catalogue import changing, entries
from trivium.console.catalogue.changing import ChangePreview, Fields, StaleEdit
from trivium.console.catalogue.entries import ShownEntry
from trivium.console.language import N_

TRY: Final = "try"
"""What the button says that tries only."""
MERGE: Final = "merge"
"""What the one says that keeps what another editor has changed."""
START: Final = "/admin/start"
"""Where the first steps go on."""


class SavedForm(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a form."""

    is_saved: bool = False
    preview: ChangePreview | None = None
    """Of a trial that would do."""
    stale: StaleEdit | None = None
    status: int = 200
    version: int | None = None
    """Which the form is about from now on."""
    base: int | None = None
    """Which it was made of, where another is there now."""


async def opened(request: Request, kind: CatalogueKind) -> ShownEntry:
    """The entry of the database that the address names. Raises HTTPException (404), also for one of
    the file.
    """
    found = await _there(request, kind)
    if found is None:
        raise HTTPException(404)
    return found


async def sent(request: Request, kind: CatalogueKind) -> tuple[Fields, ShownEntry | None]:
    """A form that was sent, and the entry of the database that it is about; ``None``: it is gone
    meanwhile, and the form has its name.
    """
    form = forms.filled(request, forms.Form)
    found = await _there(request, kind)
    if found is None:
        form.given = {**form.given, "name": [_name(request)]}
    return form, found


async def _there(request: Request, kind: CatalogueKind) -> ShownEntry | None:
    found = await entries.one(context.of(request), entries.named(kind, _name(request)))
    return None if found is None or found.place else found


def _name(request: Request) -> str:
    return request.query_params.get("name", "")[:200]


async def saved(
    request: Request,
    form: Fields,
    at: EntryName,
    document: Any,
    field_of: Callable[[str], str] = str,
) -> SavedForm:
    """Try or save what a form says. ``field_of``: the field of a member, for its problems."""
    dry_run = form.first("act") == TRY
    base = changing.number_of(form, "base")
    if form.first("act") == MERGE:
        document = await _merged(request, form, at, document, base)
        if document is None:
            return SavedForm(status=422, base=base, version=changing.version(form))
    wanted = changing.edit(at, document, form)
    result = await changing.made(request, wanted, form, dry_run=dry_run)
    if result is None:
        _move(form, field_of)
        return SavedForm(status=422)
    if isinstance(result, StaleEdit):
        now = await changing.version_now(context.of(request), at)
        read = base or changing.version(form)
        return SavedForm(stale=result, status=409, version=now, base=read)
    if dry_run:
        return SavedForm(preview=await changing.preview(context.of(request), result))
    return SavedForm(is_saved=True)


async def _merged(
    request: Request, form: Fields, at: EntryName, mine: Any, base: int | None
) -> Any:
    """What the form changes, laid upon what is there; ``None``: it cannot be, and the form says
    so.
    """
    console = context.of(request)
    theirs = await entries.one(console, at)
    read = None if base is None else await changing.document_at(console, at, base)
    if theirs is None or theirs.place or read is None:
        form.fail("", N_("What you have read is not known any more. Compare, and save yours."))
        return None
    return changing.merged(read, theirs.document, mine)


def _move(form: Fields, field_of: Callable[[str], str]) -> None:
    found = dict(form.errors)
    form.errors.clear()
    for member, said in found.items():
        field = field_of(member) if member else ""
        if field == member or not member:
            form.errors.setdefault(field, said)
            continue
        words = f"{member} {changing.words_of(said)}"
        if field in form.errors:  # a field that stands for many members
            words = f"{changing.words_of(form.errors[field])}; {words}"
        form.errors[field] = changing.spoken(words)


def told(
    form: Fields, done: SavedForm | None, shown: Collection[str], request: Request
) -> dict[str, Any]:
    """What a template of such a form is told beside the form itself."""
    stale = None if done is None else done.stale
    version = form.first("version")
    if stale is not None and done is not None:
        version = "" if done.version is None else str(done.version)
    return {
        "preview": None if done is None else done.preview,
        "stale": stale,
        "base": _base(form, done),
        "version": version,
        "above": changing.unplaced(form, shown),
        "onward": onward(form.first("next") or request.query_params.get("next", "")),
    }


def _base(form: Fields, done: SavedForm | None) -> str:
    """The version that the form was made of, from when another is there until it is saved."""
    if done is not None and done.stale is not None:
        return "" if done.stale.gone or done.base is None else str(done.base)
    base = changing.number_of(form, "base")
    return "" if base is None else str(base)


def onward(said: str) -> str:
    """Where a form goes on: to the first steps, or empty for its own list."""
    return "start" if said == "start" else ""
