"""The books: proved, with what contradicts itself as it is found, and taken along as a file."""

import asyncio
import datetime as dt
import secrets
from collections.abc import AsyncIterator, Sequence
from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_, text
from trivium.identity.errors import IdentityError
from trivium.jobs.service import strays
from trivium.ledger import focus, verify
from trivium.ledger.model import Entry
from trivium.ledger.proof import LedgerProof
from trivium.ledger.spreadsheet import csv_lines
from trivium.storage.errors import StorageError

AT: Final = "/admin/ledger"
TOLD_MAX: Final = 100
"""Contradictions that are named; more are only counted."""
TICK: Final = 100_000
"""Entries after which the page says how far it is."""


class LedgerFileForm(forms.Form, frozen=True, kw_only=True):
    """Whose entries, of which days in UTC (the last not included), in which columns."""

    user: str = ""
    since: dt.date | None = None
    until: dt.date | None = None
    columns: Literal["csv", "focus"] = "csv"


@session.admin
async def show(request: Request) -> Response:
    """Show what can be done with the books."""
    return _page(request, forms.empty(LedgerFileForm, columns="csv"))


def _page(request: Request, form: forms.Filled[LedgerFileForm], status: int = 200) -> Response:
    return render.page(request, "admin/ledger.html", status=status, form=form, at=AT)


@session.admin
@session.recent_at(AT)
async def prove(request: Request) -> Response:
    """Prove the books on a page that grows as entries are looked at; leaving it ends the proof."""
    mark = secrets.token_urlsafe(24)
    whole = render.page(request, "admin/ledger_proof.html", mark=mark, at=AT)
    head, _, end = bytes(whole.body).decode().partition(mark)
    answer = StreamingResponse(_grown(request, head, end), media_type="text/html")
    answer.raw_headers = [each for each in whole.raw_headers if each[0] != b"content-length"]
    return answer


async def _grown(request: Request, head: str, end: str) -> AsyncIterator[str]:
    console = context.of(request)
    proof = LedgerProof(console.database, console.clock, strays)
    yield head
    wrong = told = 0
    is_whole = True
    try:
        async for lines in proof.steps():
            if lines:
                yield _part(request, "lines", lines=lines[: max(0, TOLD_MAX - wrong)])
                wrong += len(lines)
            if proof.entries - told >= TICK:
                told = proof.entries
                yield _part(request, "tick", entries=proof.entries)
    except StorageError:
        is_whole = False
    yield _part(request, "end", entries=proof.entries, wrong=wrong, is_whole=is_whole) + end


def _part(request: Request, name: str, **values: object) -> str:
    tag = render.speech_of(request).language.tag
    template = render.environment(tag).get_template("admin/ledger_parts.html")
    given = {"csrf": "", "now": 0, "part": name, "told_max": TOLD_MAX}
    return template.render(given | values)


@session.admin
@session.recent_at(AT)
async def export(request: Request) -> Response:
    """Send entries as a file, oldest first, as they are read."""
    form = forms.filled(request, LedgerFileForm)
    wanted = form.value
    user_id = None
    if wanted is not None and wanted.user:
        try:
            user_id = (await context.of(request).identity.find_user(wanted.user)).id
        except IdentityError:
            form.fail("user", text(N_("Nobody has this name or address.")))
            wanted = None
    if wanted is None:
        return _page(request, form, 422)
    is_focus = wanted.columns == "focus"
    name = "charges" if is_focus else "entries"
    return StreamingResponse(
        _lines(request, wanted, user_id, is_focus=is_focus),
        media_type="text/csv",
        headers={"content-disposition": f'attachment; filename="{name}.csv"'},
    )


async def _lines(
    request: Request, wanted: LedgerFileForm, user_id: int | None, *, is_focus: bool
) -> AsyncIterator[str]:
    since = 0 if wanted.since is None else _second(wanted.since)
    until = verify.END if wanted.until is None else _second(wanted.until)
    yield next(csv_lines(focus.COLUMNS if is_focus else verify.COLUMNS, ()))
    found = verify.pages(context.of(request).database, user_id=user_id, since=since, until=until)
    async for page in found:
        # reckoning a page of bills takes longer than others should wait
        yield await asyncio.to_thread(_text, page, is_focus=is_focus)


def _text(page: Sequence[tuple[str, Entry]], *, is_focus: bool) -> str:
    rows = (
        row
        for name, entry in page
        for row in (focus.rows_of(name, entry) if is_focus else (verify.row_of(name, entry),))
    )
    lines = csv_lines((), rows)
    next(lines)  # that of the heads, which are said
    return "".join(lines)


def _second(day: dt.date) -> int:
    return int(dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC).timestamp())


PAGES: Final = (
    Route(AT, show),
    Route(f"{AT}/proof", prove, methods=["POST"]),
    Route(f"{AT}.csv", export, methods=["POST"]),
)
