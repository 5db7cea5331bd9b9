"""Which passwords are allowed. Pure.

Length and a list, no rules of composition (NIST SP 800-63B-4, 3.1.1.2, July 2025). Characters are
counted and hashed after NFKC, so that what two keyboards write for the same character is the same.
"""

import unicodedata
from collections.abc import Iterable
from importlib.resources import files
from typing import Final

from trivium.identity.accounts.errors import AccountError, AccountRefusal

CHARS_MIN: Final = 8
CHARS_MAX: Final = 256
"""Nobody types more, and hashing must not become a way to keep the machine busy."""
OWN_CHARS_MIN: Final = 4
"""A name shorter than this may occur in a password by chance."""


def normalized(password: str) -> str:
    """Return the NFKC form, which is the same for texts that look the same."""
    return unicodedata.normalize("NFKC", password)


def check(password: str, own: Iterable[str] = ()) -> str:
    """The password in its one spelling, when it may be set.

    ``own``: the account's name and address, which are the first to be guessed. Raises
    ``AccountError`` (PASSWORD_SHORT, PASSWORD_LONG, PASSWORD_COMMON).
    """
    # before any work: NFKC can make eighteen characters of one
    if len(password) > CHARS_MAX:
        raise AccountError(AccountRefusal.PASSWORD_LONG)
    password = normalized(password)
    if len(password) > CHARS_MAX:
        raise AccountError(AccountRefusal.PASSWORD_LONG)
    if len(password) < CHARS_MIN:
        raise AccountError(AccountRefusal.PASSWORD_SHORT)
    if _is_common(password) or _is_own(password, own):
        raise AccountError(AccountRefusal.PASSWORD_COMMON)
    return password


def _is_common(password: str) -> bool:
    """In the list, as it stands or with digits and signs at its end; or one character over."""
    folded = password.casefold()
    bare = folded.rstrip("0123456789!?.#$@*_- ")
    listed = _listed()
    return folded in listed or (bare in listed) or len(set(folded)) < 3


def _is_own(password: str, own: Iterable[str]) -> bool:
    """The name or a part of the address with no more than a few characters round it."""
    folded = password.casefold()
    for text in own:
        for part in {text.casefold(), text.casefold().partition("@")[0]}:
            if len(part) >= OWN_CHARS_MIN and part in folded and len(folded) - len(part) < 5:
                return True
    return False


def _listed() -> frozenset[str]:
    text = files("trivium.identity.accounts").joinpath("common_passwords.txt").read_text("utf-8")
    return frozenset(text.split())
