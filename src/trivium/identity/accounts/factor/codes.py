"""Codes: of an authenticator app by the clock (RFC 6238, by `pyotp`), and for recovery. Pure.

Six digits, thirty seconds, SHA-1: the one combination that every app knows (others are ignored by
some without a word). HMAC-SHA-1 is not what fails here: a code is one of a million whatever the
hash, which is why tries are counted and a code works once.
"""

import hmac
from collections.abc import Callable
from hashlib import sha256
from typing import Final

STEP_S: Final = 30
SKEW: Final = 1
"""Steps that a phone's clock may be off, either way."""
SECRET_BYTES: Final = 20
"""The length of the hash, as RFC 4226 section 4 recommends."""
RECOVERY_CODES: Final = 10
RECOVERY_CHARS: Final = 16
"""Of 32 kinds: 80 bits, which need no slow hash."""

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U."""
_LOOKALIKE: Final = str.maketrans("OIL", "011", "- ")


def matching_step(secret: str, typed: str, now: float) -> int | None:
    """The time step whose code was typed; ``None`` when it is that of no step around now.

    ``secret`` is in base 32. Every step is compared, in constant time.
    """
    from pyotp.totp import TOTP

    typed = typed.replace(" ", "")
    if len(typed) != 6 or not (typed.isascii() and typed.isdigit()):
        return None
    app = TOTP(secret)
    found = None
    current = int(now) // STEP_S
    for step in range(current - SKEW, current + SKEW + 1):
        if hmac.compare_digest(app.at(step * STEP_S), typed):
            found = step
    return found


def address(secret: str, account: str, issuer: str) -> str:
    """Return the text of the QR code: an ``otpauth`` address."""
    from pyotp.totp import TOTP

    return TOTP(secret).provisioning_uri(name=account, issuer_name=issuer)


def recovery_code(random_bytes: Callable[[int], bytes]) -> str:
    """A new code, in groups of four."""
    # 256 is a multiple of 32: every character is equally likely
    plain = "".join(_ALPHABET[byte % 32] for byte in random_bytes(RECOVERY_CHARS))
    return "-".join(plain[i : i + 4] for i in range(0, RECOVERY_CHARS, 4))


def recovery_digest(typed: str) -> bytes | None:
    """What is stored of a recovery code; ``None`` for a text that cannot be one."""
    plain = typed.strip().upper().translate(_LOOKALIKE)
    if len(plain) != RECOVERY_CHARS or not set(plain) <= set(_ALPHABET):
        return None
    return sha256(plain.encode()).digest()
