"""Log in with a passkey, or prove again by one who one is.

A script asks for a challenge, has the device sign it and sends the form: all else is a form like
any other, with the browser's token.
"""

from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.consent import login_notice
from trivium.console.refusals import words
from trivium.identity.accounts.errors import AccountError
from trivium.identity.accounts.passkeys.model import Challenge


class Signed(forms.Form, frozen=True, kw_only=True):
    """The device's answer to a challenge."""

    step: str = ""
    answer: str = ""
    place: str = ""


async def begin(request: Request) -> Response:
    """Answer the page's script with a challenge."""
    try:
        asked = await context.of(request).accounts.passkeys.ask(session.visitor(request))
    except AccountError as error:
        return refused(request, error)
    return challenge(asked)


async def enter(request: Request) -> Response:
    """Try what the device signed."""
    console = context.of(request)
    form = forms.filled(request, Signed).value or Signed()
    visitor = session.visitor(request)
    try:
        found = await console.accounts.passkeys.enter(form.step, form.answer, visitor)
    except AccountError as error:
        await session.tell_failed(request, error)
        return _gone(request, error)
    return await login_notice.enter(request, found, form.place)


@session.signed_in
async def confirm(request: Request) -> Response:
    """Check a passkey again, after which the session allows sensitive acts."""
    found = await session.of(request)
    form = forms.filled(request, Signed).value or Signed()
    try:
        token = await context.of(request).accounts.passkeys.confirm(
            session.token(request), found, form.step, form.answer
        )
    except AccountError as error:
        return _gone(request, error)
    answer = RedirectResponse(session.after(request, form.place), 303)
    session.renew(request, answer, token)
    return answer


def challenge(asked: Challenge) -> Response:
    """A challenge as the script reads it."""
    body = msgspec.json.encode({"step": asked.step, "options": msgspec.Raw(asked.options.encode())})
    return Response(body, media_type="application/json")


def refused(request: Request, error: AccountError) -> Response:
    """Why there is none, in words that the script shows."""
    said = render.speech_of(request).say(words(error))
    body = msgspec.json.encode({"message": said})
    return Response(body, 429 if error.retry_after_s else 422, media_type="application/json")


def _gone(request: Request, error: AccountError) -> Response:
    return render.page(request, "login/gone.html", status=422, message=words(error))


PAGES: Final = (
    Route("/login/passkey/begin", begin, methods=["POST"]),
    Route("/login/passkey", enter, methods=["POST"]),
    Route("/login/confirm/passkey", confirm, methods=["POST"]),
)
