"""Add and remove passkeys."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_
from trivium.console.login.passkey import challenge, refused
from trivium.console.refusals import words
from trivium.console.security.overview import HOME
from trivium.identity.accounts.errors import AccountError
from trivium.observe.audit.model import ActKind

PAGE: Final = f"{HOME}/passkeys"


class Added(forms.Form, frozen=True, kw_only=True):
    """The device's answer to a challenge, and a name for the passkey."""

    step: str = ""
    answer: str = ""
    name: str = ""


class PasskeyIdForm(forms.Form, frozen=True, kw_only=True):
    """The form of an act on one passkey, by its id."""

    passkey: int


@session.recent
async def show(request: Request) -> Response:
    """Ask for a name; the device asks for the rest."""
    return render.page(request, "security/passkey.html", form=forms.empty(Added))


@session.recent_at(f"{PAGE}/new")
async def begin(request: Request) -> Response:
    """Answer the page's script with a challenge."""
    try:
        asked = await context.of(request).accounts.passkeys.begin(await session.of(request))
    except AccountError as error:
        return refused(request, error)
    return challenge(asked)


@session.recent_at(f"{PAGE}/new")
async def add(request: Request) -> Response:
    """Store the passkey that the browser made."""
    found = await session.of(request)
    form = forms.filled(request, Added)
    given = form.value or Added()
    try:
        made = await context.of(request).accounts.passkeys.finish(
            found, given.step, given.answer, given.name, session.visitor(request)
        )
    except AccountError as error:
        form.fail("", words(error))
        return render.page(request, "security/passkey.html", status=422, form=form)
    await session.log_act(request, ActKind.PASSKEY_ADDED, found.user.id, f"passkey:{made.id}")
    return render.redirect(request, HOME, N_("The passkey is added."))


@session.recent_at(HOME)
async def remove(request: Request) -> Response:
    """Delete the passkey of the form, unless it is the last way in."""
    found = await session.of(request)
    form = forms.filled(request, PasskeyIdForm).value
    passkeys = context.of(request).accounts.passkeys
    try:
        if form is None or not await passkeys.remove(found, form.passkey):
            raise HTTPException(404)
    except AccountError as error:
        return render.redirect(request, HOME, words(error).message, tone="warn")
    await session.log_act(
        request, ActKind.PASSKEY_REMOVED, found.user.id, f"passkey:{form.passkey}"
    )
    return render.redirect(request, HOME, N_("The passkey is removed."))


PAGES: Final = (
    Route(f"{PAGE}/new", show),
    Route(f"{PAGE}/begin", begin, methods=["POST"]),
    Route(f"{PAGE}/new", add, methods=["POST"]),
    Route(f"{PAGE}/remove", remove, methods=["POST"]),
)
