"""A user's requests: what was asked for, by which key, and what it cost."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, render, session

PAGE: Final = 50


@session.signed_in
async def show(request: Request) -> Response:
    """Show the newest requests, or those before a given one; of one key, or only failures."""
    console = context.of(request)
    user = session.user_of(request)
    asked = request.query_params
    keys = await console.own_keys.all(user.id)
    key_id = next((key.id for key in keys if str(key.id) == asked.get("key")), None)
    failed = asked.get("failed") == "1"
    page = await console.history.page(
        user.id, asked.get("before"), PAGE, key_id=key_id, failed=failed
    )
    kept = ({"key": str(key_id)} if key_id else {}) | ({"failed": "1"} if failed else {})
    return render.page(
        request,
        "account/usage.html",
        requests=page.requests,
        keys=keys,
        key_names={key.id: key.name for key in keys},
        key_id=key_id,
        failed=failed,
        **render.paging("/account/usage", kept, "before", asked.get("before"), page.before),
        days=console.settings.records.retention_days,
    )


@session.signed_in
async def one(request: Request) -> Response:
    """Show one request with everything that its record holds."""
    return await page_of(request, session.user_of(request).id, "/account/usage", is_own=True)


async def page_of(request: Request, user_id: int, back: str, *, is_own: bool) -> Response:
    """The page of the request in the path. Raises HTTPException (404)."""
    console = context.of(request)
    found = await console.history.one(user_id, request.path_params["id"])
    if found is None:
        raise HTTPException(404)
    names = {key.id: key.name for key in await console.own_keys.all(user_id)}
    return render.page(
        request, "account/request.html", found=found, key_names=names, back=back, is_own=is_own
    )


PAGES: Final = (Route("/account/usage", show), Route("/account/usage/{id}", one))
