"""What was changed of the catalogue: who, when, why, before and after; each with its undo."""

import asyncio
from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.catalogue.model import CatalogueChange, CatalogueKind
from trivium.console import context, render, session
from trivium.console.catalogue.changing import ENTRIES_MAX, EntryChange, entry_changes

PATH: Final = "/admin/changes"
PAGE: Final = 20
_DIGITS_MAX: Final = 15


class ChangeLine(msgspec.Struct, frozen=True, kw_only=True):
    """A change as the page shows it."""

    change: CatalogueChange
    who: str
    """Empty: somebody at the machine's shell."""
    entries: tuple[EntryChange, ...]
    more: int
    """Entries that are not shown."""


@session.admin
async def show(request: Request) -> Response:
    """Show changes, newest first: all, those of a kind, or those of one entry."""
    console, query = context.of(request), request.query_params
    kind, name = query.get("kind", ""), query.get("name", "")[:200]
    if kind and kind not in {each.value for each in CatalogueKind}:
        raise HTTPException(404)
    before = query.get("before", "")
    if before and not (before.isascii() and before.isdigit() and len(before) <= _DIGITS_MAX):
        raise HTTPException(404)
    found = await console.catalogue.changes(
        int(before) if before else None,
        PAGE + 1,
        kind=kind or None,
        name=(name or None) if kind else None,
        entries_max=ENTRIES_MAX,
    )
    more = found[PAGE - 1].id if len(found) > PAGE else None
    authors = [each.author.user_id for each in found if each.author.user_id is not None]
    names, _ = await console.requests.names(authors, ())
    kept = {at: said for at, said in (("kind", kind), ("name", name)) if said}
    return render.page(
        request,
        "catalogue/changes.html",
        # a change may have thousands of members
        lines=await asyncio.to_thread(lambda: [_line(each, names) for each in found[:PAGE]]),
        kind=kind,
        name=name,
        kinds=[each.value for each in CatalogueKind],
        **render.paging(PATH, kept, "before", before, more),
    )


def _line(change: CatalogueChange, names: dict[int, str]) -> ChangeLine:
    user = change.author.user_id
    who = change.author.name or ("" if user is None else names.get(user, f"user {user}"))
    return ChangeLine(
        change=change,
        who=who,
        entries=entry_changes(change.diffs),
        more=change.left_out,
    )


PAGES: Final = (Route(PATH, show, methods=["GET"]),)
