"""The question whether an application may be let in, and its answer.

The form carries the id of the kept request and nothing else: application, address and scopes come
from what was checked when the application sent its user.
"""

from typing import Final, Literal

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.api.answer import sender
from trivium.console.consent.refusal import refused
from trivium.console.consent.wording import scopes_in_words
from trivium.oauth import redirect
from trivium.oauth.consent.decision import Decision
from trivium.oauth.errors import Refused

_FRAMES: Final = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})


class Answer(forms.Form, frozen=True, kw_only=True):
    """Which button was pressed."""

    answer: Literal["allow", "deny", "switch"]


@session.signed_in
async def ask(request: Request) -> Response:
    """The question, or at once the answer where it was given before."""
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
    except Refused as error:
        return refused(request, error.reason)
    asked = pending.asked
    return render.page(
        request,
        "consent/question.html",
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
    form = forms.filled(request, Answer)
    if form.value is None:
        raise HTTPException(400)
    try:
        if form.value.answer == "switch":
            await consents.release(request_id, user.id)
            return await _other_account(request)
        if form.value.answer == "allow":
            where = await consents.approve(request_id, user.id, Decision.ASK, sender(request))
        else:
            where = await consents.deny(request_id, user.id)
    except Refused as error:
        return refused(request, error.reason)
    return RedirectResponse(where, 303)


async def _other_account(request: Request) -> Response:
    """Logged out, and off to the login page, from where one comes back here."""
    console = context.of(request)
    place = session.place(request, request.url.path)
    name = session.cookie_name(console, session.SESSION)
    await console.accounts.sessions.end(request.cookies.get(name, ""))
    made = RedirectResponse(f"/login?for={place}", 303)
    made.delete_cookie(name, path="/", secure=console.secure, httponly=True, samesite="lax")
    session.send_visit(request, made)
    return made


PAGES: Final = (
    Route("/authorize/{request_id}", ask),
    Route("/authorize/{request_id}", settle, methods=["POST"]),
)
