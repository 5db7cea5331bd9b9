"""The link in a letter that shows an address to be somebody's.

Opening it changes nothing, since mail programs open links by themselves: a button does.
"""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.console.language import N_
from trivium.console.refusals import words
from trivium.identity.accounts.errors import AccountError
from trivium.observe.audit.model import ActKind


async def show(request: Request) -> Response:
    """Show a button, and whose address it would become: the letter may have come unasked."""
    recovery = context.of(request).accounts.recovery
    try:
        user, email = await recovery.show_email(request.path_params["token"])
    except AccountError as error:
        return render.page(request, "login/gone.html", status=410, message=words(error))
    return render.page(request, "login/email.html", name=user.name, email=email)


async def prove(request: Request) -> Response:
    """Make the address the user's, and note it as verified."""
    try:
        user = await context.of(request).accounts.recovery.prove_email(
            request.path_params["token"], session.visitor(request)
        )
    except AccountError as error:
        return render.page(request, "login/gone.html", status=410, message=words(error))
    await session.log_act(request, ActKind.EMAIL_CHANGED, user.id)
    notice = N_("Your e-mail address is confirmed.")
    return render.redirect(request, "/account/profile", notice)


PAGES: Final = (
    Route("/email/{token}", show),
    Route("/email/{token}", prove, methods=["POST"]),
)
