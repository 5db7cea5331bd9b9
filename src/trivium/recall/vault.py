"""Bodies at rest: encrypted and bound to their row, with the standard library alone.

Encrypt, then authenticate, with keys of their own derived from the gateway's root key: the
keystream is SHAKE-256 over key and nonce, the tag HMAC-SHA-256 over everything. A body moved to
another row, or touched, does not open. The first byte is the format: another cipher can take over
while old bodies still open.
"""

import hashlib
import hmac
import os
from typing import Final

FORMAT: Final = b"\x01"
NONCE_BYTES: Final = 24
TAG_BYTES: Final = 32
_HEAD: Final = len(FORMAT) + NONCE_BYTES + TAG_BYTES


class VaultError(Exception):
    """What is stored does not open: another root key, another row, or damage."""


class Vault:
    """Seals and opens bodies."""

    __slots__ = ("_cipher", "_tag")

    def __init__(self, root_key: bytes) -> None:
        self._cipher = hmac.digest(root_key, b"trivium recall cipher", "sha256")
        self._tag = hmac.digest(root_key, b"trivium recall tag", "sha256")

    def seal(self, body: bytes, place: bytes) -> bytes:
        """``body`` for one place; only the same place opens it."""
        nonce = os.urandom(NONCE_BYTES)
        hidden = self._masked(body, nonce)
        return b"".join((FORMAT, nonce, self._proof(nonce, place, hidden), hidden))

    def open(self, sealed: bytes, place: bytes) -> bytes:
        """The body. Raises VaultError."""
        nonce = sealed[1 : 1 + NONCE_BYTES]
        proof = sealed[1 + NONCE_BYTES : _HEAD]
        hidden = sealed[_HEAD:]
        if sealed[:1] != FORMAT or not hmac.compare_digest(
            proof, self._proof(nonce, place, hidden)
        ):
            raise VaultError("a stored response does not open with this gateway's key")
        return self._masked(hidden, nonce)

    def _masked(self, body: bytes, nonce: bytes) -> bytes:
        size = len(body)
        stream = hashlib.shake_256(self._cipher + nonce).digest(size)
        return (int.from_bytes(body) ^ int.from_bytes(stream)).to_bytes(size)

    def _proof(self, nonce: bytes, place: bytes, hidden: bytes) -> bytes:
        head = b"%b%b%d:%b" % (FORMAT, nonce, len(place), place)
        return hmac.digest(self._tag, head + hidden, "sha256")
