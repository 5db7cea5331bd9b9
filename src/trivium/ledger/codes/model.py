"""Redemption codes: ``7K3QM-0XV9A-…``, five groups of five that survive being read aloud.

22 characters of Crockford's 32 are 110 bits of chance; three more check them: the secret as a
number, modulo the largest prime below 2^15. 32 generates every number there (order 32748), so every
single wrong character and every two that changed places are found, and any other slip but one in
32749. What is read is forgiving: case, spaces and hyphens do not count, ``O`` is ``0``, ``I`` and
``L`` are ``1``. The check is no protection; only the SHA-256 of the whole code is stored.
"""

import re
from collections.abc import Callable
from enum import Enum, unique
from hashlib import sha256
from typing import Final

import msgspec

from trivium.ledger.errors import LedgerError

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's: without I, L, O and U."""
SECRET_CHARS: Final = 22
CHECK_CHARS: Final = 3
GROUP_CHARS: Final = 5
HINT_CHARS: Final = CHECK_CHARS
TYPED_CHARS_MAX: Final = 100

_PRIME: Final = 32_749
_GAPS: Final = re.compile(r"[\s-]+")
_ALIKE: Final = str.maketrans("OIL", "011")
_FORM: Final = re.compile(f"[{ALPHABET}]{{{SECRET_CHARS + CHECK_CHARS}}}")


@unique
class CodeRefusal(Enum):
    """Why a code could not be redeemed."""

    MISTYPED = "mistyped"
    """No code of ours: its check is wrong. Told without a look-up."""
    UNKNOWN = "unknown"
    """Well formed, never made. Nobody types one by accident: these are guesses."""
    EXPIRED = "expired"
    REVOKED = "revoked"
    REDEEMED = "redeemed"


class CodeError(LedgerError):
    """A code that cannot be redeemed. Limits on guessing count ``MISTYPED`` and ``UNKNOWN``."""

    def __init__(self, why: CodeRefusal, message: str) -> None:
        super().__init__(message)
        self.why = why


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Codes that were made together. Times in seconds since the epoch."""

    id: int
    amount_nanos: int
    """Of each code."""
    note: str
    expires_at: int | None
    """``None``: never."""
    created_at: int
    codes: int
    redeemed: int
    revoked: int


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """One code without its secret. Times in seconds since the epoch; ``None``: not."""

    id: int
    batch_id: int
    hint: str
    """Its last characters, which are check and not secret."""
    amount_nanos: int
    expires_at: int | None
    revoked_at: int | None
    redeemed_at: int | None
    user: str | None
    """Whose balance it went to."""

    def state(self, now: float) -> str:
        """``open``, ``redeemed``, ``revoked`` or ``expired``."""
        if self.redeemed_at is not None:
            return "redeemed"
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "open"


def issue(random_bytes: Callable[[int], bytes]) -> str:
    """A new code, every secret character equally likely.

    ``random_bytes``: as ``secrets.token_bytes``, so many bytes from a source nobody can predict.
    """
    secret = "".join(ALPHABET[byte % 32] for byte in random_bytes(SECRET_CHARS))
    whole = secret + check(secret)
    return "-".join(whole[i : i + GROUP_CHARS] for i in range(0, len(whole), GROUP_CHARS))


def check(secret: str) -> str:
    """The characters that follow a secret."""
    number = 0
    for character in secret:
        number = (number * 32 + ALPHABET.index(character)) % _PRIME
    return ALPHABET[number >> 10] + ALPHABET[number >> 5 & 31] + ALPHABET[number & 31]


def parse(text: str) -> bytes | None:
    """The digest to look a code up by; ``None`` when the text cannot be a code of ours."""
    if len(text) > TYPED_CHARS_MAX:
        return None
    plain = _GAPS.sub("", text).upper().translate(_ALIKE)
    if not _FORM.fullmatch(plain) or check(plain[:SECRET_CHARS]) != plain[SECRET_CHARS:]:
        return None
    return sha256(plain.encode()).digest()


def hint(code: str) -> str:
    """Return the last characters of a code, which may be shown."""
    return code[-HINT_CHARS:]
