"""How the secrets stand that the gateway got for itself, for those who show it."""

import msgspec


class VendorIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """How one account's secret stands, for operators. Nothing in it is secret."""

    channel: str
    source: str
    """Where the secret was found; empty: it never was."""
    life_s: float | None
    """Seconds for which it still holds, 0 where there is none; ``None``: no end is known."""
    failures: int
    """Attempts to find or fetch it that failed, since the start."""
    why: str
    """Why the last attempt failed; empty: it did not."""
    is_missed: bool
    """Whether there is none that holds, and requests wanted it in the last ten minutes."""
