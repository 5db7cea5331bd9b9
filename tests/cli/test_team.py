"""Organisations, teams and service accounts at a shell."""

import pytest


@pytest.fixture
def acme(migrated, settings, trivium):
    """An organisation with an owner and a team."""
    assert trivium("user", "create", "ada", "--email", "ada@example.com").code == 0
    assert trivium("team", "create", "acme", "--owner", "ada").code == 0
    assert trivium("team", "create", "acme/research").code == 0
    return "acme"


def test_teams_are_listed_below_their_organisation(trivium, acme):
    """With who pays for them."""
    lines = trivium("team", "list").out.splitlines()
    assert [["acme", "own"], ["acme/research", "acme"]] == [line.split()[1:3] for line in lines[1:]]
    made = trivium("team", "list", "--json").data
    assert [("acme", None, True), ("acme/research", made[0]["id"], False)] == [
        (each["name"], each["parent_id"], each["has_wallet"]) for each in made
    ]


def test_a_team_is_shown_with_everything(trivium, acme):
    """Members, service accounts, budgets, and whose balance it spends."""
    assert trivium("team", "service", "create", "acme/research/nightly").code == 0
    assert trivium("credit", "acme", "25").code == 0
    assert trivium("team", "budget", "set", "acme/research", "5/month").code == 0
    assert trivium("team", "budget", "set", "acme/research/nightly", "1/day").code == 0
    shown = trivium("team", "show", "acme/research", "--json").data
    assert ("acme", "25.00") == (shown["payer"], shown["balance"])
    assert ["acme/research/nightly"] == [each["name"] for each in shown["services"]]
    assert [("acme/research", "5.00"), ("acme/research/nightly", "1.00")] == [
        (each["of"], each["amount"]) for each in shown["budgets"]
    ]
    assert [("ada", "owner", "manual")] == [
        (each["name"], each["role"], each["source"])
        for each in trivium("team", "show", "acme", "--json").data["members"]
    ]
    said = trivium("team", "show", "acme/research").err
    assert "acme pays; its balance is 25.00 USD" in said
    assert "service account: acme/research/nightly" in said


def test_a_team_is_changed(trivium, acme):
    """Only what is named."""
    done = trivium(
        "team", "edit", "acme/research", "--model", "sonnet", "--rpm", "60", "--wallet", "--json"
    )
    assert (["sonnet"], 60, True) == (
        done.data["models"],
        done.data["limits"]["requests"],
        done.data["has_wallet"],
    )
    after = trivium("team", "edit", "acme/research", "--tpm", "900", "--disable", "--json").data
    assert ({"requests": 60, "tokens": 900, "concurrency": None}, True) == (
        after["limits"],
        after["disabled"],
    )
    after = trivium(
        *("team", "edit", "acme/research", "--all-models", "--no-limits", "--claim", "x", "--json")
    ).data
    assert ([], None, "x") == (after["models"], after["limits"], after["claim"])


def test_a_team_is_an_account(trivium, acme):
    """Money for a team that spends another's is refused, naming whose."""
    done = trivium("credit", "acme/research", "100")
    assert (1, "trivium: wallet: acme/research spends the balance of acme\n") == (
        done.code,
        done.err,
    )
    assert trivium("team", "edit", "acme/research", "--wallet").code == 0
    assert "100.00" == trivium("credit", "acme/research", "100", "--json").data["balance"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["create", "acme"], 1, "a user or a team 'acme' already"),
        (["create", "ada"], 1, "a user or a team 'ada' already"),
        (["create", "nobody/research"], 1, "there is no team 'nobody'"),
        (["create", "a@b"], 1, "no '@'"),
        (["show", "research"], 1, "there is acme/research"),
        (["show", "ada"], 1, "`trivium team list` shows them"),
        (["edit", "acme"], 2, "say what is to change"),
        (["edit", "acme", "--no-wallet"], 1, "of an organisation is its own"),
        (["edit", "acme", "--model", "a*b"], 1, "only a trailing '*'"),
        (["edit", "acme", "--all-models", "--model", "m"], 2, "exclude each other"),
        (["edit", "acme", "--no-limits", "--rpm", "1"], 2, "exclude each other"),
        (["service", "create", "nightly"], 2, "such as acme/nightly"),
    ],
)
def test_what_cannot_be_is_said(trivium, acme, arguments, code, said):
    """In one line, with what would be right."""
    done = trivium("team", *arguments)
    assert (code, "") == (done.code, done.out)
    assert said in done.err
    assert 1 == done.err.count("\n")


def test_teams_and_service_accounts_are_no_people(trivium, acme):
    """They are not among the users, and are not switched as users are."""
    assert trivium("team", "service", "create", "acme/nightly").code == 0
    assert ["ada"] == [each["name"] for each in trivium("user", "list", "--json").data]
    assert "is a team" in trivium("user", "disable", "acme").err
    assert "is no person" in trivium("user", "role", "acme/nightly", "admin").err
    assert trivium("user", "disable", "acme/nightly").code == 0
