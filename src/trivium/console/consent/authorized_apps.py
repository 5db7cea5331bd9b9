"""The applications a user let in, and how to send them out again."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.api.answer import sender
from trivium.console.consent.login_notice import scopes_in_words
from trivium.console.forms import row
from trivium.console.language import N_
from trivium.ledger.amounts import parse_usd
from trivium.ledger.errors import LedgerError
from trivium.oauth import redirect
from trivium.oauth.errors import RegistrationError

HOME: Final = "/account/applications"


class CapForm(forms.Form, frozen=True, kw_only=True):
    """US dollars a month."""

    cap: forms.Line


@session.signed_in
async def show(request: Request) -> Response:
    """Show the list of applications that the user let in."""
    user = session.user_of(request)
    return await _page(request, user.id)


async def _page(
    request: Request, user_id: int, wrong: forms.Filled[CapForm] | None = None, grant_id: int = 0
) -> Response:
    oauth = context.of(request).oauth
    found = await oauth.consents.authorized(user_id)
    caps = await oauth.spending.caps(user_id)
    return render.page(
        request,
        "consent/authorized.html",
        status=422 if wrong else 200,
        caps=caps,
        spent=await oauth.spending.spent(user_id) if caps else {},
        wrong=wrong,
        wrong_id=grant_id,
        applications=[
            (each, redirect.host(each.app.redirect_uri), scopes_in_words(each.grant.scopes))
            for each in found
        ],
    )


@session.signed_in
async def revoke(request: Request) -> Response:
    """Take consent back: every token of it is refused with the next call."""
    user = session.user_of(request)
    try:
        await context.of(request).oauth.consents.revoke(
            user.id, request.path_params["grant_id"], sender(request)
        )
    except RegistrationError:
        raise HTTPException(404) from None
    return render.redirect(request, HOME, N_("The application has no access any more."))


@session.signed_in
async def revoke_all(request: Request) -> Response:
    """Take all consent back."""
    user = session.user_of(request)
    await context.of(request).oauth.consents.revoke_all(user.id, sender(request))
    return render.redirect(request, HOME, N_("No application has access any more."))


@session.signed_in
async def cap(request: Request) -> Response:
    """Change what an application may spend a month."""
    user = session.user_of(request)
    grant_id = request.path_params["grant_id"]
    form = forms.filled(request, CapForm)
    if form.value is None:
        return await _page(request, user.id, form, grant_id)
    try:
        cap_nanos = parse_usd(form.value.cap)
        await context.of(request).oauth.spending.set_cap(
            user.id, grant_id, cap_nanos, sender(request)
        )
    except (LedgerError, ValueError):
        form.fail("cap", N_("Please write US dollars as digits, from 0.01 to 10000."))
        return await _page(request, user.id, form, grant_id)
    except RegistrationError:
        raise HTTPException(404) from None
    return render.redirect(request, HOME, N_("The application may spend as much as you set."))


PAGES: Final = (
    Route(HOME, show),
    Route(f"{HOME}/revoke", revoke_all, methods=["POST"]),
    Route(f"{HOME}/{row('grant_id')}/cap", cap, methods=["POST"]),
    Route(f"{HOME}/{row('grant_id')}/revoke", revoke, methods=["POST"]),
)
