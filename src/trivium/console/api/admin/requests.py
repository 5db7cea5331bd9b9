"""``/api/admin/requests``: anybody's requests, found and explained. They hold no prompts and no
answers.
"""

from typing import Any, Final

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiMethod, resource
from trivium.console.api.answer import ApiError
from trivium.ledger.amounts import format_usd
from trivium.observe.history.search.model import RequestFilter
from trivium.observe.history.service import RequestEntry

STATUS: Final = (100, 599)
SERVED: Final = (100, 399)


async def listing(asked: AdminRequest) -> Any:
    """Requests, newest first. A page that holds few leads on while ``before`` says where."""
    page = await asked.console.requests.page(_wanted(asked), _before(asked), paging.limit(asked))
    return {"requests": [_shown(one) for one in page.requests], "before": page.before}


async def show(asked: AdminRequest) -> Any:
    """Answer with the request of the path, and why attempts at it failed."""
    found = await asked.console.requests.one(asked.request.path_params["request"])
    if found is None:
        raise ApiError(404, "there is no request of this id, or it is not stored any more")
    return _shown(found)


def _wanted(asked: AdminRequest) -> RequestFilter:
    status = paging.number(asked, "status", "an HTTP status")
    if status is not None and not STATUS[0] <= status <= STATUS[1]:
        raise ApiError(400, f"status: must be {STATUS[0]} to {STATUS[1]}")
    failed = paging.truth(asked, "failed")
    since, until = paging.moment(asked, "from"), paging.moment(asked, "to")
    if since is not None and until is not None and since >= until:
        raise ApiError(400, "to: must be after `from`")
    return RequestFilter(
        since_ms=None if since is None else since * 1000,
        until_ms=None if until is None else until * 1000,
        user_id=paging.number(asked, "user", "the id of a user"),
        key_id=paging.number(asked, "key", "the id of a key"),
        team_id=paging.number(asked, "team", "the id of a team"),
        model=paging.text(asked, "model") or "",
        channel=paging.text(asked, "channel") or "",
        status=_statuses(status, is_served=failed is False),
        fault=paging.text(asked, "fault") or "",
        failed=failed is True,
    )


def _statuses(status: int | None, *, is_served: bool) -> tuple[int, int] | None:
    """The least and the greatest status; ``None``: any. None fits what contradicts itself."""
    if status is None:
        return SERVED if is_served else None
    return (status, min(status, SERVED[1])) if is_served else (status, status)


def _before(asked: AdminRequest) -> str | None:
    given = paging.text(asked, "before")
    if given is None:
        return None
    at, mark, name = given.partition(".")
    if not (mark and name and at.isascii() and at.isdecimal() and len(at) <= 15):
        raise ApiError(400, "before: must be `before` of the page before")
    return given


def _shown(one: RequestEntry) -> dict[str, Any]:
    return {
        "id": one.request_id,
        "at_ms": one.at_ms,
        "user_id": one.user_id,
        "key_id": one.key_id,
        "operation": one.operation,
        "model": one.model,
        "asked_model": one.asked_model or None,
        "channel": one.channel or None,
        "upstream_model": one.upstream_model or None,
        "status": one.status,
        "fault": one.fault or None,
        "stream": one.stream,
        "attempts": one.attempts,
        "failed": [{"channel": channel, "why": why} for channel, why in one.failed],
        "first_byte_ms": one.first_byte_ms,
        "total_ms": one.total_ms,
        "bytes_in": one.bytes_in,
        "bytes_out": one.bytes_out,
        "input_tokens": one.input_tokens,
        "cached_tokens": one.cached_tokens,
        "output_tokens": one.output_tokens,
        "estimated": one.estimated,
        "dropped": one.dropped or None,
        "repaired": one.repaired or None,
        "end_user": one.end_user or None,
        "session": one.session or None,
        "tags": one.tags,
        "cost": None if one.cost_nanos is None else format_usd(one.cost_nanos),
        "entry_id": one.entry_id,
    }


_QUERY: Final = frozenset(
    {"from", "to", "user", "key", "team", "model", "channel", "status", "fault", "failed"}
    | {"limit", "before"}
)
ENDPOINTS: Final = (
    resource("/api/admin/requests", GET=ApiMethod(listing, query=_QUERY)),
    resource("/api/admin/requests/{request}", GET=ApiMethod(show)),
)
