"""Tokens for machines that call the admin API: made, rotated and revoked; and the workloads that
the settings let in without one.
"""

from typing import Final, Literal

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.forms import row
from trivium.console.language import N_, LazyText
from trivium.oauth.admin.model import AdminToken
from trivium.oauth.errors import RegistrationError
from trivium.settings.workloads import AdminScope

AT: Final = "/admin/tokens"
PAGE: Final = 50
SCOPES: Final = {
    AdminScope.READ: N_("read: look at everything"),
    AdminScope.CATALOGUE: N_("catalogue: change channels, models and prices"),
    AdminScope.MONEY: N_("money: book credit, set budgets"),
    AdminScope.USERS: N_("users: make and change users, keys and teams"),
}
_WRONG: Final = {
    "name": N_("Please use 1 to 64 printable characters."),
    "scopes": N_("Please choose what it may do."),
    "user": N_("Only administrators have such tokens."),
    "limit": N_("There are as many tokens as can be good at once. Revoke one first."),
    "rate": N_("Too many tokens were made in the last hour. Please try again later."),
    "state": N_("This token has ended: make another."),
}


class MachineTokenForm(forms.Form, frozen=True, kw_only=True):
    """What a token is called, what it may do, whose it is, and how long it lives."""

    name: forms.Line
    scope: tuple[Literal["read", "catalogue", "money", "users"], ...] = ()
    days: Literal["7", "30", "90", "365"] = "90"
    own: bool = False
    """Whether it ends with the administrator who makes it."""


class TokenRotationForm(forms.Form, frozen=True, kw_only=True):
    """For how long the secret before works as well, in seconds."""

    overlap: Literal["0", "3600", "86400", "604800"] = "86400"


@session.admin
async def show(request: Request) -> Response:
    """Show the tokens, newest first, ended ones too, and who comes without one."""
    return await _page(request, forms.empty(MachineTokenForm, days="90", scope="read"))


@session.admin
@session.recent_at(AT)
async def create(request: Request) -> Response:
    """Make a token, and show its secret this once."""
    form = forms.filled(request, MachineTokenForm)
    wanted = form.value
    if wanted is None:
        return await _page(request, form, 422)
    admin = session.user_of(request).id
    try:
        token, secret = await context.of(request).oauth.machines.create(
            wanted.name,
            frozenset(AdminScope(each) for each in wanted.scope),
            session.log_of(request, admin),
            days=int(wanted.days),
            user_id=admin if wanted.own else None,
        )
    except RegistrationError as error:
        form.fail(error.field if error.field in ("name", "scopes") else "", _said(error))
        return await _page(request, form, 422)
    return _made(request, token, secret)


@session.admin
@session.recent_at(AT)
async def rotate(request: Request) -> Response:
    """Give a token another secret, and show it this once."""
    form = forms.filled(request, TokenRotationForm).value or TokenRotationForm()
    log = session.log_of(request, session.user_of(request).id)
    try:
        token, secret = await context.of(request).oauth.machines.rotate(
            request.path_params["machine"], log, overlap_s=int(form.overlap)
        )
    except RegistrationError as error:
        return _refused(request, error)
    return _made(request, token, secret)


@session.admin
@session.recent_at(AT)
async def revoke(request: Request) -> Response:
    """Refuse a token, and those it made, from now on."""
    log = session.log_of(request, session.user_of(request).id)
    try:
        token = await context.of(request).oauth.machines.revoke(request.path_params["machine"], log)
    except RegistrationError as error:
        return _refused(request, error)
    said = N_("The token “%(name)s” and those it made are revoked.")
    return render.redirect(request, AT, said, name=token.name)


def _refused(request: Request, error: RegistrationError) -> Response:
    """Say why not, or raise HTTPException (404) where there is no such token."""
    if error.field == "token":
        raise HTTPException(404)
    return render.redirect(request, AT, _said(error).message, tone="bad")


def _said(error: RegistrationError) -> LazyText:
    return LazyText(_WRONG.get(error.field, N_("This is not written as it should be.")))


def _made(request: Request, token: AdminToken, secret: str) -> Response:
    return render.page(
        request,
        "admin/token_made.html",
        token=token,
        secret=secret,
        former_until=token.former_until,
        api=f"{context.of(request).origin}/api/admin/users",
        base="",
        at=AT,
    )


async def _page(
    request: Request, form: forms.Filled[MachineTokenForm], status: int = 200
) -> Response:
    console = context.of(request)
    given = request.query_params.get("before", "")
    before = int(given) if given.isdecimal() and len(given) <= forms.DIGITS_MAX else None
    found = await console.oauth.machines.newest(before, PAGE + 1)
    rows = found[:PAGE]
    owners, _ = await console.requests.names([each.user_id for each in rows if each.user_id], ())
    return render.page(
        request,
        "admin/tokens.html",
        status=status,
        form=form,
        rows=[(each, each.state(console.clock.now())) for each in rows],
        owners=owners,
        scopes=SCOPES,
        order=list(AdminScope),
        workloads=console.settings.workloads,
        at=AT,
        **render.paging(AT, {}, "before", before, rows[-1].id if len(found) > PAGE else None),
    )


_TOKEN: Final = f"{AT}/{row('machine')}"
PAGES: Final = (
    Route(AT, show),
    Route(AT, create, methods=["POST"]),
    Route(f"{_TOKEN}/rotate", rotate, methods=["POST"]),
    Route(f"{_TOKEN}/revoke", revoke, methods=["POST"]),
)
