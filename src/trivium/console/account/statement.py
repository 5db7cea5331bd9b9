"""The account's entries, and each bill explained."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.console.forms import row
from trivium.console.language import N_
from trivium.ledger.model import EntryKind

PAGE: Final = 50
KINDS: Final = {
    EntryKind.USAGE: N_("Usage"),
    EntryKind.TOP_UP: N_("Top-up"),
    EntryKind.REDEMPTION: N_("Redemption code"),
    EntryKind.ADJUSTMENT: N_("Adjustment"),
    EntryKind.REFUND: N_("Refund"),
}
METERS: Final = {
    "Input Tokens": N_("Input tokens"),
    "Cache Read Tokens": N_("Cache read tokens"),
    "Cache Write Tokens (5 min)": N_("Cache write tokens, 5 minutes"),
    "Cache Write Tokens (1 h)": N_("Cache write tokens, 1 hour"),
    "Output Tokens": N_("Output tokens"),
    "Reasoning Tokens": N_("Reasoning tokens"),
    "Audio Input Tokens": N_("Audio input tokens"),
    "Audio Output Tokens": N_("Audio output tokens"),
    "Image Input Tokens": N_("Image input tokens"),
    "Image Output Tokens": N_("Image output tokens"),
}
"""Other meters (images of a size, seconds, characters) are said as the export names them."""
_PAYMENTS: Final = tuple(kind for kind in EntryKind if kind is not EntryKind.USAGE)


@session.signed_in
async def show(request: Request) -> Response:
    """Show the newest entries, or those before a given one; all, or without usage."""
    console = context.of(request)
    user = session.user_of(request)
    asked = request.query_params
    before = asked.get("before", "")
    payments = asked.get("show") == "payments"
    page = await console.statement.page(
        user.id,
        int(before) if before.isdecimal() and len(before) < 19 else None,
        PAGE,
        _PAYMENTS if payments else (),
    )
    kept = {"show": "payments"} if payments else {}
    return render.page(
        request,
        "account/statement.html",
        balance=await console.entries.balance(user.id),
        entries=page.entries,
        kinds=KINDS,
        payments=payments,
        **render.paging("/account/statement", kept, "before", before, page.before),
    )


@session.signed_in
async def one(request: Request) -> Response:
    """Show one entry and how its amount came about."""
    console = context.of(request)
    bill = await console.statement.bill(session.user_of(request).id, request.path_params["id"])
    if bill is None:
        raise HTTPException(404)
    return render.page(
        request, "account/entry.html", bill=bill, kind=KINDS[bill.entry.kind], meters=METERS
    )


PAGES: Final = (Route("/account/statement", show), Route(f"/account/statement/{row('id')}", one))
