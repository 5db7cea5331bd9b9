"""Budgets of teams, members and service accounts at a shell."""

import pytest


@pytest.fixture
def acme(migrated, settings, trivium):
    """An organisation with a team, a member and a service account."""
    assert trivium("user", "create", "ada", "--email", "ada@example.com").code == 0
    assert trivium("team", "create", "acme", "--owner", "ada").code == 0
    assert trivium("team", "create", "acme/research").code == 0
    assert trivium("team", "service", "create", "acme/research/nightly").code == 0
    return "acme"


def test_budgets_are_set_listed_and_cleared(trivium, acme):
    """Of each kind of account, with what is spent."""
    assert (
        trivium("team", "budget", "set", "acme", "100/month", "--zone", "Europe/Berlin").code == 0
    )
    assert trivium("team", "budget", "set", "acme", "3/day", "--member", "ada", "--soft").code == 0
    done = trivium(
        *("team", "budget", "set", "acme/research/nightly", "1/5h", "--instead", "sonnet", "--json")
    )
    assert {
        "of": "acme/research/nightly", "amount": "1.00", "period": "5h", "zone": "UTC",
        "soft": False, "instead": "sonnet",
    } == done.data  # fmt: skip
    listed = trivium("team", "budget", "list", "--json").data
    assert [("acme", "month"), ("acme/research/nightly", "5h"), ("acme: ada", "day")] == [
        (each["of"], each["period"]) for each in listed
    ]
    assert [True, False, True] == [each["resets_at"] is not None for each in listed]
    assert {"0.00"} == {each["spent"] for each in listed}
    assert 1 == len(trivium("team", "budget", "list", "acme/research", "--json").data)
    assert trivium("team", "budget", "clear", "acme", "day", "--member", "ada").code == 0
    assert 3 == len(trivium("team", "budget", "list").out.splitlines())


def test_another_amount_replaces_the_first(trivium, acme):
    """One budget for each period."""
    for amount in ("5/month", "7/month"):
        assert trivium("team", "budget", "set", "acme", amount).code == 0
    assert ["7.00"] == [each["amount"] for each in trivium("team", "budget", "list", "--json").data]


def test_a_model_that_nobody_has_is_told(trivium, acme):
    """The budget is set all the same: settings may follow."""
    done = trivium("team", "budget", "set", "acme", "5/month", "--instead", "nano")
    assert 0 == done.code
    assert "no model in the settings is called nano" in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["set", "acme", "5"], 2, "such as 5.00/month"),
        (["set", "acme", "5/fortnight"], 2, "periods are day, week"),
        (["set", "acme", "0/day"], 1, "above 0"),
        (["set", "acme", "5/day", "--zone", "Mars"], 1, "such as 'Europe/Berlin'"),
        (["set", "acme", "5/day", "--soft", "--instead", "sonnet"], 1, "refuse nobody"),
        (["set", "ada", "5/day"], 1, "there is no team 'ada'"),
        (["set", "acme/research", "5/day", "--member", "ada"], 1, "team member add acme/research"),
        (["set", "acme/research/nightly", "5/day", "--member", "ada"], 2, "not of a service"),
        (["clear", "acme", "day"], 1, "there is none"),
    ],
)
def test_what_cannot_be_is_said(trivium, acme, arguments, code, said):
    """And nothing is set."""
    done = trivium("team", "budget", *arguments)
    assert (code, "") == (done.code, done.out)
    assert said in done.err
    assert [] == trivium("team", "budget", "list", "--json").data


def test_a_tag_has_budgets_in_a_team(trivium, acme):
    """Named in the list with its team; a member and a tag are two things."""
    assert 0 == trivium("team", "budget", "set", "acme", "5/month", "--tag", "nightly").code
    assert ["acme, tag nightly"] == [
        each["of"] for each in trivium("team", "budget", "list", "--json").data
    ]
    both = trivium("team", "budget", "set", "acme", "5/day", "--tag", "a", "--member", "ada")
    assert (2, True) == (both.code, "exclude each other" in both.err)
    bad = trivium("team", "budget", "set", "acme", "5/day", "--tag", "x" * 65)
    assert (1, True) == (bad.code, "1 to 64 printable" in bad.err)
    assert 0 == trivium("team", "budget", "clear", "acme", "month", "--tag", "nightly").code
    assert [] == trivium("team", "budget", "list", "--json").data


def test_a_tag_has_budgets_over_all_keys(trivium, acme):
    """Of no team, so they are in no list of one."""
    done = trivium("team", "budget", "set", "/", "200/month", "--tag", "nightly", "--soft")
    assert (0, "budget of tag nightly: 200.00 USD/month, soft") == (done.code, done.err.strip())
    listed = trivium("team", "budget", "list", "--json").data
    assert ["tag nightly"] == [each["of"] for each in listed]
    assert [] == trivium("team", "budget", "list", "acme", "--json").data
    assert 2 == trivium("team", "budget", "set", "/", "200/month").code
    assert 2 == trivium("team", "budget", "set", "/", "1/day", "--tag", "a", "--member", "ada").code
    assert 0 == trivium("team", "budget", "clear", "/", "month", "--tag", "nightly").code
    done = trivium("team", "budget", "clear", "/", "month", "--tag", "nightly")
    assert (1, True) == (done.code, "there is none of all/tag:nightly" in done.err)
