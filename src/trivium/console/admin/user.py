"""One user as administrators see them: account, keys, last requests."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.console.account import key_edit, usage
from trivium.console.forms import row
from trivium.console.language import LazyText
from trivium.identity.errors import IdentityError
from trivium.identity.model import User

REQUESTS: Final = 20
"""On one page."""


@session.admin
async def show(request: Request) -> Response:
    """Show the user's page; ``?before=`` continues with earlier requests."""
    return await _page(request, await _user(request))


@session.admin
async def one_request(request: Request) -> Response:
    """Show one request of the user with everything that its record holds."""
    user = await _user(request)
    return await usage.page_of(request, user.id, _path(user), is_own=False)


async def _page(
    request: Request, user: User, status: int = 200, wrong: LazyText | None = None
) -> Response:
    console = context.of(request)
    before = request.query_params.get("before")
    keys = await console.own_keys.all(user.id)
    own = [key for key in reversed(keys) if key.grant_id is None]
    page = await console.history.page(user.id, before, REQUESTS)
    logins = await console.accounts.sessions.of_user(user.id)
    path = _path(user)
    return render.page(
        request,
        "admin/person.html",
        status=status,
        wrong=wrong,
        one=user,
        at=path,
        balance=await console.entries.balance(user.id),
        seen_at=logins[0].seen_at if logins else None,
        logins=len(logins),
        has_factor=(await console.accounts.factor.state(user.id)).since is not None,
        keys=[key for key in own if not key.disabled],
        revoked=[key for key in own if key.disabled],
        granted=sum(key.grant_id is not None and not key.disabled for key in keys),
        key_names={key.id: key.name for key in keys},
        requests=page.requests,
        **render.paging(path, {}, "before", before, page.before),
        clock=console.clock.now(),
    )


async def _user(request: Request) -> User:
    try:
        return await context.of(request).directory.one(request.path_params["user"])
    except IdentityError:
        raise HTTPException(404) from None


async def _desk(request: Request) -> key_edit.KeyPages:
    user = await _user(request)

    async def refused(request: Request, wrong: LazyText) -> Response:
        return await _page(request, user, 422, wrong)

    return key_edit.KeyPages(user.id, f"{_path(user)}/keys", _path(user), refused)


def _path(user: User) -> str:
    return f"/admin/users/{user.id}"


def _seeing(handler: session.Handler) -> session.Handler:
    return session.admin(session.recent(handler))


def _acting(handler: session.Handler) -> session.Handler:
    return session.admin(session.recent_at("/admin/users")(handler))


PAGES: Final = (
    Route(f"/admin/users/{row('user')}", show),
    Route(f"/admin/users/{row('user')}/requests/{{id}}", one_request),
    *key_edit.routes(f"/admin/users/{row('user')}/keys", _seeing, _acting, _desk),
)
