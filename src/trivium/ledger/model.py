"""Money's nouns. The unit inside is the nano-dollar, always an integer; no float comes near."""

from enum import Enum, unique
from typing import Final

import msgspec

NANOS: Final = 1_000_000_000
"""Nano-dollars a dollar."""
NANOS_PER_QUOTA: Final = 2_000
"""Nano-dollars a unit of the public ``quota`` field (500,000 units a dollar)."""


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

    id: int
    user_id: int
    kind: EntryKind
    amount_nanos: int
    """Positive adds to the balance."""
    note: str = ""
    request_id: str | None = None
    """Unique where present: a request is booked once."""
    created_at: int = 0


class Hold(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An amount reserved for one running request."""

    request_id: str
    user_id: int
    amount_nanos: int
