"""Scopes in the words of people."""

from trivium.console.consent.wording import WORDS, scopes_in_words
from trivium.oauth.scope import SCOPES


def test_every_scope_has_its_words():
    """Nobody agrees to what is not said."""
    assert set(SCOPES) == set(WORDS)


def test_scopes_are_said_in_their_order():
    """Whatever order they come in."""
    assert (WORDS["profile"], WORDS["balance"]) == scopes_in_words({"balance", "profile"})
    assert (WORDS["balance"],) == scopes_in_words(["balance"])
