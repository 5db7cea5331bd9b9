"""Codes that can be turned into balance: batches made, looked at and revoked."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.forms import row
from trivium.console.language import N_
from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.entries import NOTE_CHARS_MAX
from trivium.ledger.errors import LedgerError
from trivium.observe.audit.model import ActKind

AT: Final = "/admin/codes"
PAGE: Final = 50
COUNT_MAX: Final = 1000
"""Codes of one form; the command line makes larger batches."""
STATES: Final = {
    "open": N_("open"),
    "redeemed": N_("redeemed"),
    "revoked": N_("revoked"),
    "expired": N_("expired"),
}


class BatchForm(forms.Form, frozen=True, kw_only=True):
    """A batch to make."""

    amount: forms.Line
    count: Annotated[int, msgspec.Meta(ge=1, le=COUNT_MAX)]
    until: date | None = None
    """The last day, in UTC; ``None``: they do not expire."""
    note: Annotated[str, msgspec.Meta(max_length=NOTE_CHARS_MAX)] = ""


class RevokeForm(forms.Form, frozen=True, kw_only=True):
    """One code to refuse, or none: all of the batch that are open."""

    code: forms.Id | None = None


@session.admin
async def show(request: Request) -> Response:
    """Show the batches, the newest first, and the form for another."""
    return await _page(request, forms.empty(BatchForm, count="1"))


@session.admin
@session.recent_at(AT)
async def create(request: Request) -> Response:
    """Make a batch and show its codes, this once."""
    console = context.of(request)
    form = forms.filled(request, BatchForm)
    wanted = form.value
    if wanted is None:
        return await _page(request, form, 422)
    try:
        amount_nanos = parse_usd(wanted.amount)
    except LedgerError:
        amount_nanos = 0
    if amount_nanos <= 0:
        form.fail("amount", N_("Please write US dollars as digits, such as 25 or 12.50."))
        return await _page(request, form, 422)
    ends = None if wanted.until is None else _last_second(wanted.until)
    if ends is not None and ends <= console.clock.now():
        form.fail("until", N_("This day is over."))
        return await _page(request, form, 422)
    batch_id, made = await console.codes.create(amount_nanos, wanted.count, ends, wanted.note)
    worth = format_usd(amount_nanos)
    await session.tell_of(
        request,
        ActKind.REDEMPTION_CREATED,
        None,
        f"batch:{batch_id}",
        codes=len(made),
        amount=worth,
    )
    batch = await console.codes.batch(batch_id)
    return render.page(request, "admin/codes_made.html", batch=batch, made=made, at=AT)


def _last_second(day: date) -> int:
    after = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)
    return int(after.timestamp()) - 1


@session.admin
async def one(request: Request) -> Response:
    """Show the codes of a batch: what became of each, and whose balance it went to."""
    console = context.of(request)
    try:
        batch = await console.codes.batch(request.path_params["batch"])
    except LedgerError:
        raise HTTPException(404) from None
    given = request.query_params.get("after", "")
    after = int(given) if given.isdecimal() and len(given) <= forms.DIGITS_MAX else 0
    found = await console.codes.codes_of(batch.id, after, PAGE + 1)
    rows, now = found[:PAGE], console.clock.now()
    return render.page(
        request,
        "admin/batch.html",
        batch=batch,
        rows=[(code, code.state(now)) for code in rows],
        states=STATES,
        at=f"{AT}/{batch.id}",
        **render.paging(
            f"{AT}/{batch.id}", {}, "after", given, rows[-1].id if len(found) > PAGE else None
        ),
    )


@session.admin
@session.recent_at(AT)
async def revoke(request: Request) -> Response:
    """Refuse a code, or all of the batch that are open; what was redeemed stays booked."""
    codes = context.of(request).codes
    number, form = request.path_params["batch"], forms.filled(request, RevokeForm)
    back = f"{AT}/{number}"
    which = f"batch:{number}"
    try:
        await codes.batch(number)
        if form.value is not None and form.value.code is not None:
            which = f"id:{form.value.code}"
            if (await codes.one(form.value.code)).batch_id != number:
                raise HTTPException(404)
    except LedgerError:
        raise HTTPException(404) from None
    try:
        gone = await codes.revoke(which)
    except LedgerError:
        said = N_("Nothing was changed: no code there is open any more.")
        return render.redirect(request, back, said, tone="bad")
    await session.tell_of(request, ActKind.REDEMPTION_REVOKED, None, which, codes=gone)
    said = N_("Refused from now on: %(count)s. What was redeemed stays booked.")
    return render.redirect(request, back, said, count=str(gone))


async def _page(request: Request, form: forms.Filled[BatchForm], status: int = 200) -> Response:
    given = request.query_params.get("before", "")
    before = int(given) if given.isdecimal() and len(given) <= forms.DIGITS_MAX else None
    found = await context.of(request).codes.newest_batches(before, PAGE + 1)
    rows = found[:PAGE]
    return render.page(
        request,
        "admin/codes.html",
        status=status,
        form=form,
        rows=rows,
        at=AT,
        **render.paging(AT, {}, "before", given, rows[-1].id if len(found) > PAGE else None),
    )


PAGES: Final = (
    Route(AT, show),
    Route(AT, create, methods=["POST"]),
    Route(f"{AT}/{row('batch')}", one),
    Route(f"{AT}/{row('batch')}/revoke", revoke, methods=["POST"]),
)
