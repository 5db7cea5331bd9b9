"""``/api/admin/videos``: anybody's videos, where each is on its way and what it cost. Prompts are
their owners' to read.
"""

from typing import Any, Final

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiMethod, resource
from trivium.console.api.answer import ApiError
from trivium.jobs.listing.model import ListedVideo, VideoFilter
from trivium.jobs.listing.service import place_of
from trivium.ledger.amounts import format_usd
from trivium.wire.videos.answer import VideoStatus


async def listing(asked: AdminRequest) -> Any:
    """Videos, newest first. A page that holds few leads on while ``before`` says where."""
    page = await asked.console.videos.page(_wanted(asked), _before(asked), paging.limit(asked))
    return {"videos": [_shown(one) for one in page.videos], "before": page.before}


async def show(asked: AdminRequest) -> Any:
    """Answer with the video of the path."""
    found = await asked.console.videos.one(asked.request.path_params["video"])
    if found is None:
        raise ApiError(404, "there is no video of this id, or it is forgotten")
    return _shown(found)


def _wanted(asked: AdminRequest) -> VideoFilter:
    since, until = paging.moment(asked, "from"), paging.moment(asked, "to")
    if since is not None and until is not None and since >= until:
        raise ApiError(400, "to: must be after `from`")
    return VideoFilter(
        user_id=paging.number(asked, "user", "the id of a user"),
        key_id=paging.number(asked, "key", "the id of a key"),
        model=paging.text(asked, "model") or "",
        channel=paging.text(asked, "channel") or "",
        status=paging.word(asked, "status", VideoStatus),
        since=since,
        until=until,
    )


def _before(asked: AdminRequest) -> str | None:
    given = paging.text(asked, "before")
    if given is not None and place_of(given) is None:
        raise ApiError(400, "before: must be `before` of the page before")
    return given


def _shown(one: ListedVideo) -> dict[str, Any]:
    failed = {"code": one.error_code, "message": one.error_message}
    return {
        "id": one.id,
        "user_id": one.user_id,
        "key_id": one.key_id,
        "request_id": one.request_id,
        "has_record": one.has_record,
        "model": one.model,
        "channel": one.channel,
        "upstream_model": one.upstream_model,
        "size": one.size,
        "seconds": one.seconds,
        "status": one.status.value,
        "progress": one.progress,
        "error": failed if one.error_code else None,
        "remixed_from": one.remixed_from,
        "created_at": one.created_at,
        "completed_at": one.completed_at,
        "expires_at": one.expires_at,
        "is_kept": one.is_kept,
        "cost": None if one.cost_nanos is None else format_usd(one.cost_nanos),
        "held": None if one.held_nanos is None else format_usd(one.held_nanos),
        "entry_id": one.entry_id,
    }


_QUERY: Final = frozenset(
    {"from", "to", "user", "key", "model", "channel", "status", "limit", "before"}
)
ENDPOINTS: Final = (
    resource("/api/admin/videos", GET=ApiMethod(listing, query=_QUERY)),
    resource("/api/admin/videos/{video}", GET=ApiMethod(show)),
)
