"""What all forms of entries have in common: buttons to try and to save, and what comes back."""

from collections.abc import Callable, Collection
from typing import Any, Final

import msgspec
from starlette.requests import Request

from trivium.catalogue.model import EntryName
from trivium.console import context
from trivium.console.catalogue import changing
from trivium.console.catalogue.changing import ChangePreview, Fields, StaleEdit

TRY: Final = "try"
"""What the button says that tries only."""
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


async def saved(
    request: Request,
    form: Fields,
    at: EntryName,
    document: Any,
    field_of: Callable[[str], str] = str,
) -> SavedForm:
    """Try or save what a form says. ``field_of``: the field of a member, for its problems."""
    dry_run = form.first("act") == TRY
    wanted = changing.edit(at, document, form)
    result = await changing.made(request, wanted, form, dry_run=dry_run)
    if result is None:
        _move(form, field_of)
        return SavedForm(status=422)
    if isinstance(result, StaleEdit):
        now = await changing.version_now(context.of(request), at)
        return SavedForm(stale=result, status=409, version=now)
    if dry_run:
        return SavedForm(preview=await changing.preview(context.of(request), result))
    return SavedForm(is_saved=True)


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
        "version": version,
        "above": changing.unplaced(form, shown),
        "onward": onward(form.first("next") or request.query_params.get("next", "")),
    }


def onward(said: str) -> str:
    """Where a form goes on: to the first steps, or empty for its own list."""
    return "start" if said == "start" else ""
