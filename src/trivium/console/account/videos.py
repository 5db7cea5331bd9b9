"""A user's videos: where each is on its way, what it cost, and until when it is there."""

from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.console.language import N_
from trivium.jobs.listing.model import VideoFilter
from trivium.wire.videos.answer import VideoStatus

PATH: Final = "/account/videos"
PAGE: Final = 50
STATES: Final[Mapping[VideoStatus, str]] = {
    VideoStatus.QUEUED: N_("queued"),
    VideoStatus.IN_PROGRESS: N_("being made"),
    VideoStatus.COMPLETED: N_("made"),
    VideoStatus.FAILED: N_("failed"),
}


@session.signed_in
async def show(request: Request) -> Response:
    """Show the newest videos, or those before a given one; of one key, in one state."""
    console = context.of(request)
    user = session.user_of(request)
    asked = request.query_params
    keys = await console.own_keys.all(user.id)
    key_id = next((key.id for key in keys if str(key.id) == asked.get("key")), None)
    state = state_of(asked.get("state"))
    before = asked.get("before")
    wanted = VideoFilter(user_id=user.id, key_id=key_id, status=state)
    found = await console.videos.page(wanted, before, PAGE)
    kept = ({"key": str(key_id)} if key_id else {}) | ({"state": state.value} if state else {})
    return render.page(
        request,
        "account/videos.html",
        found=found,
        keys=keys,
        key_names={key.id: key.name for key in keys},
        key_id=key_id,
        state=state,
        states=STATES,
        days=console.settings.jobs.retention_days,
        requests_at="/account/usage",
        **render.paging(PATH, kept, "before", before, found.before),
    )


def state_of(typed: str | None) -> VideoStatus | None:
    """The state of that name; ``None``: any."""
    return next((each for each in STATES if each.value == typed), None)


PAGES: Final = (Route(PATH, show),)
