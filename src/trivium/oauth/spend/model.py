"""The key with which an application spends, and its cap."""

from typing import Final

import msgspec

from trivium.ledger.amounts import format_usd
from trivium.ledger.model import NANOS
from trivium.settings.budget import Budget, Period

CAP_NANOS_MIN: Final = NANOS // 100
CAP_NANOS_MAX: Final = 10_000 * NANOS
"""A month: ten thousand dollars."""
LIVE_MAX: Final = 10
"""Keys of one consent that are good at the same time, as of access tokens of one family."""


class SpendKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key of the gateway for an application, shown once."""

    key: str
    key_id: int
    user_id: int
    expires_at: int
    """With the access token it was given for; seconds since the epoch."""
    cap_nanos: int

    def body(self, now: int, base_url: str) -> dict[str, str | int]:
        """Members of the answer. ``base_url``: where the key is good."""
        return {
            "key": self.key,
            "expires_in": self.expires_at - now,
            "base_url": base_url,
            "monthly_cap": format_usd(self.cap_nanos),
        }


def check_cap(cap_nanos: int) -> None:
    """Raise ValueError for a cap out of range."""
    if not CAP_NANOS_MIN <= cap_nanos <= CAP_NANOS_MAX:
        low, high = format_usd(CAP_NANOS_MIN), format_usd(CAP_NANOS_MAX)
        raise ValueError(f"a cap is from {low} to {high} US dollars a month")


def budgets(cap_nanos: int) -> tuple[Budget, ...]:
    """Return a cap as the budgets that admission knows."""
    return (Budget(amount_nanos=cap_nanos, period=Period.MONTH),)
