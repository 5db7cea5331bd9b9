"""Tokens for machines as the rest of the service sees them."""

import msgspec

from trivium.settings.workloads import AdminScope


class AdminToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token for machines without its secret. Times in seconds since the epoch."""

    id: int
    user_id: int | None
    """The administrator it is of, and ends with; ``None``: the gateway's own."""
    parent_id: int | None
    """The token that made it, and ends it when it is revoked."""
    name: str
    hint: str
    scopes: frozenset[AdminScope]
    created_at: int
    expires_at: int
    last_used_at: int | None = None
    revoked_at: int | None = None
    former_until: int | None = None
    """Until when the secret before the last rotation works."""

    def state(self, now: float) -> str:
        """``live``, ``revoked`` or ``expired``."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at <= now else "live"

    @property
    def what(self) -> str:
        """How the audit log names it."""
        return f"admin_token:{self.id}"


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """A program that presented a token which does what its scopes say."""

    name: str
    """Names the token in logs: ``token 3 (nightly)``, ``workload deploy (repo:acme/infra:…)``."""
    scopes: frozenset[AdminScope]
    user_id: int | None = None
    """The administrator that the token is of; ``None``: nobody's."""
    token_id: int | None = None
    """``None``: a workload's, which is no row of ours."""
    expires_at: int
    """Seconds since the epoch."""
    is_former: bool = False
    """Whether it presented the secret before the last rotation, which makes no others."""


def words(scopes: frozenset[AdminScope]) -> str:
    """Scopes in the order of their list, with spaces between them."""
    return " ".join(scope.value for scope in AdminScope if scope in scopes)
