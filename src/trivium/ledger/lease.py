"""What a worker and the database say to each other about a lease, and who waits for it."""

import asyncio

import msgspec

from trivium.ledger.model import Hold


class Wish(msgspec.Struct, frozen=True, gc=False):
    """What a worker wants its lease of one account to be after a turn."""

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


class Standing(msgspec.Struct, frozen=True, gc=False):
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


class Waiting(msgspec.Struct, gc=False):
    """A request that waits for the account's next turn."""

    hold: Hold
    granted: asyncio.Future[bool]
    since: float = 0.0
    """Monotonic seconds."""
    is_row: bool = False
    """Whether the hold is to be a row: nothing is leased for it, but there must be room."""
    counted: bool = False
    """Whether a turn that has begun asks for it: only such a turn can refuse it."""
