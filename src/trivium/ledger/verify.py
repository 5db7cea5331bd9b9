"""Recomputes what entries say of themselves, and makes rows for export."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.ledger.amounts import format_usd
from trivium.ledger.cost import cost, tariff_of
from trivium.ledger.model import Entry, EntryKind
from trivium.observe.metrics.model import KINDS
from trivium.routing.model import ImagePrice, PriceRow, VideoPrice

if TYPE_CHECKING:
    from trivium.storage.database import Database

PAGE: Final = 1_000
"""Entries a query."""
END: Final = 2**62
"""Later than any entry."""

COLUMNS: Final = (
    "entry",
    "at",
    "user",
    "kind",
    "amount_usd",
    "request_id",
    "key",
    "model",
    "note",
    "end",
    "estimated",
    *KINDS,
    "seconds",
    "characters",
    "requests",
)
"""Of an exported row; the counters are those of the bill (docs/billing.md)."""


class Detail(msgspec.Struct, frozen=True, kw_only=True):
    """The bill of an entry, as it is stored."""

    model: str = ""
    since: int = 0
    multiplier: str = "1"
    tier: int = 0
    prices: dict[str, Decimal] = msgspec.field(default_factory=dict)
    images: tuple[tuple[str, str, Decimal], ...] = ()
    videos: tuple[tuple[str, Decimal], ...] = ()
    key: int = 0
    user: int = 0
    """Who asked, where another account pays."""
    team: int = 0
    channel: str = ""
    end: str = ""
    usage: Usage | None = None

    @property
    def row(self) -> PriceRow:
        """Return the price list that the bill was computed by."""
        return PriceRow(
            price=self.prices,
            images=tuple(ImagePrice(size=s, quality=q, price=p) for s, q, p in self.images),
            videos=tuple(VideoPrice(size=size, price=price) for size, price in self.videos),
        )


_decode: Final = msgspec.json.Decoder(Detail).decode


def detail_of(entry: Entry) -> Detail | None:
    """The bill behind an entry; ``None`` when there is none, or none that can be read."""
    if not entry.detail:
        return None
    try:
        return _decode(entry.detail)
    except (msgspec.MsgspecError, ValueError):
        return None


def reckoned(detail: Detail) -> int | None:
    """Return what a bill comes to in nano-dollars; ``None`` where it does not say what was used."""
    if detail.usage is None:
        return None
    return cost(tariff_of(detail.model, detail.row, Fraction(detail.multiplier)), detail.usage)[0]


def wrong_with(entry: Entry) -> str | None:
    """Return how an entry contradicts itself; ``None`` when it is consistent."""
    if entry.kind is not EntryKind.USAGE or not entry.detail:
        return None
    detail = detail_of(entry)
    if detail is None:
        return "its bill cannot be read"
    try:
        nanos = reckoned(detail)
    except (ValueError, ZeroDivisionError):
        return "its bill cannot be reckoned"
    if nanos is None or nanos == -entry.amount_nanos:
        return None
    return f"its bill comes to {format_usd(nanos)}, booked are {format_usd(-entry.amount_nanos)}"


async def entries(
    database: "Database", *, user_id: int | None = None, since: int = 0, until: int = END
) -> AsyncIterator[tuple[str, Entry]]:
    """Every entry in the order of booking, with its user's name; a page at a time.

    ``since`` and ``until`` in seconds since the epoch, the latter not included.
    """
    async for page in pages(database, user_id=user_id, since=since, until=until):
        for each in page:
            yield each


async def pages(
    database: "Database", *, user_id: int | None = None, since: int = 0, until: int = END
) -> AsyncIterator[list[tuple[str, Entry]]]:
    """The same as pages of at most ``PAGE`` entries, none of them empty."""
    from trivium.ledger import store

    after = 0
    page: list[tuple[str, Entry]] = []
    while True:
        async with database.read() as conn:
            found = store.entries_after(conn, after, PAGE, user_id, since, until)
            page = [each async for each in found]
        if page:
            yield page
        if len(page) < PAGE:
            return
        after = page[-1][1].id


def row_of(user: str, entry: Entry) -> tuple[str, ...]:
    """An entry in the order of ``COLUMNS``; what does not apply is empty."""
    detail = detail_of(entry) or Detail()
    usage = detail.usage
    counters: tuple[Any, ...] = ("",) * (len(COLUMNS) - 11)
    if usage is not None:
        counters = tuple(getattr(usage, name) for name in COLUMNS[11:])
    return (
        str(entry.id),
        datetime.fromtimestamp(entry.created_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        user,
        entry.kind.value,
        format_usd(entry.amount_nanos),
        entry.request_id or "",
        str(detail.key or ""),
        detail.model,
        entry.note,
        detail.end,
        "" if usage is None else str(usage.estimated).lower(),
        *("" if value is None else str(value) for value in counters),
    )
