"""A user's requests: what was asked for, by which key, and what it cost."""

from typing import Final
from urllib.parse import urlencode

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
        first=_path(kept) if asked.get("before") else "",
        more=_path(kept | {"before": page.before}) if page.before else "",
        days=console.settings.records.retention_days,
    )


@session.signed_in
async def one(request: Request) -> Response:
    """Show one request with everything that its record holds."""
    console = context.of(request)
    user = session.user_of(request)
    found = await console.history.one(user.id, request.path_params["id"])
    if found is None:
        raise HTTPException(404)
    keys = await console.own_keys.all(user.id)
    names = {key.id: key.name for key in keys}
    return render.page(
        request,
        "account/request.html",
        found=found,
        key_names=names,
        back="/account/usage",
        is_own=True,
    )


def _path(query: dict[str, str]) -> str:
    return "/account/usage" + (f"?{urlencode(query)}" if query else "")


PAGES: Final = (
    Route("/account/usage", show),
    Route("/account/usage/{id}", one),
)
