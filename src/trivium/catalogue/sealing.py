"""Credentials of entries, sealed with the deployment's own secret and bound to their entry."""

import hmac
from typing import Final

import msgspec

from trivium.secret import Keyring
from trivium.storage.vault import Vault

PURPOSE: Final = "catalogue"
"""Of the keys that seal."""
MARKS: Final = "catalogue marks"
"""Of the key that fingerprints are made with: somebody who reads the database cannot try
credentials."""
HINT_CHARS: Final = 4
HINT_FROM: Final = 12
"""Of a shorter credential nothing is shown: four characters would be too much of it."""
_decode = msgspec.json.Decoder(dict[str, str]).decode


class CredentialSeal:
    """Seals and opens the credentials of entries."""

    def __init__(self, vault: Vault, marks: Keyring) -> None:
        """``vault``: with keys of ``PURPOSE``; ``marks``: keys of ``MARKS``."""
        self._vault = vault
        self._marks = marks

    def seal(self, kind: str, name: str, values: dict[str, str]) -> bytes:
        """Seal credentials by their place in the document, for one entry alone."""
        return self._vault.seal(msgspec.json.encode(values), _place(kind, name))

    def open(self, kind: str, name: str, sealed: bytes) -> dict[str, str]:
        """The credentials by their place. Raises ``VaultError``."""
        return _decode(self._vault.open(sealed, _place(kind, name)))

    def is_current(self, sealed: bytes) -> bool:
        """Whether it was sealed with the key that seals now: others may be taken out one day."""
        return self._vault.is_current(sealed)

    def fingerprint(self, kind: str, name: str, at: str, value: str) -> str:
        """Sixteen hexadecimal digits: the same for the same credential at the same place."""
        said = f"{kind}\0{name}\0{at}\0{value}".encode("utf-8", "surrogatepass")
        return hmac.digest(self._marks.key, said, "sha256")[:8].hex()


def hint(value: str) -> str:
    """The last characters of a credential, for whoever knows it; empty of a short one."""
    return value[-HINT_CHARS:] if len(value) >= HINT_FROM else ""


def _place(kind: str, name: str) -> bytes:
    return f"catalogue\0{kind}\0{name}".encode()
