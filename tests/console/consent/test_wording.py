"""Scopes in the words of people."""

from trivium.console.consent.wording import WORDS, scopes_in_words
from trivium.oauth.scope import EVERY


def test_every_scope_has_its_words():
    """Nobody agrees to what is not said."""
    assert set(EVERY) == set(WORDS)


def test_scopes_are_said_in_their_order():
    """Whatever order they come in."""
    assert (WORDS["profile"], WORDS["balance"]) == scopes_in_words({"balance", "profile"})
    assert (WORDS["balance"],) == scopes_in_words(["balance"])


def test_a_balance_that_can_be_spent_is_not_said_to_be_safe():
    """Two lines of one list do not contradict each other."""
    balance, spend = scopes_in_words({"spend", "balance"})
    assert (WORDS["spend"], WORDS["balance"][0]) == (spend, balance[0])
    assert ("cannot spend" in WORDS["balance"][1], "cannot spend" in balance[1]) == (True, False)
