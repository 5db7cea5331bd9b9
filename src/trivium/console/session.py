"""Who is looking at a page: the session cookie, and what pages ask for before they show anything.

Two cookies. ``__Host-gw_session`` holds the token of a session that the server knows by its hash.
``__Host-gw_visit`` holds a random value for whoever is not logged in, so that the login form has a
token of its own too. On plain http (a gateway on loopback, such as the demo) browsers refuse both
the prefix and ``Secure``; the names are then ``gw_session`` and ``gw_visit``.

Pages to come back to after a login are never written as an address into a query: ``/login?for=…``
carries a sealed path that opens in the same browser only.
"""

import functools
import secrets
from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from trivium.console import cookies
from trivium.console.context import Console
from trivium.console.language import LANGUAGES, speech_tag
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import Session, Visitor
from trivium.identity.model import User, UserRole
from trivium.identity.revocation import ActLog, LogAct
from trivium.observe.audit.model import ActKind

Handler = Callable[[Request], Awaitable[Response]]

SESSION: Final = "gw_session"
VISIT: Final = "gw_visit"
STEP: Final = "gw_step"
"""The cookie of a login that waits for its second factor."""
STEP_S: Final = 600
PLACE_CHARS_MAX: Final = 1024
"""A longer path is not remembered over a login."""
HOME: Final = "/account"


async def current(request: Request) -> Session | None:
    """Return the session of the request; ``None`` for a visitor. Looked up once a request."""
    state = request.state
    if not hasattr(state, "session"):
        known = token(request)
        state.session = await _console(request).accounts.sessions.find(known) if known else None
    found: Session | None = state.session
    return found


def user_of(request: Request) -> User:
    """The logged-in user of a page behind ``signed_in``."""
    session: Session = request.state.session
    return session.user


def _guarded(handler: Handler, check: Callable[[Request, Session], Response | None]) -> Handler:
    """Send visitors to log in; to users answer what ``check`` has, if it has anything."""

    @functools.wraps(handler)
    async def guarded(request: Request) -> Response:
        session = await current(request)
        if session is None:
            return to_login(request)
        if request.method == "GET":
            announcements = _console(request).announcements
            request.state.announcements = await announcements.shown_to(session.user.id)
        return check(request, session) or await handler(request)

    return guarded


def signed_in(handler: Handler) -> Handler:
    """Let only users see a page."""
    return _guarded(handler, lambda _request, _session: None)


def recent_at(back: str) -> Callable[[Handler], Handler]:
    """Let only users act who have just proved who they are; others do, and come ``back``."""

    def check(request: Request, session: Session) -> Response | None:
        if session.is_confirmed(_console(request).clock.now()):
            return None
        return _off(request, "/login/confirm", back)

    return lambda handler: _guarded(handler, check)


recent = recent_at("")


def admin(handler: Handler) -> Handler:
    """Let only administrators see a page: other users get a 403."""

    def check(_: Request, session: Session) -> None:
        if session.user.role is not UserRole.ADMIN:
            raise HTTPException(403)

    return _guarded(handler, check)


# --- who is there -----------------------------------------------------------------------------


def visitor(request: Request) -> Visitor:
    """Return the visitor of a request, for letters, counts and lists of sessions."""
    return Visitor(
        address=request.client.host if request.client else "",
        agent=request.headers.get("user-agent", ""),
        language=language_of(request).partition("-")[0],
        device=cookies.device_of(request),
    )


def language_of(request: Request) -> str:
    """The tag of the language to speak: of the account, else of the browser."""
    found: Session | None = getattr(request.state, "session", None)
    kept = found.user.language if found is not None else None
    return kept if kept in LANGUAGES else speech_tag(request.cookies, request.headers)


def is_loopback(request: Request) -> bool:
    """Whether the browser runs on this machine, with no proxy between."""
    try:
        return ip_address(request.client.host if request.client else "").is_loopback
    except ValueError:
        return False


def token(request: Request) -> str:
    """The session's token as the cookie has it; empty without one."""
    return cookies.read(request, SESSION)


async def of(request: Request) -> Session:
    """Return the session of a page that only users see."""
    found = await current(request)
    assert found is not None
    return found


def log_of(request: Request, actor: int | None) -> ActLog:
    """The audit log for what this actor does from the browser of the request."""
    who = visitor(request)
    return ActLog(_console(request).audit, actor, who.address, who.agent)


async def log_act(
    request: Request, kind: ActKind, user_id: int, what: str = "", **detail: str | int | bool | None
) -> None:
    """Log what a user did to an account of theirs."""
    await log_of(request, user_id).add(kind, user_id, what, detail or None)


async def tell_failed(request: Request, error: AccountError) -> None:
    """Tell that a login failed, if one was tried. What is refused unseen (too many tries, a step
    that is nobody's) would be a row for each request of whoever sends most.
    """
    if not error.retry_after_s and error.why is not AccountRefusal.TICKET_GONE:
        await log_of(request, None).add(ActKind.LOGIN_FAILED, None, error.why.value)


async def tell_of(
    request: Request,
    kind: ActKind,
    subject: int | None,
    what: str = "",
    **detail: str | int | bool | None,
) -> None:
    """Log what the logged-in user did to an account, which may be another's, or to none."""
    await log_of(request, user_of(request).id).add(kind, subject, what, detail or None)


def act_logger(request: Request) -> LogAct:
    """Return what logs acts of the logged-in user, in the transactions that do them."""
    return log_of(request, user_of(request).id).within


# --- coming back -----------------------------------------------------------------------------


def to_login(request: Request, back: str = "") -> Response:
    """Off to the login page, from where the visitor returns to this one, or to ``back``."""
    return _off(request, "/login", back)


def _off(request: Request, path: str, back: str = "") -> Response:
    answer = RedirectResponse(f"{path}?for={place(request, back or None)}", 303)
    send_visit(request, answer)
    return answer


def place(request: Request, path: str | None = None) -> str:
    """One of our pages as a sealed id: this one, or that of ``path``, which we wrote."""
    if path is None:
        query = request.url.query if request.method in ("GET", "HEAD") else ""
        path = request.url.path + (f"?{query}" if query else "")
    if len(path) > PLACE_CHARS_MAX:
        path = HOME
    return cookies.seal(_console(request).ring, "place", path, visit(request))


def after(request: Request, sealed: str, otherwise: str = HOME) -> str:
    """The path behind a sealed id; ``otherwise`` when it was not made for this browser."""
    return cookies.opened(_console(request).ring, "place", sealed, visit(request)) or otherwise


# --- cookies ---------------------------------------------------------------------------------


def visit(request: Request) -> str:
    """The browser's own random value; a new one is sent along with the answer."""
    known: str | None = getattr(request.state, "visit", None)
    if known is None:
        known = cookies.read(request, VISIT)
        if not 20 <= len(known) <= 64:
            known = request.state.visit_new = secrets.token_urlsafe(24)
        request.state.visit = known
    return known


def token_of(request: Request) -> str:
    """What the forms of this browser must carry: bound to the session, or to the visit."""
    console = _console(request)
    return cookies.mark(console.ring, "form", _bound_to(request))


def bears_token(request: Request, given: str) -> bool:
    """Whether a form came from a page that we gave to this browser."""
    console = _console(request)
    return cookies.bears(console.ring, "form", _bound_to(request), given)


def begin(request: Request, response: Response, token: str) -> None:
    """The visitor is logged in: a new session cookie, and a new visit."""
    renew(request, response, token)
    cookies.give(request, response, VISIT, secrets.token_urlsafe(24))
    request.state.visit_new = None


def renew(request: Request, response: Response, token: str) -> None:
    """The same session has another token from here on."""
    lifetime_s = _console(request).accounts.sessions.lifetime_s
    cookies.give(request, response, SESSION, token, lifetime_s)


def half_way(request: Request, token: str, sealed: str) -> Response:
    """The password was right and a second factor is asked for: off to that page."""
    answer = RedirectResponse(f"/login/code?for={sealed}", 303)
    cookies.give(request, answer, STEP, token, STEP_S)
    send_visit(request, answer)
    return answer


def end(request: Request, response: Response) -> None:
    """Delete the cookies of the session, of the visit and of a login under way."""
    for name in (SESSION, VISIT, STEP):
        cookies.forget(request, response, name)
    request.state.visit_new = None


def send_visit(request: Request, response: Response) -> None:
    """Give a first-time visitor their value."""
    if getattr(request.state, "visit_new", None):
        cookies.give(request, response, VISIT, request.state.visit_new)


def _bound_to(request: Request) -> str:
    """The session's token where there is a session, else the visit."""
    if getattr(request.state, "session", None) is not None:
        return token(request)
    return visit(request)


def _console(request: Request) -> Console:
    found: Console = request.scope["console"]
    return found
