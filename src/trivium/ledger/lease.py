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


class Standing(msgspec.Struct, frozen=True, gc=False):
    """How a lease stands after a turn."""

    leased: int
    pool: int
    """Balance and overdraft, less what other workers have leased: the most this one could have."""


class Waiting(msgspec.Struct, gc=False):
    """A request that waits for the account's next turn."""

    hold: Hold
    granted: asyncio.Future[bool]
    counted: bool = False
    """Whether a turn that has begun asks for it: only such a turn can refuse it."""
