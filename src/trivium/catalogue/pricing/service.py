"""Prices side by side, and adopting one: a change of the catalogue like every other.

What vendors list is read by ``PriceLooks`` and kept; nothing here calls a vendor.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import msgspec

from trivium.catalogue.documents import DocumentError
from trivium.catalogue.file_entries import FileEntry
from trivium.catalogue.model import (
    AbsentError,
    CatalogueEntry,
    CatalogueKind,
    ChangeAuthor,
    EntryName,
    KeptApartError,
    StaleError,
)
from trivium.catalogue.planning import ChangeResult
from trivium.catalogue.pricing.bundled import BundledPrices
from trivium.catalogue.pricing.model import PriceProposal, ProposalState
from trivium.catalogue.pricing.offers import PriceOffer
from trivium.catalogue.pricing.origin import PriceSource
from trivium.catalogue.pricing.sheet import OfferView, PriceStanding, PriceState, standings
from trivium.catalogue.service import CatalogueService, Condition, EntryEdit
from trivium.clock import Clock
from trivium.routing.model import Model
from trivium.settings.prices import day
from trivium.storage.late import LateModule

if TYPE_CHECKING:
    from trivium.catalogue.pricing import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.catalogue.pricing.store")

BY_HAND: Final = "its price was made by hand: say that it is to be replaced"
PAGE_MAX: Final = 200
"""Proposals of one page."""


class PriceSheet(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is known of prices at one moment."""

    revision: int
    """Of the catalogue."""
    source: str
    """Where the bundled suggestions are from."""
    date: str
    """Their day."""
    looked_at: int | None
    """When a vendor's list was read last, in seconds since the epoch; ``None``: never."""
    standings: tuple[PriceStanding, ...]
    entries: Mapping[EntryName, CatalogueEntry]


class PriceChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What is adopted for one model."""

    model: str
    channel: str | None = None
    """Whose offer, by the channel; ``None``: the best known."""
    source: PriceSource | None = None
    digest: str | None = None
    """Of the offer that was looked at; ``None``: whatever it is now."""
    version: int | None = None
    """Of the model's entry that was looked at."""
    replaces: bool = False
    """Whether a price that was made by hand may be replaced."""


class AdoptedPrices(msgspec.Struct, frozen=True, kw_only=True):
    """What came of adopting."""

    done: ChangeResult | None
    """``None``: there was nothing to adopt."""
    models: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    """Models whose price differs and stays, with why."""


class PriceService:
    """Compares prices, adopts them, and keeps proposals."""

    def __init__(
        self,
        db: "Database",
        clock: Clock,
        catalogue: CatalogueService,
        models: Callable[[], Iterable[Model]],
        bundled: BundledPrices,
    ) -> None:
        """``models``: returns those that are in force."""
        self._db = db
        self._clock = clock
        self._catalogue = catalogue
        self._models = models
        self._bundled = bundled

    async def sheet(self, multiplier: Fraction = Fraction(1)) -> PriceSheet:
        """Everything side by side. ``multiplier``: of the price group whose margin is told.

        Raises ``LedgerError`` where this node's catalogue of suggestions is none, and what the
        database raises.
        """
        revision, entries = await self._catalogue.everything()
        async with self._db.read() as conn:
            raw, looked_at = await store.all_lists(conn), await store.last_look(conn)
        models, now = tuple(self._models()), self._clock.now()

        def done() -> PriceSheet:
            file: list[FileEntry] = self._catalogue.of_file()
            bundled, lists = self._bundled.now(), store.decoded(raw)
            return PriceSheet(
                revision=revision.value,
                source=bundled.source,
                date=bundled.date,
                looked_at=looked_at,
                standings=tuple(standings(models, file, entries, bundled, lists, multiplier, now)),
                entries=entries,
            )

        # thousands of models take longer than others should wait
        return await asyncio.to_thread(done)

    async def adopt(
        self,
        choices: Sequence[PriceChoice] | None,
        author: ChangeAuthor,
        *,
        since: str | None = None,
        reason: str = "",
        dry_run: bool = False,
    ) -> AdoptedPrices:
        """Adopt prices, all or none. ``choices``: ``None`` for every model whose price was itself
        adopted, or is not set, and differs. ``since``: the day from which they hold; ``None``: now.

        Raises CatalogueError and DocumentError as ``CatalogueService.change`` does.
        """
        now = self._clock.now()
        _check_day(since, now)
        sheet = await self.sheet()
        skipped: tuple[tuple[str, str], ...] = ()
        if choices is None:
            chosen, skipped = _all(sheet)
        else:
            if len({each.model for each in choices}) != len(choices):
                raise DocumentError("a model occurs twice")
            by_name = {each.name: each for each in sheet.standings}
            chosen = [_chosen(by_name.get(each.model), each) for each in choices]
        offered = [(standing, view.offer) for standing, view in chosen]
        adopted = await self._adopt(sheet, offered, author, since, reason, now, dry_run=dry_run)
        return msgspec.structs.replace(adopted, skipped=skipped)

    async def adopt_proposals(
        self,
        ids: Sequence[int],
        author: ChangeAuthor,
        *,
        replaces: bool = False,
        since: str | None = None,
        reason: str = "",
        dry_run: bool = False,
    ) -> AdoptedPrices:
        """Adopt what open proposals say, whatever is offered meanwhile. Raises as ``adopt``."""
        now = self._clock.now()
        _check_day(since, now)
        found = await self._open(ids)
        sheet = await self.sheet()
        by_name = {each.name: each for each in sheet.standings}
        offered = []
        for each in found:
            standing = by_name.get(each.model)
            _check_kept(standing, each.model, replaces=replaces)
            assert standing is not None
            offer = PriceOffer(channel=each.channel, origin=each.origin, suggestion=each.suggestion)
            offered.append((standing, offer))
        return await self._adopt(sheet, offered, author, since, reason, now, dry_run=dry_run)

    async def _adopt(
        self,
        sheet: PriceSheet,
        offered: Sequence[tuple[PriceStanding, PriceOffer]],
        author: ChangeAuthor,
        since: str | None,
        reason: str,
        now: float,
        *,
        dry_run: bool,
    ) -> AdoptedPrices:
        if not offered:
            return AdoptedPrices(done=None, models=(), skipped=())
        edits = []
        for standing, offer in offered:
            at = EntryName(CatalogueKind.MODEL.value, standing.name)
            document = offer.adopted(sheet.entries[at].body.document, now, since)
            condition = Condition(version=standing.version)
            edits.append(EntryEdit(at=at, document=document, condition=condition))
        done = await self._catalogue.change(edits, author, reason=reason, dry_run=dry_run)
        names = tuple(standing.name for standing, _ in offered)
        if not dry_run:
            await self._decided(offered, author.user_id, now)
        return AdoptedPrices(done=done, models=names, skipped=())

    async def _decided(
        self,
        offered: Sequence[tuple[PriceStanding, PriceOffer]],
        by: int | None,
        now: float,
    ) -> None:
        """End the proposals of models whose price was adopted."""
        digests = {standing.name: offer.digest(now) for standing, offer in offered}
        async with self._db.write() as conn:
            known = [
                each
                for each in (await store.latest(conn)).values()
                if each.model in digests and each.state is ProposalState.OPEN
            ]
            same = [each.id for each in known if each.digest == digests[each.model]]
            other = [each.id for each in known if each.digest != digests[each.model]]
            await store.decide(conn, same, ProposalState.ADOPTED, int(now), by)
            await store.decide(conn, other, ProposalState.SETTLED, int(now), by)

    async def proposals(
        self,
        state: ProposalState | None = ProposalState.OPEN,
        before_id: int | None = None,
        limit: int = 50,
    ) -> list[PriceProposal]:
        """A page of proposals, newest first; ``state``: ``None`` for all."""
        async with self._db.read() as conn:
            return await store.page(conn, state, before_id, min(limit, PAGE_MAX))

    async def open_count(self) -> int:
        """How many proposals nobody has decided."""
        async with self._db.read() as conn:
            return await store.open_count(conn)

    async def dismiss(self, ids: Sequence[int], by: int | None) -> int:
        """Leave prices as they are; what is offered is not proposed again until it changes. Returns
        how many. Raises AbsentError, and KeptApartError for one that is decided.
        """
        await self._open(ids)
        async with self._db.write() as conn:
            return await store.decide(
                conn, ids, ProposalState.DISMISSED, int(self._clock.now()), by
            )

    async def _open(self, ids: Sequence[int]) -> list[PriceProposal]:
        async with self._db.read() as conn:
            found = await store.some(conn, ids[: store.PAGE])
        known = {each.id: each for each in found}
        for number in ids:
            if number not in known:
                raise AbsentError(f"there is no proposal {number}")
            if known[number].state is not ProposalState.OPEN:
                raise KeptApartError(f"proposal {number} is {known[number].state.value} already")
        return found


def _all(
    sheet: PriceSheet,
) -> tuple[list[tuple[PriceStanding, OfferView]], tuple[tuple[str, str], ...]]:
    """What all is, and what differs and stays."""
    chosen, skipped = [], []
    for each in sheet.standings:
        best = each.best
        if each.state is not PriceState.DIFFERS or best is None:
            continue
        why = each.kept or (BY_HAND if each.is_by_hand else "")
        if why:
            skipped.append((each.name, why))
        else:
            chosen.append((each, best))
    return chosen, tuple(skipped)


def _chosen(standing: PriceStanding | None, choice: PriceChoice) -> tuple[PriceStanding, OfferView]:
    _check_kept(standing, choice.model, replaces=choice.replaces)
    assert standing is not None
    if choice.version is not None and choice.version != standing.version:
        raise StaleError(
            f'models["{choice.model}"] was changed since: it has version {standing.version}'
        )
    for view in standing.offers:
        offer = view.offer
        if choice.channel not in (None, offer.channel):
            continue
        if choice.source not in (None, offer.origin.source):
            continue
        if choice.digest not in (None, view.digest):
            raise StaleError(
                f'models["{choice.model}"]: what is offered is another price since; look again'
            )
        return standing, view
    raise AbsentError(f'models["{choice.model}"]: there is no such offer of a price')


def _check_kept(standing: PriceStanding | None, name: str, *, replaces: bool) -> None:
    """Raises where nothing may be adopted."""
    if standing is None:
        raise AbsentError(f'there is no models["{name}"]')
    if standing.kept:
        raise KeptApartError(f'models["{name}"]: {standing.kept}')
    if standing.is_by_hand and not replaces:
        raise KeptApartError(f'models["{name}"]: {BY_HAND}')


def _check_day(since: str | None, now: float) -> None:
    if since is None:
        return
    try:
        begins = day(since)
    except ValueError:
        raise DocumentError("since: must be a day such as 2027-01-31") from None
    if begins <= now:
        raise DocumentError("since: must be a later day; leave it out for now")
