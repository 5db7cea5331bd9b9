"""The gateway key: ``sk-gateway-``, 43 base62 characters of secret, 6 of checksum.

43 characters of 62 are 256 bits. The checksum is the CRC-32 of the secret's 43 ASCII characters,
written in base62, most significant digit first, padded with ``0``; it tells a mistyped or truncated
key from an unknown one without a look-up, and lets secret scanners find real keys. It is no
protection: only the SHA-256 of the whole key is stored, and 256 bits need no slow hash.
"""

import re
from collections.abc import Callable
from hashlib import sha256
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final
from zlib import crc32

PREFIX: Final = "sk-gateway-"
ALPHABET: Final = digits + ascii_uppercase + ascii_lowercase
SECRET_CHARS: Final = 43
CHECK_CHARS: Final = 6
KEY_CHARS: Final = len(PREFIX) + SECRET_CHARS + CHECK_CHARS
HINT_CHARS: Final = 4

_EVEN: Final = 256 - 256 % 62
"""Bytes from here on would make the first digits of the alphabet likelier than the rest."""
_FORM: Final = re.compile(f"{PREFIX}([0-9A-Za-z]{{{SECRET_CHARS}}})([0-9A-Za-z]{{{CHECK_CHARS}}})")


def issue(random_bytes: Callable[[int], bytes]) -> str:
    """A new key, every secret character equally likely.

    ``random_bytes``: as ``secrets.token_bytes``, so many bytes from a source nobody can predict.
    """
    secret = ""
    while len(secret) < SECRET_CHARS:
        secret += "".join(ALPHABET[b % 62] for b in random_bytes(SECRET_CHARS) if b < _EVEN)
    secret = secret[:SECRET_CHARS]
    return PREFIX + secret + checksum(secret)


def checksum(secret: str) -> str:
    """The six characters that follow these 43."""
    rest, text = crc32(secret.encode("ascii")), ""
    for _ in range(CHECK_CHARS):
        rest, digit = divmod(rest, 62)
        text = ALPHABET[digit] + text
    return text


def parse(text: str) -> bytes | None:
    """The digest to look a key up by; ``None`` when the text cannot be a key of ours."""
    form = _FORM.fullmatch(text)
    if form is None or checksum(form[1]) != form[2]:
        return None
    return digest(text)


def digest(key: str) -> bytes:
    """SHA-256 of the whole key: what is stored."""
    return sha256(key.encode()).digest()


def hint(key: str) -> str:
    """The last characters, which tell a user's keys apart: of the checksum, not the secret."""
    return key[-HINT_CHARS:]
