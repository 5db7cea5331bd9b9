"""Bodies at rest: encrypted and bound to their row, by the `cryptography` library.

AES-256-GCM (NIST SP 800-38D). A sealed body is

    format  1 byte    another cipher can take over while old bodies still open
    key id  4 bytes   which of the gateway's keys, so that they can be rotated
    salt    16 bytes  random: HKDF-SHA-256 (RFC 5869) makes a key of it for this body alone
    nonce   12 bytes  random
    the encrypted body with its tag of 16 bytes

and what stands before the nonce is under the tag, with the place of the body. A key for each body,
because random nonces are good for 2**32 bodies a key (SP 800-38D, 8.3), which a busy gateway
writes in a year.
"""

import os
from typing import TYPE_CHECKING, Final

from trivium.secret import KEY_ID_BYTES, Keyring

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

FORMAT: Final = b"\x02"
SALT_BYTES: Final = 16
NONCE_BYTES: Final = 12
TAG_BYTES: Final = 16
_SALT: Final = len(FORMAT) + KEY_ID_BYTES
_NONCE: Final = _SALT + SALT_BYTES
_BODY: Final = _NONCE + NONCE_BYTES
OVERHEAD: Final = _BODY + TAG_BYTES
"""Bytes by which a sealed body is longer."""


class VaultError(Exception):
    """A stored body cannot be opened: its key is gone, or it is damaged or another row's."""


class Vault:
    """Seals and opens bodies."""

    __slots__ = ("_keys",)

    def __init__(self, keys: Keyring) -> None:
        """``keys`` of one purpose: a body does not open in the vault of another."""
        self._keys = keys

    def seal(self, body: bytes, place: bytes) -> bytes:
        """Encrypt ``body`` so that it opens for this place only."""
        return bytes(self.seal_large(body, place))

    def seal_large(self, body: bytes | bytearray, place: bytes) -> bytearray:
        """Do the same for a body of megabytes, of which no second copy is made."""
        salt = os.urandom(SALT_BYTES)
        nonce = os.urandom(NONCE_BYTES)
        head = FORMAT + self._keys.id + salt
        sealed = bytearray(OVERHEAD + len(body))
        sealed[:_BODY] = head + nonce
        with memoryview(sealed) as view:
            cipher = _cipher(self._keys.key, salt)
            cipher.encrypt_into(nonce, body, head + place, view[_BODY:])
        return sealed

    def is_current(self, sealed: bytes) -> bool:
        """Whether the current key sealed it. If not, a body that stays should be sealed anew."""
        return sealed[len(FORMAT) : _SALT] == self._keys.id

    def open(self, sealed: bytes | bytearray, place: bytes) -> bytes:
        """Return the decrypted body. Raises VaultError."""
        from cryptography.exceptions import InvalidTag

        if sealed[: len(FORMAT)] != FORMAT or len(sealed) < OVERHEAD:
            raise VaultError("a stored body is cut off or of another format")
        key = self._keys.get(bytes(sealed[len(FORMAT) : _SALT]))
        if key is None:
            raise VaultError("a stored body was sealed with a key that this gateway has not got")
        cipher = _cipher(key, bytes(sealed[_SALT:_NONCE]))
        try:
            hidden = memoryview(sealed)[_BODY:]
            return cipher.decrypt(sealed[_NONCE:_BODY], hidden, sealed[:_NONCE] + place)
        except InvalidTag:
            raise VaultError("a stored body was altered, or belongs to another row") from None


def _cipher(key: bytes, salt: bytes) -> "AESGCM":
    # imported at first use, see storage/root_key.py
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return AESGCM(HKDF(SHA256(), 32, salt, b"trivium body").derive(key))
