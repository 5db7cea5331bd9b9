"""Tokens of directories (SCIM): made for an organisation, shown once, revoked."""

from typing import Annotated, Final, Literal

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.account.key_terms import Lines
from trivium.console.forms import row
from trivium.console.language import N_, LazyText
from trivium.identity.errors import IdentityError

AT: Final = "/admin/directories"
PAGE: Final = 50
_WRONG: Final = {
    "team": N_("There is no team of this name."),
    "name": N_("Please use 1 to 100 printable characters."),
    "domains": N_("One of these is no domain, such as example.com, or there are too many."),
    "tokens": N_("There are as many tokens of this team as can be good. Revoke one first."),
}


class DirectoryTokenForm(forms.Form, frozen=True, kw_only=True):
    """Below which team a directory provisions, whose addresses it vouches for, and until when."""

    team: forms.Line
    name: Annotated[str, msgspec.Meta(max_length=100)] = "default"
    domains: Lines = ""
    days: Literal["30", "90", "365", "1098"] = "365"


@session.admin
async def show(request: Request) -> Response:
    """Show the tokens, newest first, ended ones too."""
    team = request.query_params.get("team", "")[:200]
    return await _page(request, forms.empty(DirectoryTokenForm, team=team, days="365"))


@session.admin
@session.recent_at(AT)
async def create(request: Request) -> Response:
    """Make a token, and show it this once."""
    form = forms.filled(request, DirectoryTokenForm)
    wanted = form.value
    if wanted is None:
        return await _page(request, form, 422)
    console = context.of(request)
    try:
        team = await console.teams.find(wanted.team)
        token, secret = await console.scim.tokens.create(
            team.id,
            wanted.name or "default",
            wanted.domains.replace(",", " ").split(),
            int(wanted.days),
            session.act_logger(request),
        )
    except IdentityError as error:
        form.fail(error.field if error.field in ("team", "name", "domains") else "", _said(error))
        return await _page(request, form, 422)
    return render.page(
        request,
        "admin/token_made.html",
        token=token,
        secret=secret,
        former_until=None,
        api="",
        base=f"{console.origin}/scim/v2",
        at=AT,
    )


@session.admin
@session.recent_at(AT)
async def revoke(request: Request) -> Response:
    """Refuse a token from now on; what it has provisioned stays. Raises HTTPException (404)."""
    try:
        token = await context.of(request).scim.tokens.revoke(
            request.path_params["directory"], log_act=session.act_logger(request)
        )
    except IdentityError:
        raise HTTPException(404) from None
    said = N_("The token “%(name)s” is revoked. What it has provisioned stays.")
    return render.redirect(request, AT, said, name=token.name)


def _said(error: IdentityError) -> LazyText:
    return LazyText(_WRONG.get(error.field, N_("This is not written as it should be.")))


async def _page(
    request: Request, form: forms.Filled[DirectoryTokenForm], status: int = 200
) -> Response:
    console = context.of(request)
    given = request.query_params.get("before", "")
    before = int(given) if given.isdecimal() and len(given) <= forms.DIGITS_MAX else None
    found = await console.scim.tokens.newest(before, PAGE + 1)
    rows = found[:PAGE]
    return render.page(
        request,
        "admin/directories.html",
        status=status,
        form=form,
        rows=[(each, each.state(console.clock.now())) for each in rows],
        teams=await console.team_lists.names(each.directory_id for each in rows),
        at=AT,
        **render.paging(AT, {}, "before", before, rows[-1].id if len(found) > PAGE else None),
    )


PAGES: Final = (
    Route(AT, show),
    Route(AT, create, methods=["POST"]),
    Route(f"{AT}/{row('directory')}/revoke", revoke, methods=["POST"]),
)
