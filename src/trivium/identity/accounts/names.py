"""Names and addresses that people choose for themselves. Stricter than what operators may set."""

import re
import unicodedata
from typing import Final

from trivium.identity.accounts.errors import AccountError, AccountRefusal

NAME_CHARS_MIN: Final = 2
NAME_CHARS_MAX: Final = 64
EMAIL_CHARS_MAX: Final = 254
"""RFC 5321 section 4.5.3.1.3, without its angle brackets."""

_NAME: Final = re.compile(r"\w[\w.-]*\w")
BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs that show nothing: with one of them two names look alike, or like none."""
_RESERVED: Final = frozenset({"admin", "administrator", "root", "support", "system", "trivium"})


def name(text: str) -> str:
    """A user's name: letters and digits of any script, ``.``, ``-``, ``_`` inside.

    NFKC, so that two names that look the same are the same. Raises ``AccountError`` (NAME_BAD).
    """
    text = unicodedata.normalize("NFKC", text.strip())
    fits = NAME_CHARS_MIN <= len(text) <= NAME_CHARS_MAX and _NAME.fullmatch(text)
    if not fits or text.lower() in _RESERVED or BLANK & set(text):
        raise AccountError(AccountRefusal.NAME_BAD)
    return text


def typed(text: str) -> str:
    """Return a typed name or address in the form that is looked up. It may be any text."""
    text = unicodedata.normalize("NFC", text.strip())[:EMAIL_CHARS_MAX]
    # neither has a place in a name, and PostgreSQL takes neither
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def email(text: str) -> str:
    """An address as it is stored: lower case, its domain in ASCII, no tricks of syntax.

    Says nothing about whether letters arrive. Raises ``AccountError`` (EMAIL_BAD).
    """
    # with its tables of names the package takes 40 ms to import
    from email_validator import EmailNotValidError, validate_email

    try:
        # names such as x.test and x.local are an operator's own business
        found = validate_email(
            text.strip(), check_deliverability=False, test_environment=True, strict=True
        ).ascii_email
    except EmailNotValidError:
        found = None
    # in ASCII alone: two addresses that look the same must not be two accounts
    if found is None or len(found) > EMAIL_CHARS_MAX:
        raise AccountError(AccountRefusal.EMAIL_BAD)
    return found.lower()


def alike(wanted: str, email: str, endings: int = 100) -> list[str]:
    """Names to try for somebody who has not chosen one, best first."""
    found: list[str] = []
    for text in (wanted, email.partition("@")[0], "user"):
        bare = "".join(c if c.isalnum() or c in "._-" else "-" for c in text).strip("._-")[:32]
        for ending in ("", *(f"-{n}" for n in range(2, endings))):
            try:
                found.append(name(bare + ending))
            except AccountError:
                continue
    return found
