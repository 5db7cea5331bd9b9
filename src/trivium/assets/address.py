"""Addresses that need no key: whoever has one may read that one file until it expires.

``{origin}/assets/{id}?exp={seconds}&sig={signature}``. The signature is HMAC-SHA-256 (RFC 2104)
over id and expiry, behind the id of its key, in URL-safe base64. The local store cannot sign, and
an address of an S3-compatible one would tell callers where files lie and outlive a change of it.
"""

import base64
import binascii
import hmac
import re
from enum import Enum, unique
from typing import Final

from trivium.secret import KEY_ID_BYTES, Keyring

PATH: Final = "/assets/"
_SECONDS: Final = re.compile(r"[1-9][0-9]{0,11}")


@unique
class SignatureCheck(Enum):
    """The three results of checking an address."""

    GOOD = "good"
    EXPIRED = "expired"
    FORGED = "forged"


class SignedAddresses:
    """Signs addresses of files and checks their signatures."""

    __slots__ = ("_keys", "_origin")

    def __init__(self, keys: Keyring, origin: str) -> None:
        """``origin``: scheme, host and port under which callers reach the gateway."""
        self._keys = keys
        self._origin = origin.rstrip("/")

    def sign(self, asset_id: str, expires_at: int) -> str:
        """Return a file's whole address, good until ``expires_at`` (seconds since the epoch)."""
        digest = _digest(self._keys.key, asset_id, expires_at)
        signature = base64.urlsafe_b64encode(self._keys.id + digest).decode()
        return f"{self._origin}{PATH}{asset_id}?exp={expires_at}&sig={signature}"

    def check(self, asset_id: str, exp: str | None, sig: str | None, now: float) -> SignatureCheck:
        """Whether a signature is ours and in time. A wrong one takes as long as a right one."""
        if exp is None or sig is None or not _SECONDS.fullmatch(exp):
            return SignatureCheck.FORGED
        try:
            given = base64.b64decode(sig.encode("ascii"), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            return SignatureCheck.FORGED
        key = self._keys.get(given[:KEY_ID_BYTES])
        if key is None:
            return SignatureCheck.FORGED
        expires_at = int(exp)
        if not hmac.compare_digest(given[KEY_ID_BYTES:], _digest(key, asset_id, expires_at)):
            return SignatureCheck.FORGED
        return SignatureCheck.GOOD if now < expires_at else SignatureCheck.EXPIRED


def _digest(key: bytes, asset_id: str, expires_at: int) -> bytes:
    return hmac.digest(key, f"{asset_id}:{expires_at}".encode(), "sha256")
