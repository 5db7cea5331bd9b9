"""The question whether an application may be let in, and its answer.

The form carries the id of the kept request and nothing else: application, address and scopes come
from what was checked when the application sent its user.
"""

from typing import Final, Literal

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from trivium.console import context, cookies, forms, render, session
from trivium.console.api.answer import sender
from trivium.console.consent.login_notice import scopes_in_words
from trivium.console.consent.refusal import refused
from trivium.console.language import N_
from trivium.ledger.amounts import parse_usd
from trivium.ledger.errors import LedgerError
from trivium.oauth import redirect
from trivium.oauth.consent.model import Decision, Pending
from trivium.oauth.errors import AuthorizationRefused
from trivium.oauth.scope import SPEND
from trivium.oauth.spend.model import check_cap

_FRAMES: Final = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})


class ConsentForm(forms.Form, frozen=True, kw_only=True):
    """The button that was pressed."""

    answer: Literal["allow", "deny", "switch"]
    cap: str = ""
    """US dollars a month, where the application wants to spend; empty: nothing."""


@session.signed_in
async def ask(request: Request) -> Response:
    """Show the question, or answer at once where consent was given before."""
    consents = context.of(request).oauth.consents
    user = session.user_of(request)
    request_id = request.path_params["request_id"]
    is_framed = request.headers.get("sec-fetch-dest", "") in _FRAMES
    try:
        pending = await consents.find(request_id, user.id)
        decision = await consents.weigh(request_id, user.id, is_framed=is_framed)
        # looking is no answer: HEAD asks for the page alone
        if decision is not Decision.ASK and request.method == "GET":
            where = await consents.approve(request_id, user.id, decision, sender(request))
            return RedirectResponse(where, 303)
    except AuthorizationRefused as error:
        return refused(request, error.reason)
    return _page(request, pending, forms.empty(ConsentForm))


def _page(
    request: Request, pending: Pending, form: forms.Filled[ConsentForm], status: int = 200
) -> Response:
    asked = pending.asked
    return render.page(
        request,
        "consent/question.html",
        status=status,
        form=form,
        may_spend=SPEND in asked.scopes,
        form_origins=[redirect.origin(asked.redirect_uri)],
        app=asked.app,
        owner=pending.owner,
        host=redirect.host(asked.redirect_uri),
        scopes=scopes_in_words(asked.scopes),
    )


@session.signed_in
async def settle(request: Request) -> Response:
    """Back to the application with the answer."""
    consents = context.of(request).oauth.consents
    user = session.user_of(request)
    request_id = request.path_params["request_id"]
    form = forms.filled(request, ConsentForm)
    if form.value is None:
        raise HTTPException(400)
    try:
        if form.value.answer == "switch":
            await consents.release(request_id, user.id)
            return await _other_account(request)
        if form.value.answer == "allow":
            pending = await consents.find(request_id, user.id)
            cap_nanos = _cap(form, pending)
            if form.errors:
                return _page(request, pending, form, 422)
            where = await consents.approve(
                request_id, user.id, Decision.ASK, sender(request), cap_nanos=cap_nanos
            )
        else:
            where = await consents.deny(request_id, user.id)
    except AuthorizationRefused as error:
        return refused(request, error.reason)
    return RedirectResponse(where, 303)


def _cap(form: forms.Filled[ConsentForm], pending: Pending) -> int | None:
    """Nano-dollars a month; ``None`` for none, or where the form now says what is wrong."""
    typed = form.first("cap").strip()
    if SPEND not in pending.asked.scopes or not typed:
        return None
    try:
        cap_nanos = parse_usd(typed)
        check_cap(cap_nanos)
    except (LedgerError, ValueError):
        form.fail("cap", N_("Please write US dollars as digits, from 0.01 to 10000, or nothing."))
        return None
    return cap_nanos


async def _other_account(request: Request) -> Response:
    """Logged out, and off to the login page, from where one comes back here."""
    place = session.place(request, request.url.path)
    await context.of(request).accounts.sessions.end(session.token(request))
    made = RedirectResponse(f"/login?for={place}", 303)
    cookies.forget(request, made, session.SESSION)
    session.send_visit(request, made)
    return made


PAGES: Final = (
    Route("/authorize/{request_id}", ask),
    Route("/authorize/{request_id}", settle, methods=["POST"]),
)
