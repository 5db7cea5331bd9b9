"""``trivium channel``: which channels there are, and whether they answer."""

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from trivium.cli import config, served
from trivium.cli.database import exists, unchecked
from trivium.cli.output import NONE, CommandFailed, as_json, note, table
from trivium.clock import SystemClock
from trivium.routing.catalogue import catalogue_of
from trivium.routing.model import Catalogue, Channel
from trivium.routing.overview import ChannelOverview, overview
from trivium.routing.router import Router
from trivium.settings.model import StorageSettings, UpstreamSettings

if TYPE_CHECKING:
    from trivium.routing.store import Resting
    from trivium.upstream.channel_test import ChannelTest
    from trivium.upstream.pool import PooledClient
    from trivium.upstream.vendor_identity import VendorIdentity

HEADS: Final = ("CHANNEL", "PROVIDER", "HOST", "KEYS", "MODELS", "RESTS")
TRIED: Final = ("CHANNEL", "KEY", "THEIR MODEL", "STATUS", "FIRST BYTE", "TOTAL", "RESULT")
_EVEN: Final = 0.5
_ANSWERED: Final = {False: "answered", True: "answered as a stream"}


def listing(*, config_: config.ConfigOption = None, json: config.JsonOption = False) -> None:
    """List the channels of settings and database, the models they serve, and what rests."""
    loaded, _ = served.read(config_)
    catalogue = catalogue_of(loaded)
    channels, models = catalogue.channels.values(), catalogue.models.values()
    resting = asyncio.run(_resting(loaded.settings.storage)) if catalogue.channels else []
    found = [_plain(each) for each in overview(channels, models, resting)]
    if json:
        as_json(found)
        return
    if not found:
        note("there is no channel that is switched on, in the settings or the database")
        return
    rows = [
        (
            one["channel"],
            one["provider"],
            one["host"],
            str(one["keys"]),
            ", ".join(one["models"]),
            "; ".join(_rest(rest) for rest in one["rests"]) or NONE,
        )
        for one in found
    ]
    print(table(HEADS, rows))


def attempt(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The channel.")],
    *,
    model: Annotated[
        str | None, typer.Option(metavar="M", help="By its public name. Default: the first it has.")
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Ask for a stream, and see that it is whole.")
    ] = False,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Send one short request with each key of a channel, and tell what came.

    A real request, of a dozen tokens, at your account's cost. Fails when a key does not serve.
    """
    loaded, _ = served.read(config_)
    catalogue = catalogue_of(loaded)
    channel = catalogue.channels.get(name)
    if channel is None:
        known = ", ".join(catalogue.channels) or "none"
        raise CommandFailed(f"there is no channel {name} that is switched on (there are: {known})")
    step = asyncio.run(step_of(catalogue, channel, model, stream=stream))
    if isinstance(step, str):
        raise CommandFailed(f"channel {name} cannot be tested with a chat: {step}")
    found = asyncio.run(tried(channel, step, loaded.settings.upstream))
    if json:
        as_json(found)
    else:
        print(table(TRIED, [row(one) for one in found]))
        for one in found:
            if one["identity"]:
                note(_standing(one))
    bad = [one for one in found if one["fault"]]
    if bad:
        raise CommandFailed(f"{len(bad)} of {len(found)} could not have served a request")


def _plain(each: ChannelOverview) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(each)
    for rest in plain["rests"]:
        del rest["openings"]
    return plain


async def _resting(storage: StorageSettings) -> "list[Resting]":
    """What the gateway noted about resting keys; empty before it ran."""
    from trivium.routing.store import listed
    from trivium.storage.errors import StorageError

    async with unchecked(storage) as database:
        if not exists(database.path):
            return []
        try:
            async with database.read() as conn:
                return await listed(conn)
        except StorageError as error:
            note(f"what rests is not known: {error}")
            return []


def _rest(rest: dict[str, Any]) -> str:
    left = rest["until"] - int(SystemClock().now())
    what = f"key {rest['key']}" if rest["key"] else ""
    if rest["upstream_model"]:
        what = f"{what}, {rest['upstream_model']}" if what else rest["upstream_model"]
    until = f"for {left} s" if left > 0 else "until a probe is answered"
    return f"{what}: {rest['fault']}, {until}"


async def step_of(
    catalogue: Catalogue, channel: Channel, model: str | None, *, stream: bool = False
) -> dict[str, Any] | str:
    """What the gateway would send this channel for a short chat, in the channel's own shape; a text
    that says why there is nothing.
    """
    # the codecs are most of the code there is: a list of channels does not wait for them
    from trivium.cli.dry_run import rehearsal
    from trivium.pipeline.channel_trial import short_chat

    services = rehearsal(Router(catalogue, lambda: _EVEN))
    return await short_chat(services, channel, model, stream=stream)


async def tried(
    channel: Channel, step: dict[str, Any], upstream: UpstreamSettings
) -> list[dict[str, Any]]:
    """What came of one request with each key, as --json prints it."""
    from trivium.pipeline import channel_trial
    from trivium.upstream.request_writer import Composer

    async with client_of(upstream) as client:
        return [
            _trial(channel, number, step, came, client.identity(channel, number))
            for number, came in await channel_trial.tried(client, Composer(), channel, step)
        ]


@contextlib.asynccontextmanager
async def client_of(upstream: UpstreamSettings) -> "AsyncIterator[PooledClient]":
    """Who calls vendors from a command, as the gateway would; closed at the end."""
    from trivium.upstream import tls
    from trivium.upstream.pool import PooledClient
    from trivium.upstream.resolve import Resolver

    loop = asyncio.get_running_loop()
    client = PooledClient(
        upstream,
        resolver=Resolver(upstream.dns_ttl_s, loop.time),
        tls=functools.cache(lambda: tls.context(upstream.ca_file)),
        now=loop.time,
        ca_file=upstream.ca_file,
    )
    try:
        yield client
    finally:
        await client.close()


def _trial(
    channel: Channel,
    number: int,
    step: dict[str, Any],
    came: "ChannelTest",
    identity: "VendorIdentity | None",
) -> dict[str, Any]:
    fault = came.fault
    return {
        "channel": channel.name,
        "key": number + 1 if channel.credentials else None,
        "upstream_model": step["upstream_model"],
        "status": came.status or None,
        "first_byte_ms": _ms(came.first_byte_s),
        "total_ms": _ms(came.total_s),
        "stream": bool(step.get("stream")),
        "fault": fault and {"kind": fault.kind.value, "message": fault.message},
        "identity": identity and _identity(identity),
    }


def _identity(identity: "VendorIdentity") -> dict[str, Any]:
    return {
        "source": identity.source or None,
        "life_s": None if identity.life_s is None else round(identity.life_s),
        "why": identity.why or None,
    }


def _standing(one: dict[str, Any]) -> str:
    """One sentence on the identity a channel was called with."""
    identity, key = one["identity"], f" of key {one['key']}" if one["key"] else ""
    if identity["why"]:
        return f"identity{key}: not found: {identity['why']}"
    life = identity["life_s"]
    good = "without an end that is known" if life is None else f"good for {_span(life)}"
    return f"identity{key}: found by {identity['source']}, {good}"


def _span(seconds: int) -> str:
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1e3)


def row(one: dict[str, Any]) -> tuple[str, ...]:
    """One key's line of the table ``TRIED``."""
    fault = one["fault"]
    first, total = one["first_byte_ms"], one["total_ms"]
    return (
        one["channel"],
        str(one["key"] or NONE),
        one["upstream_model"],
        str(one["status"] or NONE),
        NONE if first is None else f"{first} ms",
        f"{total} ms",
        f"{fault['kind']}: {fault['message']}" if fault else _ANSWERED[one["stream"]],
    )
