"""Authorization requests, consent and codes as the rest of the service sees them."""

from enum import Enum, unique

import msgspec

from trivium.oauth.apps.model import App
from trivium.oauth.scope import SPEND


class AuthorizationRequest(msgspec.Struct, frozen=True, kw_only=True):
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

    asked: AuthorizationRequest
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


@unique
class Decision(Enum):
    """What happens to an authorization request once its user is known."""

    ASK = "ask"
    KNOWN = "known"
    """Granted before."""
    AUTOMATIC = "automatic"
    """Granted now, without a question."""


class ConsentHistory(msgspec.Struct, frozen=True, kw_only=True):
    """A user's earlier answers to an application."""

    grant: Grant | None
    """Consent that holds; ``None``: there is none."""
    was_revoked: bool
    """There is none because it was taken back."""


def holds(grant: Grant, asked: AuthorizationRequest) -> bool:
    """Whether consent covers a request: not to an application that has changed since."""
    return asked.scopes <= grant.scopes and grant.consented_at > asked.app.changed_at


def outlived(grant: Grant, asked: AuthorizationRequest) -> bool:
    """Whether consent to a request must not go on in an earlier one: that was given before the
    application changed, and to more, which would come to life again with it.
    """
    return grant.consented_at <= asked.app.changed_at and not grant.scopes <= asked.scopes


def decide(pending: Pending, history: ConsentHistory, *, is_framed: bool) -> Decision:
    """Decide what happens to a request. ``is_framed``: the browser loads it into another page."""
    asked, grant = pending.asked, history.grant
    if is_framed:
        return Decision.ASK
    if grant is not None and holds(grant, asked):
        return Decision.KNOWN
    if not asked.auto_authorize or history.was_revoked:
        return Decision.ASK
    # nobody's money is given away without an amount that they wrote themselves
    if SPEND in asked.scopes:
        return Decision.ASK
    has_just_logged_in = pending.login_at is not None and pending.login_at >= pending.created_at
    return Decision.AUTOMATIC if asked.app.trusted or has_just_logged_in else Decision.ASK
