"""What the login page says of the application that sent somebody there.

A login on a page that names the application, its host and what it will see is as good as an answer
to the question, which is what ``auto_authorize`` hangs on.

Whom there is nothing to ask goes on through a page that moves by itself. Chromium holds a form's
policy against every redirect that follows it: login forms would have to be allowed to lead to
whatever address an application has, or end here.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from trivium.console import context, cookies, render, session
from trivium.console.language import N_
from trivium.identity.accounts.model import LoggedIn
from trivium.oauth import redirect
from trivium.oauth.consent.model import Decision
from trivium.oauth.errors import AuthorizationRefused
from trivium.oauth.scope import BALANCE, EVERY, PROFILE, SPEND
from trivium.observe.audit.model import ActKind

WORDS: Final = {
    PROFILE: (
        N_("Who you are"),
        N_("Your name and e-mail address, and since when you have this account."),
    ),
    BALANCE: (
        N_("Your balance"),
        N_("How much is left on your account and how much was spent. It cannot spend any."),
    ),
    SPEND: (
        N_("Spend from your balance"),
        N_("It uses models on your account, up to the amount a month that you set."),
    ),
}
"""A title and a text for each scope."""
_BESIDE_SPEND: Final = {
    BALANCE: (N_("Your balance"), N_("How much is left on your account and how much was spent."))
}


def scopes_in_words(scopes: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """What an application with these scopes sees, in the order of the scopes."""
    given = set(scopes)
    words = WORDS | _BESIDE_SPEND if SPEND in given else WORDS
    return tuple(words[scope] for scope in EVERY if scope in given)


class LoginNotice(msgspec.Struct, frozen=True):
    """A part of the login page."""

    template: str
    """Included in the page."""
    values: dict[str, Any]
    """``purpose_values`` of that template."""


_PAGE: Final = re.compile(r"/authorize/(gwar_[A-Za-z0-9_-]{43})")


async def notice_of(request: Request, path: str) -> LoginNotice | None:
    """The application to be shown; ``None`` where ``path`` is none of our consent pages."""
    found = _PAGE.fullmatch(path)
    if found is None:
        return None
    try:
        pending = await context.of(request).oauth.consents.find(found[1])
    except AuthorizationRefused:
        return None
    asked = pending.asked
    return LoginNotice(
        "consent/arrival.html",
        {
            "name": asked.app.name,
            "host": redirect.host(asked.redirect_uri),
            "scopes": scopes_in_words(asked.scopes),
        },
    )


async def enter(request: Request, found: LoggedIn, sealed: str) -> Response:
    """Continue on the page that was asked for, with a new session and a new visit."""
    await session.log_act(request, ActKind.LOGIN, found.user.id)
    answer = await entered(request, session.after(request, sealed), found.user.id)
    session.begin(request, answer, found.token)
    cookies.remember_device(request, answer, found.user.id)
    return answer


async def entered(request: Request, path: str, user_id: int) -> Response:
    """Continue after a login, perhaps on a page that named the application of ``path``."""
    found = _PAGE.fullmatch(path)
    onward = RedirectResponse(path, 303)
    if found is None:
        return onward
    consents = context.of(request).oauth.consents
    try:
        await consents.logged_in(found[1], user_id)
        decision = await consents.weigh(found[1], user_id, is_framed=False)
        app = (await consents.find(found[1], user_id)).asked.app
    except AuthorizationRefused:
        return onward
    return onward if decision is Decision.ASK else moving(request, path, app.name)


def moving(request: Request, url: str, title: str) -> Response:
    """Return a page that redirects by itself, and says where to."""
    answer = render.page(request, "login/leaving.html", url=url, title=title)
    answer.headers["refresh"] = f"0; url={url}"
    return answer
