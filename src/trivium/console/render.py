"""From a template to an answer: the one way a page is made.

``page(request, "account/keys.html", keys=keys)`` adds what every template may use: the user, the
language with its formats, the form token, the navigation. A name that a template uses and nobody
gave is an error, not a blank.
"""

import functools
import html
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlencode

import jinja2
import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from trivium.console import context, cookies, headers, language, session, static
from trivium.console.language import LANGUAGES, N_, LazyText, PageLanguage
from trivium.identity.model import User, UserRole
from trivium.ledger.amounts import format_usd


class Link(msgspec.Struct, frozen=True):
    """One entry of the navigation, which leads to a page."""

    path: str
    label: str
    icon: str
    """A symbol of ``templates/icons.html``."""


class MenuSection(msgspec.Struct, frozen=True):
    """Pages under one heading."""

    heading: str
    links: tuple[Link, ...]
    role: UserRole = UserRole.USER
    """Who sees it; administrators see everything."""


SECTIONS: Final = (
    MenuSection(
        "",
        (
            Link("/account", N_("Overview"), "home"),
            Link("/account/keys", N_("Keys"), "key"),
            Link("/account/models", N_("Models"), "layers"),
            Link("/account/playground", N_("Playground"), "spark"),
            Link("/account/usage", N_("Requests"), "activity"),
            Link("/account/videos", N_("Videos"), "video"),
            Link("/account/spending", N_("Usage"), "chart"),
            Link("/account/statement", N_("Statement"), "receipt"),
            Link("/account/teams", N_("Teams"), "users"),
            Link("/topup", N_("Top up"), "wallet"),
        ),
    ),
    MenuSection(
        N_("Settings"),
        (
            Link("/account/profile", N_("Profile"), "user"),
            Link("/account/security", N_("Security"), "shield"),
            Link("/account/applications", N_("Authorized applications"), "apps"),
            Link("/account/developer", N_("Developer"), "code"),
            Link("/account/log", N_("Security log"), "history"),
        ),
    ),
    MenuSection(
        N_("Administration"),
        (
            Link("/admin", N_("Gateway"), "screen"),
            Link("/admin/channels", N_("Channels"), "apps"),
            Link("/admin/models", N_("Models"), "layers"),
            Link("/admin/prices", N_("Prices"), "receipt"),
            Link("/admin/explain", N_("Explain"), "code"),
            Link("/admin/requests", N_("All requests"), "activity"),
            Link("/admin/videos", N_("All videos"), "video"),
            Link("/admin/users", N_("Users"), "users"),
            Link("/admin/keys", N_("All keys"), "key"),
            Link("/admin/teams", N_("Teams"), "users"),
            Link("/admin/directories", N_("Directories"), "users"),
            Link("/admin/budgets", N_("Budgets"), "wallet"),
            Link("/admin/invitations", N_("Invitations"), "mail"),
            Link("/admin/statement", N_("Spending"), "chart"),
            Link("/admin/credit", N_("Credit"), "plus"),
            Link("/admin/codes", N_("Codes"), "wallet"),
            Link("/admin/payments", N_("Payments"), "receipt"),
            Link("/admin/invoices", N_("Invoices"), "receipt"),
            Link("/admin/ledger", N_("Ledger"), "receipt"),
            Link("/admin/applications", N_("Applications"), "apps"),
            Link("/admin/tokens", N_("Tokens for machines"), "key"),
            Link("/admin/announcements", N_("Announcements"), "mail"),
            Link("/admin/settings", N_("Settings"), "code"),
            Link("/admin/log", N_("Audit log"), "shield"),
        ),
        UserRole.ADMIN,
    ),
)


def sections(user: User | None) -> tuple[MenuSection, ...]:
    """Return the parts of the navigation that this user may see."""
    if user is None:
        return ()
    return tuple(s for s in SECTIONS if s.role is UserRole.USER or user.role is UserRole.ADMIN)


FOLDER: Final = Path(__file__).parent / "templates"
THEME: Final = "gw_theme"
THEMES: Final = ("light", "dark")
NOTICE: Final = "gw_notice"

Tone = Literal["good", "info", "warn", "bad"]


class Notice(msgspec.Struct, frozen=True):
    """Said once, at the top of the page that follows a form."""

    message: str
    tone: Tone = "good"
    values: Mapping[str, str] = {}


_read_notice = msgspec.json.Decoder(Notice).decode


def page(
    request: Request,
    template: str,
    *,
    status: int = 200,
    form_origins: Sequence[str] = (),
    **values: Any,
) -> Response:
    """Render a template as a page. ``form_origins``: where its form may lead besides to us."""
    found = session_user(request)
    speaking = speech_of(request)
    given = {
        "user": found,
        "csrf": session.token_of(request),
        "path": request.url.path,
        "place": functools.partial(session.place, request),
        "theme": theme_of(request),
        "announcements": getattr(request.state, "announcements", ()),
        "notice": _notice(request, speaking),
        "request_id": request.scope["state"]["request_id"],
        "sections": sections(found),
        "now": context.of(request).clock.now(),
    }
    body = environment(speaking.language.tag).get_template(template).render(given | values)
    response = Response(body, status, media_type="text/html")
    response.headers["content-security-policy"] = headers.policy(form_origins)
    response.headers["content-language"] = speaking.language.tag
    response.headers["vary"] = "cookie, accept-language"
    session.send_visit(request, response)
    if cookies.read(request, NOTICE):
        cookies.forget(request, response, NOTICE)
    return response


def paging(
    path: str, kept: Mapping[str, str], name: str, given: object, more: object
) -> dict[str, Any]:
    """Addresses of the first page of a list and of the next one, empty where there is none.

    ``kept``: what the query says besides; ``name``: of the parameter, ``given`` and ``more``: its
    value on this page and on the next.
    """

    def address(query: Mapping[str, str]) -> str:
        return f"{path}?{urlencode(query)}" if query else path

    return {
        "first": address(kept) if given else "",
        "more": address({**kept, name: str(more)}) if more else "",
    }


def redirect(
    request: Request, path: str, notice: str = "", *, tone: Tone = "good", **values: str
) -> Response:
    """Off to another page of ours after a form (303). ``notice``: a message marked with ``N_``."""
    response = RedirectResponse(path, 303)
    if notice:
        told = msgspec.json.encode(Notice(notice, tone, values)).decode()
        sealed = cookies.seal(context.of(request).ring, "notice", told)
        cookies.give(request, response, NOTICE, sealed, 60)
    session.send_visit(request, response)
    return response


def session_user(request: Request) -> User | None:
    """The user the page is for, if the session was looked at."""
    found = getattr(request.state, "session", None)
    return None if found is None else found.user


def speech_of(request: Request) -> PageLanguage:
    """The language of this request."""
    return language.speech(session.language_of(request))


def theme_of(request: Request) -> str:
    """``light`` or ``dark`` as the account or this browser has it; empty: as the system does."""
    found = session_user(request)
    chosen = (found.theme if found is not None else None) or request.cookies.get(THEME, "")
    return chosen if chosen in THEMES else ""


@functools.cache
def environment(tag: str) -> jinja2.Environment:
    """Templates in one language."""
    speaking = language.speech(tag)
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    # the extension brings this method
    made.install_gettext_translations(speaking.translations, newstyle=True)  # type: ignore[attr-defined]
    made.filters |= {
        "money": speaking.money,
        "dollars": format_usd,
        "number": speaking.number,
        "compact": speaking.compact,
        "day": speaking.day,
        "time": speaking.time,
        "short_day": speaking.short_day,
        "duration": speaking.duration,
        "clock": speaking.clock,
        "percent": speaking.percent,
        "million": speaking.million,
        "price": speaking.price,
        "shell": shlex.quote,
        "exact": speaking.exact,
        "say": speaking.say,
        "labelled": labelled,
        "iso": language.iso,
    }
    made.globals |= {
        "static": static.address,
        "ago": speaking.ago,
        "lang": tag,
        "languages": tuple(LANGUAGES.values()),
    }
    return made


_CELL: Final = re.compile(r"<(tr|td|th)\b")


def labelled(rows: str, columns: Sequence[str | tuple[str, str]]) -> str:
    """Rows of a table, each of whose cells carries the label of its column as ``data-label``:
    still what a template made.
    """
    labels = [each if isinstance(each, str) else each[0] for each in columns]
    at = -1

    def cell(found: re.Match[str]) -> str:
        nonlocal at
        if found[1] == "tr":
            at = -1
            return found[0]
        at += 1
        return (
            f'{found[0]} data-label="{html.escape(labels[at])}"' if at < len(labels) else found[0]
        )

    return _CELL.sub(cell, rows)


def _notice(request: Request, speaking: PageLanguage) -> dict[str, str] | None:
    sealed = cookies.read(request, NOTICE)
    told = cookies.opened(context.of(request).ring, "notice", sealed) if sealed else None
    if told is None:
        return None
    notice = _read_notice(told)
    return {"tone": notice.tone, "text": speaking.say(LazyText(notice.message, notice.values))}


__all__ = ["N_", "Notice", "environment", "page", "redirect", "speech_of", "theme_of"]
