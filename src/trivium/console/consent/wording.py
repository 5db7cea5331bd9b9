"""Scopes in the words of people."""

from collections.abc import Iterable
from typing import Final

from trivium.console.language import N_
from trivium.oauth.scope import BALANCE, PROFILE, SCOPES

WORDS: Final = {
    PROFILE: (
        N_("Who you are"),
        N_("Your name and e-mail address, and since when you have this account."),
    ),
    BALANCE: (
        N_("Your balance"),
        N_("How much is left on your account and how much was spent. It cannot spend any."),
    ),
}
"""A title and a text for each scope."""


def scopes_in_words(scopes: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """What an application with these scopes sees, in the order of the scopes."""
    given = set(scopes)
    return tuple(WORDS[scope] for scope in SCOPES if scope in given)
