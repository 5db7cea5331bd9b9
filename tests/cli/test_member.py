"""People come into teams, get other roles, and leave, at a shell."""

import pytest


@pytest.fixture
def acme(migrated, settings, trivium):
    """An organisation of two people."""
    for name in ("ada", "bo"):
        assert trivium("user", "create", name, "--email", f"{name}@example.com").code == 0
    assert trivium("team", "create", "acme", "--owner", "ada").code == 0
    assert trivium("team", "create", "acme/research").code == 0
    return "acme"


def roles(trivium, team="acme"):
    return {
        each["name"]: each["role"]
        for each in trivium("team", "show", team, "--json").data["members"]
    }


def test_a_member_comes_rises_and_goes(trivium, acme):
    """Each act is in the audit log."""
    assert "bo is member of acme\n" == trivium("team", "member", "add", "acme", "bo").err
    assert {"ada": "owner", "bo": "member"} == roles(trivium)
    done = trivium("team", "member", "role", "acme", "bo", "manager", "--json")
    assert ("bo", "manager", "manual") == tuple(
        done.data[name] for name in ("name", "role", "source")
    )
    assert trivium("team", "member", "remove", "acme", "bo").code == 0
    assert {"ada": "owner"} == roles(trivium)
    acts = [each["kind"] for each in trivium("audit", "list", "--json").data]
    assert ["team_member_removed", "team_member", "team_member"] == acts[:3]


def test_keys_end_with_the_membership(trivium, acme):
    """Those that spend for the team; a key for the user's own account stays."""
    assert trivium("team", "member", "add", "acme/research", "bo").code == 0
    for more in (["--team", "acme/research"], []):
        assert trivium("key", "create", "--user", "bo", *more).code == 0
    assert trivium("team", "member", "role", "acme/research", "bo", "billing").code == 0
    listed = trivium("key", "list", "--user", "bo", "--json").data
    assert [("acme/research", True), (None, False)] == [
        (each["team"], each["disabled"]) for each in listed
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "acme", "ada"], "`trivium team member role acme ada member`"),
        (["role", "acme", "bo", "owner"], "`trivium team member add acme bo`"),
        (["remove", "acme", "bo"], "is no member of acme"),
        (["remove", "acme", "ada"], "acme would have no owner"),
        (["role", "acme", "ada", "member"], "acme would have no owner"),
        (["add", "acme", "eve"], "there is no user"),
        (["add", "acme", "acme/research"], "is no person"),
        (["add", "emca", "bo"], "there is no team 'emca'"),
    ],
)
def test_what_cannot_be_is_said(trivium, acme, arguments, said):
    """With the command that would be right, where there is one."""
    done = trivium("team", "member", *arguments)
    assert (1, "") == (done.code, done.out)
    assert said in done.err
    assert {"ada": "owner"} == roles(trivium)
