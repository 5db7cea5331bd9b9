"""What is done at a shell is told as well, and can be listed there."""

import pytest


@pytest.fixture(autouse=True)
def ada(migrated, trivium):
    """Whose account it is."""
    assert trivium("user", "create", "ada", "--email", "ada@example.com").code == 0


def listed(trivium, *argv):
    """The acts, newest first."""
    done = trivium("audit", "list", "--json", *argv)
    assert done.code == 0, done.err
    return done.data


def test_every_command_that_changes_an_account_is_told(trivium):
    """With what it was done to, and never with the secret it made."""
    key = trivium("key", "create", "--user", "ada").out.strip()
    trivium("key", "revoke", key)
    trivium("credit", "ada", "10.00")
    code = trivium("code", "create", "--amount", "5").out.splitlines()[1].split(",")[0]
    trivium("code", "redeem", "--user", "ada", code)
    trivium("code", "create", "--amount", "5")
    trivium("code", "revoke", "batch:2")
    trivium("user", "disable", "ada")
    trivium("user", "enable", "ada")
    acts = listed(trivium)
    assert [
        ("user_enabled", "ada", "user:1"),
        ("user_disabled", "ada", "user:1"),
        ("redemption_revoked", None, "batch:2"),
        ("redemption_created", None, "batch:2"),
        ("redeemed", "ada", "code:1"),
        ("redemption_created", None, "batch:1"),
        ("user_credit", "ada", "entry:1"),
        ("key_revoked", "ada", "key:1"),
        ("key_created", "ada", "key:1"),
        ("user_created", "ada", ""),
    ] == [(act["kind"], act["subject"], act["what"]) for act in acts]
    assert {"command line"} == {act["agent"] for act in acts}
    assert {"amount": "10.00"} == acts[6]["detail"]
    assert not [secret for secret in (key, code) if secret in str(acts)]


def test_a_command_that_changes_nothing_tells_nothing(trivium):
    """A refused one neither."""
    trivium("user", "list")
    trivium("key", "revoke", "99")
    trivium("code", "redeem", "--user", "ada", "nonsense")
    assert ["user_created"] == [act["kind"] for act in listed(trivium)]


def test_a_code_that_is_revoked_by_itself_is_not_written_down(trivium):
    """It was a secret a moment ago, and others of its kind may stand beside it in a shell."""
    code = trivium("code", "create", "--amount", "5").out.splitlines()[1].split(",")[0]
    assert trivium("code", "revoke", code).code == 0
    assert ("code", {"codes": 1}) == (listed(trivium)[0]["what"], listed(trivium)[0]["detail"])


def test_acts_are_filtered_and_paged(trivium):
    """By user, by kind, by how many, and onward from an id."""
    trivium("user", "create", "bob", "--email", "bob@example.com", "--admin")
    trivium("key", "create", "--user", "bob")
    assert ["key_created", "user_created"] == [a["kind"] for a in listed(trivium, "--user", "bob")]
    assert ["bob", "ada"] == [a["subject"] for a in listed(trivium, "--act", "user_created")]
    newest = listed(trivium, "--limit", "1")
    assert ["key_created"] == [act["kind"] for act in newest]
    assert 2 == len(listed(trivium, "--before", str(newest[0]["id"])))


def test_the_table_is_for_people(trivium):
    """Names instead of numbers, and nothing that moves the cursor."""
    out = trivium("audit", "list").out
    assert "user_created" in out
    assert " ada " in out
    assert '{"role":"user"}' in out


@pytest.mark.parametrize("argv", [["--act", "nonsense"], ["--limit", "0"], ["--limit", "201"]])
def test_a_wrong_filter_is_wrong_usage(trivium, argv):
    """And names what would be right."""
    assert 2 == trivium("audit", "list", *argv).code


def test_an_unknown_user_is_named(trivium):
    """Instead of an empty list."""
    assert 1 == trivium("audit", "list", "--user", "nobody").code
