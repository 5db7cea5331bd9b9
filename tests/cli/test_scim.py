"""Tokens of directories at a shell."""

import pytest


@pytest.fixture
def acme(migrated, settings, trivium):
    """An organisation."""
    assert trivium("team", "create", "acme").code == 0
    return "acme"


def test_a_token_is_made_listed_and_revoked(trivium, acme):
    """Its secret stands alone on standard output, this once."""
    made = trivium("scim", "token", "create", acme, "--domain", "example.com", "--name", "okta")
    assert made.code == 0, made.err
    assert made.out.startswith("gwscim_")
    assert "domains: example.com" in made.err
    lines = trivium("scim", "token", "list").out.splitlines()
    assert ["1", "acme", "okta", made.out.strip()[-4:], "example.com"] == lines[1].split()[:5]
    assert "revoked token 1 (okta)" in trivium("scim", "token", "revoke", "1").err
    (listed,) = trivium("scim", "token", "list", acme, "--json").data
    assert ("acme", True) == (listed["team"], listed["revoked_at"] is not None)
    assert "token" not in listed
    again = trivium("scim", "token", "revoke", "1")
    assert (1, True) == (again.code, "revoked before" in again.err)


def test_what_makes_no_token_is_said(trivium, acme):
    """With what would be right."""
    done = trivium("scim", "token", "create", acme, "--domain", "no domain")
    assert (1, True) == (done.code, "such as 'example.com'" in done.err)
    assert trivium("scim", "token", "create", "acem").code == 1
