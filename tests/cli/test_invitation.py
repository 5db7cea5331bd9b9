"""Invitations to teams at a shell."""

import pytest


@pytest.fixture
def acme(migrated, settings, trivium):
    """An organisation."""
    assert trivium("team", "create", "acme").code == 0
    return "acme"


def test_without_letters_nobody_is_invited(trivium, acme):
    """And the command says what is missing."""
    done = trivium("team", "invite", acme, "bo@example.com")
    assert 1 == done.code
    assert "mail" in done.err
    assert [] == trivium("team", "invitations", acme, "--json").data
    assert 1 == trivium("team", "withdraw", acme, "1").code
    assert 1 == trivium("team", "invite", acme, "no address").code
