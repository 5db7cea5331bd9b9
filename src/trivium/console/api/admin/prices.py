"""``/api/admin/catalogue/prices``: what models cost beside what others say, and adopting that."""

import asyncio
from typing import Annotated, Any, Final

import msgspec

from trivium.catalogue.pricing.looks import text
from trivium.catalogue.pricing.model import PriceProposal, ProposalState
from trivium.catalogue.pricing.offers import VendorWord
from trivium.catalogue.pricing.origin import PriceOrigin, PriceSource
from trivium.catalogue.pricing.service import AdoptedPrices, PriceChoice
from trivium.catalogue.pricing.sheet import OfferView, PriceStanding
from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource, whole
from trivium.console.api.admin.catalogue import Reason, author_of, diff_shown, dry_run_of, told
from trivium.console.api.answer import ApiError
from trivium.console.pricing import DAYS, DAYS_MAX, PricedSheet, priced
from trivium.ledger.amounts import format_usd
from trivium.ledger.suggestions.model import PriceList

PAGE_MAX: Final = 500
"""Models of one page."""
LOOK_S: Final = 60.0
"""How long vendors may take while somebody waits."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Ids = Annotated[tuple[int, ...], msgspec.Meta(min_length=1, max_length=200)]


class ChosenPrice(ApiBody, frozen=True, kw_only=True):
    """What is adopted for one model."""

    model: Name
    channel: Name | None = None
    source: PriceSource | None = None
    digest: str | None = None
    """Of the offer that was looked at."""
    version: int | None = None
    """Of the model that was looked at."""
    replace_by_hand: bool = False


class PriceAdoption(ApiBody, frozen=True, kw_only=True):
    """Prices to be adopted together, or not at all."""

    models: Annotated[tuple[ChosenPrice, ...], msgspec.Meta(max_length=5_000)] = ()
    all: bool = False
    """Every model whose price differs and was not made by hand; instead of ``models``."""
    since: str | None = None
    """The day from which they hold; ``None``: now."""
    reason: Reason = ""

    def __post_init__(self) -> None:
        """Raises ValueError for both, or neither."""
        if self.all == bool(self.models):
            raise ValueError("give models, or all: true")


class ProposalAdoption(ApiBody, frozen=True, kw_only=True):
    """Proposals to be adopted together, or not at all."""

    proposals: Ids
    replace_by_hand: bool = False
    since: str | None = None
    reason: Reason = ""


class DismissedProposals(ApiBody, frozen=True, kw_only=True):
    """Proposals that are to be left."""

    proposals: Ids


class WantedLook(ApiBody, frozen=True, kw_only=True):
    """Nothing can be said of it."""


@told
async def listing(asked: AdminRequest) -> Any:
    """A page of models, by name."""
    query = asked.query
    group = query.get("group", "")
    days = _number(query.get("days", str(DAYS)), "days", DAYS_MAX)
    limit = _number(query.get("limit", "100"), "limit", PAGE_MAX)
    differing = query.get("differing", "false")
    if differing not in ("true", "false"):
        raise ApiError(400, "differing: must be true or false")
    try:
        found = await priced(asked.console, group, days)
    except KeyError:
        raise ApiError(400, f"group: there is no price group {group[:80]}") from None
    return await asyncio.to_thread(_page, found, query, differing == "true", group, days, limit)


def _page(
    found: PricedSheet, query: Any, differing: bool, group: str, days: int, limit: int
) -> dict[str, Any]:
    after = query.get("after", "")
    rows = [
        each
        for each in found.found(query.get("model", ""), differing=differing)
        if each.name > after
    ]
    sheet, shown = found.sheet, rows[:limit]
    return {
        "revision": sheet.revision,
        "suggestions": {"source": sheet.source, "date": sheet.date},
        "looked_at": sheet.looked_at,
        "group": group,
        "days": days,
        "models": [_standing(each, found) for each in shown],
        "after": shown[-1].name if len(rows) > limit else None,
    }


def _standing(each: PriceStanding, found: PricedSheet) -> dict[str, Any]:
    in_file = each.version is None
    brought = found.earned.get(each.name)
    return {
        "model": each.name,
        "origin": {"source": "file", "place": each.place}
        if in_file
        else {"source": "database", "version": each.version},
        "by_hand": each.is_by_hand,
        "adopted": _origin(each.origin),
        "state": each.state.value,
        "kept": each.kept or None,
        "price": None if each.row is None else {k: text(v) for k, v in each.row.price.items()},
        "changes_at": list(each.changes),
        "offers": [_offer(view) for view in each.offers],
        "vendors": [_vendor(word) for word in each.words],
        "margins": [
            {
                "kind": margin.kind,
                "income": text(margin.income),
                "cost": text(margin.cost),
                "margin": text(margin.margin),
                "share": margin.share,
                "channel": margin.channel,
                "basis": margin.basis,
            }
            for margin in each.margins
        ],
        "earned": None
        if brought is None
        else {
            "requests": brought.requests,
            "income": format_usd(brought.income_nanos),
            "known": format_usd(brought.known_nanos),
            "cost": format_usd(brought.cost_nanos),
            "margin": format_usd(brought.margin_nanos),
            "share": brought.share,
        },
    }


def _origin(origin: PriceOrigin | None) -> dict[str, str] | None:
    if origin is None:
        return None
    return {"source": origin.source.value, "day": origin.day, "place": origin.place}


def _offer(view: OfferView) -> dict[str, Any]:
    offer = view.offer
    return {
        "channel": offer.channel,
        **(_origin(offer.origin) or {}),
        "digest": view.digest,
        "differs": view.differs,
        "lists": [_list(each) for each in offer.suggestion.lists],
        "left_out": list(offer.suggestion.left_out),
        "lines": [
            {
                "kind": line.kind,
                "above": line.above,
                "set": text(line.adopted),
                "offered": text(line.suggested),
                "difference": text(line.difference),
            }
            for line in view.lines
        ],
    }


def _list(each: PriceList) -> dict[str, Any]:
    tiers = [{"above": tier.above, "price": tier.price} for tier in each.tiers]
    return {"since": each.since or None, "price": each.price, "tiers": tiers}


def _vendor(word: VendorWord) -> dict[str, Any]:
    return {
        "channel": word.channel,
        "provider": word.provider,
        "model": word.upstream_model,
        "read_at": word.read_at,
        "listed": word.is_listed,
        "free": word.is_free,
        "left_out": list(word.left_out),
        "why": word.why or None,
    }


@told
async def adopt(asked: AdminRequest) -> Any:
    """Adopt prices of named models, or of all."""
    wanted: PriceAdoption = asked.body
    choices = [
        PriceChoice(
            model=each.model,
            channel=each.channel,
            source=each.source,
            digest=each.digest,
            version=each.version,
            replaces=each.replace_by_hand,
        )
        for each in wanted.models
    ]
    dry_run = dry_run_of(asked)
    done = await asked.console.prices.adopt(
        None if wanted.all else choices,
        author_of(asked),
        since=wanted.since,
        reason=wanted.reason,
        dry_run=dry_run,
    )
    return _adopted(done, dry_run=dry_run)


@told
async def adopt_proposals(asked: AdminRequest) -> Any:
    """Adopt what proposals say."""
    wanted: ProposalAdoption = asked.body
    dry_run = dry_run_of(asked)
    done = await asked.console.prices.adopt_proposals(
        _once(wanted.proposals),
        author_of(asked),
        replaces=wanted.replace_by_hand,
        since=wanted.since,
        reason=wanted.reason,
        dry_run=dry_run,
    )
    return _adopted(done, dry_run=dry_run)


def _adopted(found: AdoptedPrices, *, dry_run: bool) -> dict[str, Any]:
    done = found.done
    return {
        "dry_run": dry_run,
        "revision": None if done is None else done.revision,
        "change_id": None if done is None else done.change_id,
        "models": list(found.models),
        "skipped": [{"model": name, "why": why} for name, why in found.skipped],
        "entries": [] if done is None else [diff_shown(diff) for diff in done.diffs],
    }


@told
async def look(asked: AdminRequest) -> Any:
    """Read what vendors list now."""
    found = await asked.console.price_looks.look(LOOK_S)
    return {
        "proposed": found.proposed,
        "open": found.open,
        "unreached": list(found.unreached),
        "channels": [
            {
                "channel": name,
                "listed": each.listed,
                "unread": each.unread,
                "whole": each.is_whole,
                "models": sorted(each.models),
                "why": each.why or None,
            }
            for name, each in sorted(found.lists.items())
        ],
    }


@told
async def proposals(asked: AdminRequest) -> Any:
    """A page of proposals, newest first."""
    query = asked.query
    limit = _number(query.get("limit", "50"), "limit", 200)
    state = query.get("state", ProposalState.OPEN.value)
    words = [each.value for each in ProposalState]
    if state not in (*words, "all"):
        raise ApiError(400, f"state: must be {', '.join(words)} or all")
    before = None
    if "before" in query:
        before = whole(query["before"])
        if before is None:
            raise ApiError(400, "before: must be a whole number")
    wanted = None if state == "all" else ProposalState(state)
    found = await asked.console.prices.proposals(wanted, before, limit)
    return {
        "proposals": [proposal_shown(each) for each in found],
        "before": found[-1].id if len(found) == limit else None,
    }


def proposal_shown(each: PriceProposal) -> dict[str, Any]:
    """A proposal as this API shows it."""
    return {
        "id": each.id,
        "model": each.model,
        "state": each.state.value,
        "channel": each.channel,
        **(_origin(each.origin) or {}),
        "digest": each.digest,
        "by_hand": each.is_by_hand,
        "lines": [
            {"kind": line.kind, "above": line.above, "set": line.now, "offered": line.then}
            for line in each.lines
        ],
        "lists": [_list(one) for one in each.suggestion.lists],
        "left_out": list(each.suggestion.left_out),
        "found_at": each.found_at,
        "decided_at": each.decided_at,
        "decided_by": each.decided_by,
    }


@told
async def dismiss(asked: AdminRequest) -> Any:
    """Leave prices as they are."""
    wanted: DismissedProposals = asked.body
    done = await asked.console.prices.dismiss(_once(wanted.proposals), author_of(asked).user_id)
    return {"dismissed": done}


def _once(ids: tuple[int, ...]) -> list[int]:
    if len(set(ids)) != len(ids):
        raise ApiError(400, "proposals: one occurs twice")
    return list(ids)


def _number(said: str, name: str, most: int) -> int:
    found = whole(said)
    if found is None or not 1 <= found <= most:
        raise ApiError(400, f"{name}: must be 1 to {most}")
    return found


_DRY: Final = frozenset({"dry_run"})
_ROOT: Final = "/api/admin/catalogue/prices"

ENDPOINTS: Final = (
    resource(
        _ROOT,
        GET=ApiMethod(
            listing, query=frozenset({"group", "days", "model", "differing", "after", "limit"})
        ),
    ),
    resource(f"{_ROOT}/adopt", POST=ApiMethod(adopt, PriceAdoption, _DRY)),
    resource(f"{_ROOT}/look", POST=ApiMethod(look, WantedLook)),
    resource(
        f"{_ROOT}/proposals",
        GET=ApiMethod(proposals, query=frozenset({"state", "before", "limit"})),
    ),
    resource(f"{_ROOT}/proposals/adopt", POST=ApiMethod(adopt_proposals, ProposalAdoption, _DRY)),
    resource(f"{_ROOT}/proposals/dismiss", POST=ApiMethod(dismiss, DismissedProposals)),
)
