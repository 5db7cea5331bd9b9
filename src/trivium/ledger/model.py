"""Money's nouns. The unit inside is the nano-dollar, always an integer; no float comes near."""

import asyncio
from collections.abc import Iterable
from enum import Enum, unique
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from trivium.conversation.usage import Usage
from trivium.ledger.tariff import Tariff
from trivium.settings.budget import UNCOUNTED, Budget, CountedBudgets, CounterId
from trivium.wire.attribution import NOBODY, Attributed

NANOS: Final = 1_000_000_000
"""Nano-dollars a dollar."""
COUNTERS_MAX: Final = 64
"""Budgets that one request may count against."""


@unique
class EntryKind(Enum):
    """Why a balance changed."""

    USAGE = "usage"
    TOP_UP = "top_up"
    REDEMPTION = "redemption"
    ADJUSTMENT = "adjustment"
    REFUND = "refund"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One append-only booking; a balance is the sum of its account's entries."""

    id: int = 0
    """0: not booked yet."""
    user_id: int
    kind: EntryKind
    amount_nanos: int
    """Positive adds to the balance."""
    note: str = ""
    request_id: str | None = None
    """Unique where present: a request is booked once."""
    created_at: int = 0
    detail: str = ""
    """The bill explained, as JSON (docs/billing.md); empty where nothing was metered."""


class Quote(msgspec.Struct, frozen=True, gc=False):
    """The most one request can be foreseen to cost, and the prices it will be billed at."""

    amount_nanos: int
    """0: nothing will be charged."""
    tariff: Tariff | None = None
    """The model's prices at the moment of the request; ``None``: it is free."""
    input_tokens: int = 0
    """Estimated input, for a bill without a vendor's count."""
    own_nanos: int | None = None
    """What the model that is asked can cost itself, where more is held for those that may stand in:
    0 for a free one. ``None``: the amount."""


FREE: Final = Quote(amount_nanos=0)
"""What nobody charges for."""


class Hold(msgspec.Struct, frozen=True, gc=False):
    """An amount reserved for one running request."""

    request_id: str
    user_id: int
    amount_nanos: int
    quote: Quote = FREE
    key_id: int = 0
    limited: bool = True
    """Whether a balance has to cover it."""
    counted: CountedBudgets = UNCOUNTED
    """The budgets that it counts against, with their counters."""
    asker_id: int = 0
    """Who asks: of a team, which pays, a member or a service account."""
    team_id: int = 0
    """The team that the key spends for; 0: none."""
    who: Attributed = NOBODY
    """Whom and what it is for, as the caller says."""

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """The budgets that it counts against."""
        return self.counted.budgets

    @property
    def counters(self) -> tuple[CounterId, ...]:
        """Of each of them, in their order."""
        return self.counted.counters


Holder: TypeAlias = int | CounterId
"""What workers lease of: an account, by its user's id, or a budget, by its counter."""

RequestId: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[^\x00]{1,200}$")]
UserId: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
Cost: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10**9 * NANOS)]
"""At most a billion dollars."""
Moment: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=253_402_300_799)]
"""Seconds since the epoch, to the end of the year 9999: what a calendar can show."""
Counters: TypeAlias = Annotated[tuple[CounterId, ...], msgspec.Meta(max_length=COUNTERS_MAX)]


class UsageDetail(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What the detail of a usage entry says after the model and its prices, in this order."""

    key: int
    user: int = 0
    """Who asked, where another account pays."""
    team: int = 0
    channel: str = ""
    """Who answered; empty for nobody."""
    end: str
    """How it ended, if not well."""
    usage: Usage
    budgets: Counters = ()


class Settlement(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What one request came to, on its way from the journal into the database.

    The bounds are those of what is read back: nothing else can be booked.
    """

    request_id: RequestId
    user_id: UserId
    cost_nanos: Cost
    at: Moment
    note: Annotated[str, msgspec.Meta(pattern=r"^[^\x00]{0,200}$")]
    """``interrupted`` where the journal was all that was left of it."""
    detail: str
    counters: Counters = ()
    """Of the budgets that it counts against. The detail has them as well."""
    who: Attributed = NOBODY
    """Whom and what it is for. Never part of the entry, which nobody can erase."""


def counted_costs(batch: Iterable[Settlement]) -> dict[CounterId, int]:
    """What settlements took, by counter."""
    together: dict[int, list[Any]] = {}
    # requests of one key share one tuple, and there are as many of these as keys, not as requests
    last: tuple[CounterId, ...] | None = None
    sums: list[Any] = []
    for settled in batch:
        counters = settled.counters
        if counters is not last:
            last = counters
            sums = together.setdefault(id(counters), [counters, 0])
        sums[1] += settled.cost_nanos
    spent: dict[CounterId, int] = {}
    for counters, nanos in together.values():
        for counter in counters:
            spent[counter] = spent.get(counter, 0) + nanos
    return spent


class OpenHold(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A hold as the journal keeps it: enough to book what is left of a dead worker's request."""

    request_id: RequestId
    user_id: UserId
    interrupted_nanos: Cost
    """What it costs if nobody ever settles it."""
    at: Moment
    detail: str
    counters: Counters = ()
    who: Attributed = NOBODY


class Contents(msgspec.Struct):
    """What a worker's files say together."""

    holds: dict[str, OpenHold] = msgspec.field(default_factory=dict)
    """Holds that nothing has ended, by request id."""
    settlements: dict[str, Settlement] = msgspec.field(default_factory=dict)
    damaged: list[bytes] = msgspec.field(default_factory=list)
    """Lines passed over, apart from a torn last one."""


class LeaseRequest(msgspec.Struct, frozen=True, gc=False):
    """What a worker wants its lease of one account or budget to be after a turn."""

    keep: int
    """Relied on: the turn must not leave less."""
    need: int
    """Held, spent but not in this turn's bookings, or awaited."""
    ahead: int
    """Beyond the need, if the account can spare it."""
    awaited: tuple[int, ...] = ()
    """What of the need is awaited, by each request in the order of asking."""
    room: int = 0
    """What must be left beside all leases, for a hold that is a row."""
    round: int = 0
    """The number of the call by which others are to give back what they do not use: whoever has
    answered it is not waited for. 0: this turn calls them, if there is too little.
    """
    yields: bool = False
    """Whether this one does so: it asks for nothing ahead of need."""
    limit: int = 0
    """The amount of a budget, in nano-dollars; an account's balance is in the database."""
    payer: int = 0
    """Of a budget: whose account paid last."""
    since: int = 0
    """Of a budget: when it was given."""


class LeaseState(msgspec.Struct, frozen=True, gc=False):
    """How a lease stands after a turn."""

    leased: int
    pool: int
    """Balance and overdraft, less what other workers have leased: the most this one could have."""
    others: int = 0
    """What they have leased, where there was too little."""
    is_final: bool = True
    """Whether there was too little, and nobody else has anything to give back."""
    round: int = 0
    """The number of that call, where there was too little."""
    is_wanted: bool = False
    """Whether another worker has called this one, which it did not know when it asked."""
    crossed: int = 0
    """Per cent of a budget that this turn was the first to see spent; 0: of none."""
    is_low: bool = False
    """Whether this turn was the first to see a balance below where its owner is told."""
    is_counted: bool = True
    """Whether what was spent before a budget was given is known; ``False``: nothing more is leased
    until ``ledger/recalls/store.py`` has counted it.
    """


class Waiting(msgspec.Struct, gc=False):
    """A request that waits for the next turn of an account or a budget."""

    hold: Hold
    granted: asyncio.Future[bool]
    since: float = 0.0
    """Monotonic seconds."""
    is_row: bool = False
    """Whether the hold is to be a row: nothing is leased for it, but there must be room."""
    counted: bool = False
    """Whether a turn that has begun asks for it: only such a turn can refuse it."""
