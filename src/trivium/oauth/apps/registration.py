"""Which names, descriptions and addresses an application may have. Pure."""

import re
import unicodedata
from typing import Final

from trivium.identity.accounts.names import BLANK
from trivium.oauth import redirect
from trivium.oauth.errors import RegistrationError

NAME_CHARS_MAX: Final = 64
DESCRIPTION_CHARS_MAX: Final = 500
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that show nothing or turn what stands around them, such as
right-to-left overrides: a name is shown to people who decide by it."""
_VARIATIONS: Final = re.compile("[\u180b-\u180d\ufe00-\ufe0e\U000e0100-\U000e01ef]")
"""Selectors of a letter's shape, most of which change nothing. That of emoji is left."""


def name(text: str) -> str:
    """A name as it is stored. Raises RegistrationError."""
    text = unicodedata.normalize("NFC", text.strip())
    if not 1 <= len(text) <= NAME_CHARS_MAX:
        raise RegistrationError("name", f"must have 1 to {NAME_CHARS_MAX} characters")
    if _has_unseen(text):
        raise RegistrationError("name", "must not have characters that cannot be seen")
    return text


def description(text: str) -> str:
    """A description as it is stored. Raises RegistrationError."""
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").strip())
    if len(text) > DESCRIPTION_CHARS_MAX:
        raise RegistrationError(
            "description", f"must have at most {DESCRIPTION_CHARS_MAX} characters"
        )
    if _has_unseen(text.replace("\n", "")):
        raise RegistrationError("description", "must not have characters that cannot be seen")
    return text


def redirect_uri(text: str, *, allow_insecure: bool) -> str:
    """Return an address as it is stored, which is unchanged. Raises RegistrationError."""
    wrong = redirect.problem(text, allow_insecure=allow_insecure)
    if wrong:
        raise RegistrationError("redirect_uri", wrong)
    return text


def _has_unseen(text: str) -> bool:
    if BLANK & set(text) or _VARIATIONS.search(text):
        return True
    return any(unicodedata.category(character) in _UNSEEN for character in text)
