"""From a presented key to its caller. Pure; called once a request.

Unknown, mistyped, expired and disabled keys get the same words, so that nobody learns from the
answer which keys exist.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import Final

from trivium.faults import Fault, Kind
from trivium.identity.keys import KEY_CHARS, PREFIX
from trivium.identity.model import Caller

MISSING: Final = (
    "No API key was presented. Send it as 'Authorization: Bearer <key>', 'x-api-key: <key>' "
    "or 'x-goog-api-key: <key>'."
)
INVALID: Final = (
    f"The API key is not valid. It must be one of this gateway ({PREFIX}...), complete and "
    "not revoked."
)


def authenticate(
    presented: str | bytes | None, snapshot_get: Callable[[bytes], Caller | None], now: float
) -> Caller:
    """The caller a key belongs to.

    ``snapshot_get`` maps a SHA-256 digest to its caller; ``now`` is in seconds since the epoch.
    Raises ``Fault`` (KEY_MISSING, KEY_UNKNOWN).
    """
    return caller_of(digest_of(presented), snapshot_get, now)


def digest_of(presented: str | bytes | None) -> bytes:
    """By what a presented key is known. Raises ``Fault`` (KEY_MISSING, KEY_UNKNOWN)."""
    if not presented:
        raise Fault(Kind.KEY_MISSING, MISSING)
    # the length spares hashing whatever somebody puts into a 64 KiB header
    if len(presented) != KEY_CHARS:
        raise Fault(Kind.KEY_UNKNOWN, INVALID)
    raw = presented if isinstance(presented, bytes) else presented.encode("utf-8", "replace")
    return sha256(raw).digest()


def caller_of(digest: bytes, snapshot_get: Callable[[bytes], Caller | None], now: float) -> Caller:
    """The caller whose key has this digest, as things stand now. Raises ``Fault`` (KEY_UNKNOWN)."""
    caller = snapshot_get(digest)
    if caller is None or caller.disabled or now >= caller.expires_at:
        raise Fault(Kind.KEY_UNKNOWN, INVALID)
    return caller
