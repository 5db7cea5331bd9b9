"""Tokens for machines at the command line."""

import pytest

pytestmark = pytest.mark.usefixtures("migrated")


def listed(trivium):
    return trivium("admin", "token", "list", "--json").data


def test_a_token_is_made_rotated_and_revoked(trivium):
    """Shown alone on standard output, once; told in the audit log."""
    done = trivium("admin", "token", "create", "nightly", "--scope", "users", "--scope", "read")
    assert (0, 1) == (done.code, done.out.count("\n"))
    assert done.out.startswith("gwadm_")
    assert "token 1 (nightly), scopes: read users, expires: " in done.err
    assert "This is the only time the token is shown." in done.err
    (first,) = listed(trivium)
    assert (["read", "users"], "live", None) == (first["scopes"], first["state"], first["user"])
    assert first["hint"] == done.out.strip()[-4:]
    again = trivium("admin", "token", "rotate", "1", "--overlap", "1")
    assert again.out.startswith("gwadm_")
    assert again.out != done.out
    assert "The secret before works until " in again.err
    (second,) = listed(trivium)
    assert (first["expires_at"], True) == (second["expires_at"], second["former_until"] > 0)
    assert "revoked token 1 (nightly)" in trivium("admin", "token", "revoke", "1").err
    assert "revoked" == listed(trivium)[0]["state"]
    table = trivium("admin", "token", "list").out
    assert "nightly" in table
    assert done.out.strip() not in table
    kinds = [act["kind"] for act in trivium("audit", "list", "--json").data]
    assert ["admin_token_revoked", "admin_token_rotated", "admin_token_created"] == kinds


def test_a_token_may_be_an_administrators(trivium):
    """And of nobody else."""
    trivium("user", "create", "ada", "--email", "ada@example.org")
    make = ("admin", "token", "create", "x", "--scope", "read", "--user", "ada")
    refused = trivium(*make)
    assert (1, True) == (refused.code, "only administrators have such tokens" in refused.err)
    trivium("user", "role", "ada", "admin")
    assert 0 == trivium(*make).code
    assert "ada" == listed(trivium)[0]["user"]
    trivium("user", "role", "ada", "user")
    assert "revoked" == listed(trivium)[0]["state"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("create", "x"), 2, "--scope"),
        (("create", "x", "--scope", "all"), 2, "all"),
        (("create", "x", "--scope", "read", "--days", "400"), 2, "days: must be 1 to 366"),
        (("create", " ", "--scope", "read"), 2, "name: must have"),
        (("rotate", "7"), 1, "there is no token of this id"),
        (("rotate", "7", "--overlap", "721"), 2, "--overlap must be 0 to 720 hours"),
        (("rotate", "7", "--overlap", "nan"), 2, "--overlap must be 0 to 720 hours"),
        (("revoke", "7"), 1, "there is no token of this id"),
    ],
)
def test_what_is_wrong_is_said(trivium, arguments, code, said):
    """In one line."""
    done = trivium("admin", "token", *arguments)
    assert (code, "", True) == (done.code, done.out, said in done.err), done.err
    assert [] == listed(trivium)
