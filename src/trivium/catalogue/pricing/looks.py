"""Looks at what vendors list, and proposes what differs from what is set. Changes no price.

A look reads the list of each channel that serves a model, a few at a time, keeps what it has of
those models, and writes a proposal where the best known offer would bill differently. Of all
workers and nodes one looks at night: the one that writes the row of that night.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
import structlog

from trivium.catalogue.model import KeptApartError
from trivium.catalogue.pricing.model import PriceProposal, ProposalState, ProposedLine
from trivium.catalogue.pricing.offers import bare
from trivium.catalogue.pricing.service import PriceService
from trivium.catalogue.pricing.sheet import OfferView, PriceStanding, PriceState
from trivium.clock import Clock, SystemClock
from trivium.ledger.errors import LedgerError
from trivium.ledger.suggestions.vendor import VendorList
from trivium.routing.model import Channel, Model
from trivium.storage.errors import StorageError
from trivium.storage.late import LateModule
from trivium.storage.periodic import rounds

if TYPE_CHECKING:
    from trivium.catalogue.pricing import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.catalogue.pricing.store")

AT_ONCE: Final = 4
"""Lists that are read at the same time."""
LIMIT_S: Final = 300.0
"""For all lists together; what was not reached keeps what was known."""
EVERY_S: Final = 600.0
"""How often it is seen whether the night's look is due."""
FROM_S: Final = 2 * 3600
"""It is due from two o'clock on, UTC."""
PATIENCE_S: Final = 1800
"""After so long without an end another node takes a look over."""
KEPT_S: Final = 400 * 86_400
"""How long proposals that were decided are kept."""
TOLD_MAX: Final = 20
"""Proposals of which each has a line in the log."""
LINES_MAX: Final = 64
"""Differences that a proposal keeps."""
DAY_S: Final = 86_400

ListReader: TypeAlias = Callable[[Channel, frozenset[str]], Awaitable[VendorList]]
"""Reads what a channel's vendor lists of some models. Raises nothing."""

log = structlog.get_logger()


class PriceLook(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a look."""

    lists: Mapping[str, VendorList]
    """By channel, those that were asked for."""
    unreached: tuple[str, ...]
    """Channels whose turn did not come."""
    proposed: int
    """New proposals."""
    open: int
    """All that nobody has decided."""
    found: Mapping[str, int]
    """How many prices differ that did not before, by who says so."""


class PriceLooks:
    """Reads lists and proposes."""

    def __init__(
        self,
        db: "Database",
        clock: Clock,
        prices: PriceService,
        models: Callable[[], Iterable[Model]],
        read: ListReader,
    ) -> None:
        self._db = db
        self._clock = clock
        self._prices = prices
        self._models = models
        self._read = read
        self._looking = False

    async def look(self, limit_s: float = LIMIT_S) -> PriceLook:
        """Look once. Raises KeptApartError while this worker is looking already, what the database
        raises, and ``LedgerError`` as ``sheet``.
        """
        if self._looking:
            raise KeptApartError("somebody is looking already; it takes a few minutes at most")
        self._looking = True
        try:
            return await self._look(limit_s)
        finally:
            self._looking = False

    async def _look(self, limit_s: float) -> PriceLook:
        wanted = _wanted(self._models())
        found = await self._lists(wanted, limit_s)
        async with self._db.write() as conn:
            former = store.decoded(await store.all_lists(conn))
            await store.put_lists(conn, _kept(found, former))
            await store.drop_lists(conn, wanted)
        sheet = await self._prices.sheet()
        now = int(self._clock.now())
        async with self._db.read() as conn:
            known = await store.latest(conn)
        new, ended = await asyncio.to_thread(differing, sheet.standings, known, now)
        async with self._db.write() as conn:
            for state, ids in ended.items():
                await store.decide(conn, ids, state, now, None)
            proposed = await store.propose(conn, new)
            await store.forget(conn, now - KEPT_S, 1_000)
            still_open = await store.open_count(conn)
        _tell(new, found, proposed, still_open)
        return PriceLook(
            lists=found,
            unreached=tuple(sorted(wanted.keys() - found.keys())),
            proposed=proposed,
            open=still_open,
            found=Counter(each.origin.source.value for each in new),
        )

    async def _lists(
        self, wanted: Mapping[str, tuple[Channel, frozenset[str]]], limit_s: float
    ) -> dict[str, VendorList]:
        """What was read in time."""
        found: dict[str, VendorList] = {}
        waiting = iter(wanted.items())

        async def reader() -> None:
            for name, (channel, names) in waiting:
                found[name] = await self._read(channel, names)

        readers = [asyncio.ensure_future(reader()) for _ in range(AT_ONCE)]
        try:
            await asyncio.wait(readers, timeout=limit_s)
        finally:
            for task in readers:
                task.cancel()
            ended = await asyncio.gather(*readers, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):
                raise error
        return found


class NightlyLook:
    """Looks each night, on one node of all."""

    def __init__(
        self,
        db: "Database",
        looks: PriceLooks,
        clock: Clock | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._db = db
        self._looks = looks
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self.waiting: int | None = None
        """Proposals that nobody has decided, no older than a round; ``None``: not known yet."""
        self.found: Counter[str] = Counter()
        """Prices that this worker's looks found to be others, by who says so."""

    async def run(self) -> None:
        """Look when it is due, without end."""
        # a catalogue of suggestions that is none is as bad as a database that is away
        away = (StorageError, LedgerError)
        await rounds(
            "prices",
            self.round,
            EVERY_S,
            self._sleep,
            db=self._db,
            clock=self._clock,
            away=away,
        )

    async def round(self, now: float) -> bool:
        """Look if it is due and nobody else does. Raises what the database raises."""
        second = int(now)
        night = second // DAY_S
        async with self._db.read() as conn:
            self.waiting = await store.open_count(conn)
        if second % DAY_S < FROM_S:
            return True
        async with self._db.write() as conn:
            if not await store.claim(conn, night, second, PATIENCE_S):
                return True
        done = await self._looks.look()
        self.waiting = done.open
        self.found.update(done.found)
        async with self._db.write() as conn:
            await store.finish(conn, night, int(self._clock.now()), done.proposed)
        return True


def _wanted(models: Iterable[Model]) -> dict[str, tuple[Channel, frozenset[str]]]:
    """Each channel that serves a model, with its names for what it serves."""
    channels: dict[str, Channel] = {}
    names: dict[str, set[str]] = {}
    for model in models:
        for binding in model.bindings:
            channels[binding.channel.name] = binding.channel
            names.setdefault(binding.channel.name, set()).add(bare(binding.model))
    return {name: (channel, frozenset(names[name])) for name, channel in channels.items()}


def _kept(
    found: Mapping[str, VendorList], former: Mapping[str, VendorList]
) -> dict[str, VendorList]:
    """What is known from now on: where a list could not be read, what it had before, and why."""
    return {
        name: msgspec.structs.replace(former[name], why=each.why)
        if each.why and not each.models and name in former
        else each
        for name, each in found.items()
    }


def differing(
    standings: Sequence[PriceStanding], known: Mapping[str, PriceProposal], now: int
) -> tuple[list[PriceProposal], dict[ProposalState, list[int]]]:
    """What is to be proposed, and which open proposals end, by what they become. ``known``: the
    newest of each model. Pure.
    """
    new: list[PriceProposal] = []
    ended: dict[ProposalState, list[int]] = {}
    seen = set()
    for each in standings:
        seen.add(each.name)
        last, best = known.get(each.name), each.best
        is_open = last is not None and last.state is ProposalState.OPEN
        if each.state is not PriceState.DIFFERS or best is None:
            if last is not None and is_open:
                ended.setdefault(ProposalState.SETTLED, []).append(last.id)
            continue
        was_offered = last is not None and last.digest == best.digest
        if last is not None and was_offered and (is_open or last.state is ProposalState.DISMISSED):
            continue
        if last is not None and is_open:
            ended.setdefault(ProposalState.REPLACED, []).append(last.id)
        new.append(_proposal(each, best, now))
    gone = [
        each.id
        for name, each in known.items()
        if name not in seen and each.state is ProposalState.OPEN
    ]
    if gone:
        ended.setdefault(ProposalState.SETTLED, []).extend(gone)
    return new, ended


def _proposal(standing: PriceStanding, view: OfferView, now: int) -> PriceProposal:
    changed = [line for line in view.lines if line.differs]
    return PriceProposal(
        id=0,
        model=standing.name,
        state=ProposalState.OPEN,
        channel=view.offer.channel,
        origin=view.offer.origin,
        digest=view.digest,
        suggestion=view.offer.suggestion,
        lines=tuple(
            ProposedLine(
                kind=line.kind,
                above=line.above,
                now=text(line.adopted),
                then=text(line.suggested),
            )
            for line in changed[:LINES_MAX]
        ),
        is_by_hand=standing.is_by_hand,
        found_at=now,
    )


def text(price: Decimal | None) -> str | None:
    """A price as it is written; ``None``: there is none."""
    return None if price is None else format(price.normalize(), "f")


def _changes(proposal: PriceProposal) -> str:
    """The first differences of a proposal, for the log."""
    return ", ".join(
        f"{line.kind} {line.now or '-'} -> {line.then or '-'}" for line in proposal.lines[:6]
    )


def _tell(
    new: Sequence[PriceProposal], found: Mapping[str, VendorList], proposed: int, still_open: int
) -> None:
    for each in new[:TOLD_MAX]:
        log.info(
            "price_proposed",
            model=each.model,
            source=each.origin.source.value,
            place=each.origin.place,
            changes=_changes(each),
            by_hand=each.is_by_hand,
        )
    for name, one in sorted(found.items()):
        if one.why:
            log.info("price_list_unread", channel=name, why=one.why[:200])
    log.info("prices_looked", lists=len(found), proposed=proposed, open=still_open)
