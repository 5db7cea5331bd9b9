"""Logins at other providers as pages see them, and what a provider says about a person."""

from enum import Enum, unique

import msgspec

from trivium.identity.accounts.model import HalfWay, LoggedIn


class SsoLogin(msgspec.Struct, frozen=True, kw_only=True):
    """A login at a provider that is linked to a user. Times are seconds since the epoch."""

    id: int
    issuer: str
    email: str
    """As the provider had it last; empty when it says none."""
    created_at: int
    used_at: int | None


class SsoIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """A provider's verified statement about the person who logged in there."""

    issuer: str
    subject: str
    """Names the person at this issuer, for good; nothing else does."""
    email: str = ""
    email_verified: bool = False
    """The provider's own word for it."""
    name: str = ""
    """What the person may want to be called."""
    auth_time: int | None = None
    """When they last proved who they are there; ``None``: not said."""
    groups: frozenset[str] | None = None
    """Of the claim that the settings name; ``None``: not said, or not asked for."""
    groups_trouble: str = ""
    """Why they are not said; empty where nobody asked."""


@unique
class SsoPurpose(Enum):
    """The purpose for which somebody was sent to a provider."""

    ENTER = "enter"
    LINK = "link"
    CONFIRM = "confirm"


class SsoRedirect(msgspec.Struct, frozen=True, kw_only=True):
    """Where to send a browser, and the ticket for its way back."""

    url: str
    step: str
    """For a cookie of this browser: without it nobody comes back."""


class SsoResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a browser's return from a provider."""

    purpose: SsoPurpose
    outcome: LoggedIn | HalfWay | None = None
    """Of ``ENTER``."""
    token: str = ""
    """Of the session that goes on, for ``LINK`` and ``CONFIRM``: another one than before."""
    place: str = ""
    """What ``begin`` was given."""
