"""Scopes in the words of people."""

from collections.abc import Iterable
from typing import Final

from trivium.console.language import N_
from trivium.oauth.scope import BALANCE, EVERY, PROFILE, SPEND

WORDS: Final = {
    PROFILE: (
        N_("Who you are"),
        N_("Your name and e-mail address, and since when you have this account."),
    ),
    BALANCE: (
        N_("Your balance"),
        N_("How much is left on your account and how much was spent. It cannot spend any."),
    ),
    SPEND: (
        N_("Spend from your balance"),
        N_("It uses models on your account, up to the amount a month that you set."),
    ),
}
"""A title and a text for each scope."""
_BESIDE_SPEND: Final = {
    BALANCE: (N_("Your balance"), N_("How much is left on your account and how much was spent."))
}


def scopes_in_words(scopes: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """What an application with these scopes sees, in the order of the scopes."""
    given = set(scopes)
    words = WORDS | _BESIDE_SPEND if SPEND in given else WORDS
    return tuple(words[scope] for scope in EVERY if scope in given)
