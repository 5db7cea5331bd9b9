"""Developer tokens as the rest of the service sees them."""

from typing import Final

import msgspec

from trivium.identity.model import UserRole

WRITE_APPS: Final = "oauth_apps:write"
"""Registers applications."""
ADMIN: Final = UserRole.ADMIN.value
"""Administers the gateway; ends when its owner is no administrator any more."""


TEAMS: Final = "teams:manage"
"""Does in teams what its owner's roles there allow."""


class DeveloperToken(msgspec.Struct, frozen=True, kw_only=True):
    """A developer token without its secret. Times in seconds since the epoch."""

    id: int
    user_id: int
    name: str
    hint: str
    permissions: frozenset[str]
    created_at: int
    expires_at: int
    last_used_at: int | None = None
    revoked_at: int | None = None

    def state(self, now: float) -> str:
        """``live``, ``revoked`` or ``expired``."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at <= now else "live"
