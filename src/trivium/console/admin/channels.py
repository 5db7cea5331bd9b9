"""Channels as they stand: what rests and why, how they did in the last hour, and tests.

What rests is read from the database, where every worker of every node writes down what it saw open
and close, a second late (``routing/breaker_log.py``). How this worker stands with vendors that it
logs in at is its own knowledge, and the page says so.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.catalogue.model import CatalogueKind
from trivium.console import context, forms, render, session
from trivium.console.admin.growing import growing, piece
from trivium.console.admin.period import chosen
from trivium.console.catalogue import entries
from trivium.console.channel_tests import AT_ONCE, ChannelTestEarly, try_channel
from trivium.console.context import Console
from trivium.console.gateway import ChannelTestError, ChannelTrial
from trivium.console.language import N_, text
from trivium.observe.traffic.model import TrafficSums
from trivium.providers.address import target
from trivium.routing import store
from trivium.routing.model import Binding, Channel, Model
from trivium.routing.shared_breakers import accounts
from trivium.routing.store import Resting
from trivium.upstream.vendor_identity import VendorIdentity

PATH: Final = "/admin/channels"
PAGE: Final = 25
"""Channels of one page."""
TESTED_MAX: Final = 200
"""Channels that are tested at once."""


class ChannelRest(msgspec.Struct, frozen=True, kw_only=True):
    """What is left alone for now."""

    key: int | None
    """Its place among the channel's keys, from 1; ``None``: there is none."""
    model: str
    """The channel's own name; empty: the key for all models."""
    fault: str
    told: bool
    """Whether the vendor named the end."""
    openings: int
    until_at: int
    written_at: int


class ChannelView(msgspec.Struct, frozen=True, kw_only=True):
    """A channel with all that is known of it."""

    name: str
    provider: str
    host: str
    keys: int
    bindings: tuple[tuple[Model, Binding], ...]
    rests: tuple[ChannelRest, ...]
    identities: tuple[VendorIdentity, ...]
    """Those of this worker that failed or are missed."""
    traffic: TrafficSums

    @property
    def tone(self) -> str:
        """``good``, ``warn`` where something rests, ``bad`` where nothing could be asked."""
        whole = {rest.key for rest in self.rests if not rest.model}
        if self.keys and len(whole) >= self.keys:
            return "bad"
        resting = {(rest.key, rest.model) for rest in self.rests}
        keys: list[int | None] = [*range(1, self.keys + 1)] or [None]
        if self.bindings and all(
            (key, binding.model) in resting or key in whole
            for _, binding in self.bindings
            for key in keys
        ):
            return "bad"
        return "warn" if self.rests or any(one.is_missed for one in self.identities) else "good"


def views(
    channels: Iterable[Channel],
    models: Iterable[Model],
    resting: Iterable[Resting],
    identities: Iterable[VendorIdentity],
    traffic: Mapping[str, TrafficSums],
) -> list[ChannelView]:
    """These channels, in the operator's order."""
    channels = list(channels)
    bound: dict[str, list[tuple[Model, Binding]]] = {each.name: [] for each in channels}
    for model in models:
        for binding in model.bindings:
            if binding.channel.name in bound:
                bound[binding.channel.name].append((model, binding))
    noted: dict[tuple[str, str], list[Resting]] = {}
    for row in resting:
        noted.setdefault((row.channel, row.account), []).append(row)
    standing = list(identities)
    return [
        ChannelView(
            name=channel.name,
            provider=channel.provider.name,
            host=_host(channel),
            keys=len(channel.credentials),
            bindings=tuple(bound[channel.name]),
            rests=_rests(channel, noted),
            identities=tuple(
                one
                for one in standing
                if one.channel == channel.name and (one.why or one.is_missed)
            ),
            traffic=traffic.get(channel.name, TrafficSums()),
        )
        for channel in channels
    ]


def _host(channel: Channel) -> str:
    operation = next(iter(channel.provider.paths))
    _, host, port, _ = target(channel.provider, channel.base_url, operation, "m")
    return f"{host}:{port}"


def _rests(
    channel: Channel, noted: Mapping[tuple[str, str], list[Resting]]
) -> tuple[ChannelRest, ...]:
    return tuple(
        ChannelRest(
            key=number + 1 if channel.credentials else None,
            model=row.model,
            fault=row.fault,
            told=row.told,
            openings=row.openings,
            until_at=row.until_at,
            written_at=row.written_at,
        )
        for number, account in enumerate(accounts(channel))
        for row in noted.get((channel.name, account), ())
    )


class ChannelRow(msgspec.Struct, frozen=True, kw_only=True):
    """A channel of the list: where it is, and how it stands where it runs."""

    name: str
    place: str
    """``trivium.toml:12``; empty: the database has it."""
    is_stored: bool
    """Whether the database has it, so that it can be changed here."""
    view: ChannelView | None
    """``None``: it is paused, or is not in force at this worker."""


def _named(
    running: Mapping[str, Channel], places: Mapping[str, str], words: list[str]
) -> list[str]:
    """Names of all channels with these words: those that run, then those that are paused."""
    return [
        name
        for name in dict.fromkeys([*running, *places])
        if all(word in _searched(name, running.get(name)) for word in words)
    ]


def _searched(name: str, channel: Channel | None) -> str:
    text = name if channel is None else f"{name} {channel.provider.title} {channel.base_url}"
    return text.lower()


async def _rows(
    console: Console, words: str, start: int, must: str = ""
) -> tuple[list[ChannelRow], int]:
    """A page of channels, and how many there are. ``must``: one that is shown in any case."""
    hour = chosen({"period": "hour"}, console.clock.now()).of
    async with console.database.read() as conn:
        resting = await store.listed(conn)
    gateway, places = console.gateway, await entries.names(console, CatalogueKind.CHANNEL)
    running = {channel.name: channel for channel in gateway.channels()}
    traffic = await console.traffic.by_channel(hour)

    def read() -> tuple[list[ChannelRow], int]:
        names = _named(running, places, words.lower().split())
        wanted = names[start : start + PAGE]
        if must in running and must not in wanted:
            wanted.insert(0, must)
        found = views(
            [running[name] for name in wanted if name in running],
            console.models(),
            resting,
            gateway.identities(),
            traffic,
        )
        known = {view.name: view for view in found}
        rows = [
            ChannelRow(
                name=name,
                place=places.get(name, ""),
                is_stored=places.get(name) == "",
                view=known.get(name),
            )
            for name in wanted
        ]
        return rows, len(names)

    # thousands of channels and their models take longer than others should wait
    return await asyncio.to_thread(read)


@session.admin
async def show(request: Request) -> Response:
    """Show all channels with what rests, their last hour and their models."""
    return await _page(request)


async def _page(
    request: Request,
    *,
    status: int = 200,
    tested: str = "",
    trials: tuple[ChannelTrial, ...] = (),
    untested: str = "",
) -> Response:
    console, query = context.of(request), request.query_params
    words, start = query.get("q", "")[:100], entries.start_of(request)
    rows, count = await _rows(console, words, start, tested)
    more = start + PAGE if start + PAGE < count else None
    return render.page(
        request,
        "admin/channels.html",
        status=status,
        channels=rows,
        count=count,
        words=words,
        tested=tested,
        trials=trials,
        untested=untested,
        clock=console.clock.now(),
        **render.paging(PATH, {"q": words} if words else {}, "from", start, more),
    )


class ChannelTestForm(forms.Form, frozen=True, kw_only=True):
    """Which channel is tested."""

    channel: forms.Line


@session.admin
async def test(request: Request) -> Response:
    """Send a channel one short request with each of its keys, and show what came."""
    console = context.of(request)
    form = forms.filled(request, ChannelTestForm)
    channels = [channel.name for channel in console.gateway.channels()]
    if form.value is None or form.value.channel not in channels:
        raise HTTPException(404)
    name = form.value.channel
    try:
        trials = await try_channel(console, name, str(session.user_of(request).id))
    except ChannelTestEarly:
        said = N_("%(name)s was tested a moment ago. Wait ten seconds and try again.")
        return render.redirect(request, PATH, said, tone="warn", name=name)
    except ChannelTestError as error:
        return await _page(request, status=422, tested=name, untested=str(error))
    return await _page(request, tested=name, trials=trials)


@session.admin
async def test_all(request: Request) -> Response:
    """Test every channel that is switched on, some at a time, on a page that grows."""
    names = [channel.name for channel in context.of(request).gateway.channels()]
    return growing(
        request,
        _tested(request, sorted(names)[:TESTED_MAX]),
        title=text(N_("Test of all channels")),
        lead=text(N_("One short request with each key, as a caller's would have been sent.")),
        at=PATH,
        back=text(N_("Channels")),
    )


async def _tested(request: Request, names: list[str]) -> AsyncIterator[str]:
    """What came of each channel, as it comes."""
    console, by = context.of(request), str(session.user_of(request).id)
    free = asyncio.Semaphore(AT_ONCE - 1)  # one is left for whoever tests a single one

    async def tried(name: str) -> str:
        trials: tuple[ChannelTrial, ...] = ()
        untested, is_early = "", False
        async with free:
            try:
                trials = await try_channel(console, name, by)
            except ChannelTestEarly:
                is_early = True
            except ChannelTestError as error:
                untested = str(error)
        return piece(
            request,
            "admin/channel_tested.html",
            name=name,
            trials=trials,
            untested=untested,
            is_early=is_early,
        )

    tasks = [asyncio.create_task(tried(name)) for name in names]
    try:
        for done in asyncio.as_completed(tasks):
            yield await done
    finally:
        for task in tasks:
            task.cancel()
    yield piece(request, "admin/channel_tested.html", name="", count=len(names))


PAGES: Final = (
    Route(PATH, show),
    Route(PATH, test, methods=["POST"]),
    Route(f"{PATH}/test", test_all, methods=["POST"]),
)
