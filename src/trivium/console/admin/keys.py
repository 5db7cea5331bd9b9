"""Everybody's keys: found by whose they are and for which team; and one made for somebody.

What follows (editing, rotating, pausing, revoking) is on the page of whoever has the key
(``user.py``), by ``account/key_edit.py``.
"""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.account import key_edit, key_terms
from trivium.console.account.keys import NewKeyForm, make
from trivium.console.forms import row
from trivium.console.language import N_, text
from trivium.console.teams.access import number
from trivium.identity.errors import IdentityError
from trivium.identity.model import User, UserKind
from trivium.identity.teams.model import SPENDING
from trivium.observe.audit.model import ActKind

AT: Final = "/admin/keys"
PAGE: Final = 50
TEXT_MAX: Final = 254
_WRONG: Final = {
    "user": N_("Nobody has this name, address or number."),
    "team": N_("There is no team of this name."),
    "key": N_("No key has this name, hint or number, or more than one has."),
}


@session.admin
async def show(request: Request) -> Response:
    """Show all keys in the order they were made, those of somebody or for a team, or one."""
    console, query = context.of(request), request.query_params
    given = {name: query.get(name, "").strip()[:TEXT_MAX] for name in _WRONG}
    kept = {name: value for name, value in given.items() if value}
    form, after = forms.empty(forms.Form, **kept), number(request, "after")
    user_id = team_id = None
    found = []
    try:
        if given["user"]:
            user_id = (await console.identity.find_user(given["user"])).id
        if given["team"]:
            team_id = (await console.teams.find(given["team"])).id
        if given["key"]:
            found = [await console.identity.find_key(given["key"])]
        else:
            found = await console.directory.keys(after, PAGE + 1, user_id=user_id, team_id=team_id)
    except IdentityError as error:
        form.fail(error.field, text(_WRONG.get(error.field, _WRONG["user"])))
    shown = found[:PAGE]
    more = shown[-1].id if len(found) > PAGE else None
    whose = [each.user_id for each in shown] + [each.team_id for each in shown if each.team_id]
    return render.page(
        request,
        "admin/keys.html",
        form=form,
        keys=shown,
        names=await console.team_lists.names(whose),
        at=AT,
        clock=console.clock.now(),
        **render.paging(AT, kept, "after", after, more),
    )


@session.admin
async def show_new(request: Request) -> Response:
    """Show the form for a key of somebody's."""
    return await _form(request, await _owner(request), forms.empty(NewKeyForm))


@session.admin
@session.recent_at("/admin/users")
async def create(request: Request) -> Response:
    """Make a key for somebody, and show it this once."""
    owner = await _owner(request)
    form = forms.filled(request, NewKeyForm)
    wanted = form.first("team")
    team = dict(await _teams(request, owner)).get(wanted)
    if wanted and team is None:
        form.fail("team", text(_WRONG["team"]))
    try:
        await context.of(request).own_keys.check_room(owner.id)
        made = await make(request, form, owner.name, team)
    except IdentityError as error:
        key_terms.refuse(form, error)
        made = None
    if made is None:
        return await _form(request, owner, form, 422)
    key, secret = made
    await session.tell_of(request, ActKind.KEY_CREATED, owner.id, f"key:{key.id}", name=key.name)
    return key_edit.show_secret(request, key, secret, f"/admin/users/{owner.id}")


async def _owner(request: Request) -> User:
    """The person or service account of the path. Raises HTTPException (404)."""
    try:
        user = await context.of(request).directory.one(request.path_params["user"])
    except IdentityError:
        raise HTTPException(404) from None
    if user.kind not in (UserKind.PERSON, UserKind.SERVICE):
        raise HTTPException(404)
    return user


async def _teams(request: Request, owner: User) -> list[tuple[str, str]]:
    """For which teams somebody may have keys: ids with names. A service account has no choice."""
    if owner.kind is UserKind.SERVICE:
        return []
    mine = await context.of(request).team_lists.mine(owner.id)
    return [(str(each.team.id), each.team.name) for each in mine if each.role in SPENDING]


async def _form(
    request: Request, owner: User, form: forms.Filled[NewKeyForm], status: int = 200
) -> Response:
    return render.page(
        request,
        "account/key_new.html",
        status=status,
        form=form,
        action=f"/admin/users/{owner.id}/keys/new",
        back=f"/admin/users/{owner.id}",
        teams=await _teams(request, owner),
        owner=owner.name,
    )


_NEW: Final = f"/admin/users/{row('user')}/keys/new"
PAGES: Final = (
    Route(AT, show),
    Route(_NEW, show_new),
    Route(_NEW, create, methods=["POST"]),
)
