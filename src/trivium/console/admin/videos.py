"""Everybody's videos, found by what an administrator knows of them. Their prompts are not shown."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.console.account.videos import PAGE, STATES, state_of
from trivium.console.admin.requests import (
    NO_MOMENT,
    NOBODY,
    TEXT_MAX,
    key_number,
    moment_ms,
    user_number,
)
from trivium.console.language import LazyText, text
from trivium.identity.errors import IdentityError
from trivium.jobs.listing.model import VideoFilter

PATH: Final = "/admin/videos"
FIELDS: Final = ("user", "key", "model", "channel", "state", "from", "to")


@session.admin
async def show(request: Request) -> Response:
    """Show the newest videos that fit, or those before a given one."""
    console = context.of(request)
    asked = request.query_params
    given = {name: asked.get(name, "").strip()[:TEXT_MAX] for name in FIELDS}
    given = {name: value for name, value in given.items() if value}
    wanted, errors = await _searched(request, given)
    before = asked.get("before")
    found = None
    users: Mapping[int, str] = {}
    keys: Mapping[int, str] = {}
    if not errors:
        found = await console.videos.page(wanted, before, PAGE)
        users, keys = await console.requests.names(
            (each.user_id for each in found.videos), (each.key_id for each in found.videos)
        )
    return render.page(
        request,
        "admin/videos.html",
        status=422 if errors else 200,
        given=given,
        errors=errors,
        found=found,
        user_names=users,
        key_names=keys,
        states=STATES,
        models=[model.name for model in console.models()],
        channels=[channel.name for channel in console.gateway.channels()],
        days=console.settings.jobs.retention_days,
        requests_at="/admin/requests",
        query=urlencode(given),
        **render.paging(PATH, given, "before", before, found and found.before),
    )


async def _searched(
    request: Request, given: Mapping[str, str]
) -> tuple[VideoFilter, dict[str, LazyText]]:
    """What the fields mean. Whatever cannot be meant is an error beside its field."""
    errors: dict[str, LazyText] = {}
    values: dict[str, Any] = {
        "model": given.get("model", ""),
        "channel": given.get("channel", ""),
        "status": state_of(given.get("state")),
    }
    for name, find in (("user", user_number), ("key", key_number)):
        if name in given:
            try:
                values[f"{name}_id"] = await find(request, given[name])
            except IdentityError:
                errors[name] = text(NOBODY[name])
    for name, member in (("from", "since"), ("to", "until")):
        at = moment_ms(given[name]) if name in given else None
        if name in given and at is None:
            errors[name] = text(NO_MOMENT)
        # seconds that began before the moment are not after it
        values[member] = None if at is None else -(-at // 1000)
    return VideoFilter() if errors else VideoFilter(**values), errors


PAGES: Final = (Route(PATH, show),)
