"""The applications a user let in, and how to send them out again."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.console.api.answer import sender
from trivium.console.consent.wording import scopes_in_words
from trivium.console.language import N_
from trivium.oauth import redirect
from trivium.oauth.errors import RegistrationError

HOME: Final = "/account/applications"


@session.signed_in
async def show(request: Request) -> Response:
    """The list."""
    user = session.user_of(request)
    found = await context.of(request).oauth.consents.authorized(user.id)
    return render.page(
        request,
        "consent/authorized.html",
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


PAGES: Final = (
    Route(HOME, show),
    Route(f"{HOME}/revoke", revoke_all, methods=["POST"]),
    Route(f"{HOME}/{{grant_id:int}}/revoke", revoke, methods=["POST"]),
)
