"""Authorization requests, consent and codes as the rest of the service sees them."""

import msgspec

from trivium.oauth.apps.model import App


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """An authorization request that passed every check."""

    app: App
    redirect_uri: str
    scopes: frozenset[str]
    state: bytes | None
    """Exactly as it came, percent-decoded; ``None``: none did."""
    code_challenge: str | None
    auto_authorize: bool


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """An authorization request that waits for its user's answer. Times in seconds."""

    asked: Asked
    owner: str
    """Name of whoever registered the application."""
    user_id: int | None
    """Whose answer it waits for; ``None``: nobody has logged in yet."""
    created_at: int
    login_at: int | None
    """When its user logged in on a page that named the application; ``None``: they did not."""


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A user's consent. Times in seconds since the epoch."""

    id: int
    user_id: int
    app_id: int
    scopes: frozenset[str]
    automatic: bool
    """Given without a question."""
    created_at: int
    consented_at: int
    """Last time, or when the scopes last grew."""
    revoked_at: int | None


class Authorized(msgspec.Struct, frozen=True, kw_only=True):
    """A consent as its user is shown it."""

    grant: Grant
    app: App
    owner: str
    first_used_at: int | None
    last_used_at: int | None
    live_tokens: int
    """Access and refresh tokens that are valid now."""
    incident_at: int | None
    """When a code or refresh token was presented twice and its tokens were revoked; ``None``."""
