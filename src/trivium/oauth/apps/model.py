"""Applications as the rest of the service sees them."""

from enum import Enum, unique

import msgspec

from trivium.oauth.scope import SCOPES


@unique
class AppStatus(Enum):
    """Whether an application may be used."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    """By its owner."""
    BLOCKED = "blocked"
    """By the operator, who alone can let it work again."""


@unique
class GrantType(Enum):
    """What an application may ask the token endpoint for."""

    CODE = "authorization_code"
    REFRESH = "refresh_token"


class App(msgspec.Struct, frozen=True, kw_only=True):
    """A registered application. Times in seconds since the epoch."""

    id: int
    user_id: int
    """Its owner."""
    name: str
    description: str
    client_id: str
    """Public."""
    redirect_uri: str
    status: AppStatus = AppStatus.ACTIVE
    owner_disabled: bool = False
    """Nobody answers for it: it rests until its owner is enabled, or it is another's."""
    trusted: bool = False
    """Set by the operator alone, and lost with a change of what people are shown or where it sends
    them: its requests may be granted without a question."""
    scopes: frozenset[str] = frozenset(SCOPES)
    """What it may ask for."""
    grants: frozenset[GrantType] = frozenset(GrantType)
    rotate_refresh: bool = True
    """Whether each refresh gives a new refresh token."""
    send_iss: bool = False
    """Whether the authorization response carries ``iss`` (RFC 9207)."""
    created_at: int = 0
    changed_at: int = 0
    """When what people are shown of it, or where it sends them, last changed."""

    @property
    def works(self) -> bool:
        """Whether the application may ask for consent and its tokens are good."""
        return self.status is AppStatus.ACTIVE and not self.owner_disabled


class OwnSecret(msgspec.Struct, frozen=True, kw_only=True):
    """A client secret without its value."""

    hint: str
    created_at: int
    expires_at: int | None
    """``None``: it is the current one."""
