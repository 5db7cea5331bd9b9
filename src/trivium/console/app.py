"""All pages for people, and the endpoints beside them, as one application.

A part adds a module with ``PAGES`` (routes whose forms carry a token) or ``ENDPOINTS`` (routes for
programs, which authenticate by themselves) and its row in ``PARTS``. Imported at the first request
for such a path: a gateway that nobody visits does without templates and languages.
"""

from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from trivium.console import static
from trivium.console.account import (
    keys,
    models,
    overview,
    playground,
    profile,
    spending,
    statement,
    usage,
    videos,
)
from trivium.console.admin import (
    announcements,
    applications,
    channels,
    codes,
    directories,
    explain,
    gateway,
    invitations,
    invoices,
    ledger,
    logins,
    machine_tokens,
    payments,
    prices,
    requests,
    settings,
    start,
    user,
    user_data,
    user_terms,
    users,
)
from trivium.console.admin import keys as everybodys_keys
from trivium.console.admin import statement as spending_of_all
from trivium.console.admin import videos as everybodys_videos
from trivium.console.api import account, apps, authorize, token
from trivium.console.api.admin import access as api_access
from trivium.console.api.admin import acts as api_acts
from trivium.console.api.admin import announcements as api_announcements
from trivium.console.api.admin import apps as api_apps
from trivium.console.api.admin import catalogue as api_catalogue
from trivium.console.api.admin import codes as api_codes
from trivium.console.api.admin import credit as api_credit
from trivium.console.api.admin import entries as api_entries
from trivium.console.api.admin import erasure as api_erasure
from trivium.console.api.admin import health as api_health
from trivium.console.api.admin import invitations as api_invitations
from trivium.console.api.admin import invoices as api_invoices
from trivium.console.api.admin import keys as api_keys
from trivium.console.api.admin import payments as api_payments
from trivium.console.api.admin import prices as api_prices
from trivium.console.api.admin import requests as api_requests
from trivium.console.api.admin import scim_tokens, team_budgets, team_invitations, team_keys, teams
from trivium.console.api.admin import settings as api_settings
from trivium.console.api.admin import statement as api_statement
from trivium.console.api.admin import tokens as api_tokens
from trivium.console.api.admin import users as api_users
from trivium.console.api.admin import videos as api_videos
from trivium.console.api.scim import discovery as scim_discovery
from trivium.console.api.scim import groups as scim_groups
from trivium.console.api.scim import users as scim_users
from trivium.console.audit import acts
from trivium.console.catalogue import changes, channel, groups, questions, routing_rules
from trivium.console.catalogue import models as catalogue_models
from trivium.console.consent import authorized_apps, prompt
from trivium.console.context import Console
from trivium.console.developer import apps as own_apps
from trivium.console.developer import tokens as own_tokens
from trivium.console.forms import Guarded
from trivium.console.headers import StrictHeaders
from trivium.console.language import N_, LazyText
from trivium.console.login import code, login, passkey, password, signup, sso, team_invitation
from trivium.console.render import page
from trivium.console.security import mfa, passkeys
from trivium.console.security import overview as security
from trivium.console.teams import budgets as team_budget_pages
from trivium.console.teams import edit as team_edit
from trivium.console.teams import home as team_home
from trivium.console.teams import keys as team_key_pages
from trivium.console.teams import members as team_members
from trivium.console.topup import credit, redeem, topup
from trivium.faults import Fault, Kind
from trivium.storage.errors import StorageError
from trivium.wire import errors

PAGES: Final[tuple[BaseRoute, ...]] = sum(
    (
        part.PAGES
        for part in (
            *(login, code, passkey, sso, signup, password, team_invitation),
            *(overview, keys, models, playground, usage, videos, spending, statement, profile),
            *(channel, catalogue_models, groups, routing_rules, questions, changes),
            *(gateway, channels, requests, everybodys_videos, users, user_terms, everybodys_keys),
            *(user, user_data, logins, directories, spending_of_all, ledger, explain),
            *(invitations, machine_tokens, announcements, invoices),
            *(codes, payments, applications, settings, start, prices),
            *(security, mfa, passkeys),
            *(prompt, authorized_apps, own_apps, own_tokens),
            *(team_home, team_members, team_budget_pages, team_key_pages, team_edit),
            *(topup, redeem, credit, acts),
        )
    ),
    start=(),
)
ENDPOINTS: Final[tuple[BaseRoute, ...]] = (
    Route("/static/{name}", static.serve),
    Route("/favicon.ico", static.favicon),
    *playground.ENDPOINTS,
    *topup.ENDPOINTS,
    *apps.ENDPOINTS,
    *authorize.ENDPOINTS,
    *token.ENDPOINTS,
    *account.ENDPOINTS,
    *api_users.ENDPOINTS,
    *api_erasure.ENDPOINTS,
    *api_keys.ENDPOINTS,
    *teams.ENDPOINTS,
    *team_keys.ENDPOINTS,
    *team_budgets.ENDPOINTS,
    *scim_tokens.ENDPOINTS,
    *team_invitations.ENDPOINTS,
    *api_statement.ENDPOINTS,
    *api_access.ENDPOINTS,
    *api_invitations.ENDPOINTS,
    *api_announcements.ENDPOINTS,
    *api_apps.ENDPOINTS,
    *api_acts.ENDPOINTS,
    *api_requests.ENDPOINTS,
    *api_videos.ENDPOINTS,
    *api_health.ENDPOINTS,
    *api_settings.ENDPOINTS,
    *api_invoices.ENDPOINTS,
    *api_credit.ENDPOINTS,
    *api_catalogue.ENDPOINTS,
    *api_codes.ENDPOINTS,
    *api_entries.ENDPOINTS,
    *api_payments.ENDPOINTS,
    *api_prices.ENDPOINTS,
    *api_tokens.ENDPOINTS,
    *scim_users.ENDPOINTS,
    *scim_groups.ENDPOINTS,
    *scim_discovery.ENDPOINTS,
)


def build(console: Console) -> ASGIApp:
    """Return the application with all pages and endpoints over these services."""
    inner = Starlette(
        routes=[*ENDPOINTS, Mount("", routes=list(PAGES), middleware=[Middleware(Guarded)])],
        exception_handlers={
            HTTPException: _refused,
            StorageError: _without_database,
            Exception: _failed,
        },
    )
    return StrictHeaders(_With(inner, console), https=console.secure)


class _With:
    """Hands the services to every request."""

    def __init__(self, app: ASGIApp, console: Console) -> None:
        self._app = app
        self._console = console

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["console"] = self._console
        await self._app(scope, receive, send)


_TITLES: Final = {
    400: N_("This request could not be read"),
    403: N_("This is not for you"),
    404: N_("There is nothing here"),
    405: N_("This address works differently"),
    413: N_("This is too much at once"),
    415: N_("This form came in an unknown way"),
    500: N_("Something went wrong on our side"),
    503: N_("We will be back in a moment"),
}
_TEXTS: Final = {
    400: N_("The browser sent something that is not a form of this page."),
    403: N_("Your account may not open this page."),
    404: N_("The address may be mistyped, or the page has moved."),
    405: N_("The page is there, but not for this kind of request."),
    413: N_("The form holds more than this page takes."),
    415: N_("Only forms of these pages are understood."),
    500: N_("It has been noted. Trying again may help; if not, tell your operator the request id."),
    503: N_(
        "The database is away, or its disk is full. Nothing was changed; please try again soon."
    ),
}
_FORM: Final = N_(
    "This form was not sent from here, or it is too old. Go back, reload the page and try again."
)
_KINDS: Final = {
    403: Kind.NOT_PERMITTED,
    404: Kind.PATH_UNKNOWN,
    405: Kind.METHOD_NOT_ALLOWED,
    413: Kind.BODY_TOO_LARGE,
}


def _answer(request: Request, status: int, detail: str = "") -> Response:
    """Return an error: a page for people, our error body for programs."""
    if not _reads_html(request):
        kind = _KINDS.get(status, Kind.INVALID_VALUE if status < 500 else Kind.INTERNAL)
        text = _TEXTS.get(status, _TEXTS[400])
        if status == 404:
            text = f"There is nothing at {request.url.path[:200]}."
        fault = Fault(kind, text) if status < 500 else errors.internal()
        body = errors.body(fault, request.scope["state"]["request_id"])
        return Response(body, status, media_type="application/json")
    known = status if status in _TITLES else 400
    message = LazyText(_FORM if detail == "form" else _TEXTS[known])
    return page(
        request, "error.html", status=status, title=_TITLES[known], message=message, code=status
    )


def _reads_html(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


async def _refused(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException)
    answer = _answer(request, exc.status_code, exc.detail)
    for name, value in (exc.headers or {}).items():
        answer.headers[name] = value
    return answer


async def _without_database(request: Request, _: Exception) -> Response:
    return _answer(request, 503)


async def _failed(request: Request, _: Exception) -> Response:
    # whoever serves the exchange logs it
    return _answer(request, 500)
