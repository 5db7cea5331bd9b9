"""``/api/admin/health``: whether all is well, and what of the channels rests and why."""

from typing import Annotated, Any, Final

import msgspec

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource
from trivium.console.api.answer import ApiError
from trivium.console.channel_tests import ChannelTestEarly, try_channel
from trivium.console.gateway import ChannelTestError
from trivium.routing.overview import ChannelOverview


async def show(asked: AdminRequest) -> Any:
    """The parts of the worker that answers, as ``/readyz`` has them, and its numbers."""
    return msgspec.to_builtins(await asked.console.gateway.standing())


async def channels(asked: AdminRequest) -> Any:
    """Channels by name, each with what rests; a page at a time."""
    most, after = paging.limit(asked), paging.text(asked, "after")
    resting = paging.truth(asked, "resting")
    found = sorted(await asked.console.gateway.overview(), key=lambda one: one.channel)
    wanted = [
        one
        for one in found
        if (after is None or one.channel > after)
        and (resting is None or bool(one.rests) is resting)
    ]
    rows, more = paging.cut(wanted[: most + 1], most)
    now = asked.console.clock.now()
    return {
        "channels": [_shown(one, now) for one in rows],
        "after": rows[-1].channel if more else None,
    }


async def identities(asked: AdminRequest) -> Any:
    """How the tokens and found identities of channels stand that requests wanted."""
    found = asked.console.gateway.identities()
    return {"identities": [msgspec.to_builtins(one) for one in found]}


class ChannelTestBody(ApiBody, frozen=True, kw_only=True):
    """What a channel is asked with."""

    model: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    """By its public name; ``None``: the first that the channel serves."""


async def test(asked: AdminRequest) -> Any:
    """Send one short request with each key of a channel; answers with what came."""
    wanted: ChannelTestBody = asked.body
    name = asked.request.path_params["name"]
    by = str(asked.by) if asked.machine is None else asked.machine.name
    try:
        trials = await try_channel(asked.console, name, by, wanted.model)
    except ChannelTestEarly as early:
        raise ApiError(429, f"{early}; try again in {early.wait_s} seconds", early.wait_s) from None
    except ChannelTestError as error:
        is_there = any(channel.name == name for channel in asked.console.gateway.channels())
        raise ApiError(409 if is_there else 404, str(error)) from None
    served = all(not trial.fault for trial in trials)
    return {"channel": name, "ok": served, "trials": [msgspec.to_builtins(one) for one in trials]}


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
    resource("/api/admin/health/channels/{name}/test", POST=ApiMethod(test, ChannelTestBody)),
    resource("/api/admin/health/identities", GET=ApiMethod(identities)),
)
