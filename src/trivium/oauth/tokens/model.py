"""Tokens, and the requests that clients make for them."""

from enum import Enum, unique

import msgspec

from trivium.oauth import scope


@unique
class RevocationReason(Enum):
    """Why a family of tokens was revoked."""

    CODE_REPLAY = "code_replay"
    REUSE = "reuse"
    CLIENT = "client"
    """The application itself revoked its refresh token."""
    GRANT_REVOKED = "grant_revoked"


class ClientCredentials(msgspec.Struct, frozen=True, kw_only=True):
    """What a client presented to prove who it is."""

    client_id: str
    client_secret: str


class CodeGrant(msgspec.Struct, frozen=True, kw_only=True):
    """A code to be exchanged."""

    code: str
    redirect_uri: str
    verifier: str | None


class RefreshGrant(msgspec.Struct, frozen=True, kw_only=True):
    """A refresh token to be used."""

    refresh_token: str
    scopes: frozenset[str] | None
    """What the access token shall be good for; ``None``: everything the refresh token is."""


class Issued(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as the client is given them."""

    access_token: str
    refresh_token: str
    expires_in: int
    """Seconds the access token is good for."""
    scopes: frozenset[str]
    user_id: int
    family_id: int

    def body(self) -> dict[str, str | int]:
        """Members of the token response (RFC 6749 section 5.1)."""
        return {
            "access_token": self.access_token,
            "token_type": "Bearer",
            "expires_in": self.expires_in,
            "refresh_token": self.refresh_token,
            "scope": scope.written(self.scopes),
        }


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """What a valid access token opens."""

    user_id: int
    app_id: int
    client_id: str
    grant_id: int
    family_id: int
    scopes: frozenset[str]
    expires_at: int
    """Seconds since the epoch."""
    last_used_at: int | None
    """When the consent behind it was last used, to the minute."""
