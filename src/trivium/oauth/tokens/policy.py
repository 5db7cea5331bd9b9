"""Whether a code or a refresh token is good. Pure: rows in, a verdict out.

Every refusal of a grant has the same words, whatever was wrong: an answer must not tell an unknown
code from a used one.
"""

import hmac
from base64 import urlsafe_b64encode
from enum import Enum, unique
from hashlib import sha256
from typing import Final

import msgspec

from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens.model import CodeGrant

GRACE_S: Final = 60
"""How long a used refresh token still gives its successor: parallel workers, lost answers."""

CODE_INVALID: Final = "the code is not valid, or not for this redirect_uri and code_verifier"
REFRESH_INVALID: Final = "the refresh token is not valid"


class CodeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A stored code, with everything that decides whether it is good."""

    digest: bytes
    app_id: int
    user_id: int
    grant_id: int
    redirect_uri: str
    scopes: frozenset[str]
    code_challenge: str | None
    expires_at: int
    family_id: int | None
    """What came of its first use; ``None``: nothing."""
    is_granted: bool
    """Consent holds and the user is not disabled."""


class RefreshRow(msgspec.Struct, frozen=True, kw_only=True):
    """A stored refresh token, with everything that decides whether it is good."""

    id: int
    app_id: int
    user_id: int
    grant_id: int
    family_id: int
    family_expires_at: int
    scopes: frozenset[str]
    expires_at: int
    rotated_at: int | None
    seed: bytes | None
    is_granted: bool
    """Consent and family hold and the user is not disabled."""
    language: str = "en"
    """In which the user agreed."""


@unique
class Use(Enum):
    """What happens when a refresh token is presented."""

    FIRST = "first"
    GRACE = "grace"
    REUSE = "reuse"
    INVALID = "invalid"


def code_is_good(row: CodeRow, given: CodeGrant, now: float) -> bool:
    """Whether a code that is used for the first time, by its own application, gives tokens."""
    return (
        row.is_granted
        and row.expires_at > now
        and row.redirect_uri == given.redirect_uri
        and verifies(row.code_challenge, given.verifier)
    )


def verifies(challenge: str | None, verifier: str | None) -> bool:
    """Whether a PKCE verifier belongs to a challenge. One without the other never does: a verifier
    for a code without a challenge is a downgrade (RFC 9700 section 4.8.2).
    """
    if challenge is None or verifier is None:
        return challenge is verifier
    made = urlsafe_b64encode(sha256(verifier.encode("utf-8")).digest()).rstrip(b"=")
    return hmac.compare_digest(made, challenge.encode("ascii"))


def use_of(row: RefreshRow | None, app_id: int, now: float) -> Use:
    """What follows from presenting a refresh token. Another application's presentation never
    revokes anything: whoever finds a token could end its owner's access with it.
    """
    if row is None or row.app_id != app_id or not row.is_granted:
        return Use.INVALID
    if min(row.expires_at, row.family_expires_at) <= now:
        return Use.INVALID
    if row.rotated_at is None:
        return Use.FIRST
    if row.rotated_at > now + GRACE_S:
        return Use.INVALID  # the clock was ahead: nobody can tell a repetition from a theft
    return Use.GRACE if now - row.rotated_at <= GRACE_S else Use.REUSE


def narrowed(granted: frozenset[str], wanted: frozenset[str] | None) -> frozenset[str]:
    """Scopes of an access token. Raises OAuthError (``invalid_scope``) for more than granted."""
    if wanted is None:
        return granted
    if not wanted <= granted:
        raise OAuthError("invalid_scope", "scope exceeds what was granted")
    return wanted


def successor_secret(presented: str, seed: bytes, key: bytes) -> bytes:
    """The secret of the refresh token that follows one: from the token itself, the row's seed and
    the gateway's key. So it can be given again within the grace and is stored nowhere; neither the
    database nor the key nor an old token alone is enough to make it.
    """
    return hmac.digest(key, b"trivium refresh\0" + seed + presented.encode("utf-8"), "sha256")
