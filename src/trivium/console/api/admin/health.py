"""``/api/admin/health``: whether all is well, and what of the channels rests and why."""

from typing import Any, Final

import msgspec

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiMethod, resource
from trivium.console.api.answer import ApiError
from trivium.routing.overview import ChannelOverview

_TRUE: Final = {"true": True, "false": False}


async def show(asked: AdminRequest) -> Any:
    """The parts of the worker that answers, as ``/readyz`` has them, and its numbers."""
    return msgspec.to_builtins(await asked.console.insight.standing())


async def channels(asked: AdminRequest) -> Any:
    """Channels by name, each with what rests; a page at a time."""
    most, after = paging.limit(asked), paging.text(asked, "after")
    resting = asked.query.get("resting")
    if resting is not None and resting not in _TRUE:
        raise ApiError(400, "resting: must be true or false")
    found = sorted(await asked.console.insight.channels(), key=lambda one: one.channel)
    wanted = [
        one
        for one in found
        if (after is None or one.channel > after)
        and (resting is None or bool(one.rests) is _TRUE[resting])
    ]
    rows, more = paging.cut(wanted[: most + 1], most)
    now = asked.console.clock.now()
    return {
        "channels": [_shown(one, now) for one in rows],
        "after": rows[-1].channel if more else None,
    }


async def identities(asked: AdminRequest) -> Any:
    """How the tokens and found identities of channels stand that requests wanted."""
    found = asked.console.insight.identities()
    return {"identities": [msgspec.to_builtins(one) for one in found]}


def _shown(one: ChannelOverview, now: float) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(one)
    for rest in plain["rests"]:
        rest["state"] = "resting" if rest["until"] > now else "waiting for a probe"
    return plain


ENDPOINTS: Final = (
    resource("/api/admin/health", GET=ApiMethod(show)),
    resource(
        "/api/admin/health/channels",
        GET=ApiMethod(channels, query=frozenset({"resting", "limit", "after"})),
    ),
    resource("/api/admin/health/identities", GET=ApiMethod(identities)),
)
