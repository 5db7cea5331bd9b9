"""Users are made, listed, disabled and enabled."""

import pytest


@pytest.fixture
def ada(migrated, trivium):
    """A user there is already."""
    assert trivium("user", "create", "ada", "--email", "ada@example.com").code == 0
    return "ada"


def balance(trivium, user):
    """What a user has, seen through a booking of next to nothing."""
    return trivium("credit", user, "0.000000001", "--json").data["balance"]


def test_a_user_can_be_seen(trivium, ada):
    """Name, role and how it spends."""
    done = trivium("user", "list")
    assert (0, "ada") == (done.code, done.out.splitlines()[1].split()[1])
    assert {"user", "balance", "enabled"} < set(done.out.split())


def test_json_is_for_programs(trivium):
    """The same facts, whole."""
    made = trivium("user", "create", "root", "--email", "r@example.com", "--admin", "--json").data
    (listed,) = trivium("user", "list", "--json").data
    assert made == listed
    assert (made["name"], made["email"], made["role"]) == ("root", "r@example.com", "admin")


def test_credit_is_booked(trivium):
    """Money comes as an entry, like any other."""
    trivium("user", "create", "ada", "--email", "a@example.com", "--credit", "10.00")
    assert balance(trivium, "ada") == "10.000000001"


def test_unlimited_is_said(trivium):
    """It spends without a balance."""
    trivium("user", "create", "eve", "--email", "e@example.com", "--unlimited")
    assert trivium("user", "list", "--json").data[0]["unlimited"] is True


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--credit", "1", "--unlimited"], 2, "exclude each other"),
        (["--credit", "0"], 2, "above zero"),
        (["--credit", "1e3"], 1, "no amount in US dollars"),
        (["--credit", "ten"], 1, "such as '10.00'"),
    ],
)
def test_money_that_makes_no_sense_makes_no_user(trivium, options, code, said):
    """Nothing is left half done."""
    done = trivium("user", "create", "ada", "--email", "a@example.com", *options)
    assert (code, "") == (done.code, done.out)
    assert said in done.err
    assert [] == trivium("user", "list", "--json").data


def test_a_second_user_of_a_name_is_refused(trivium, ada):
    """In one line that says why."""
    done = trivium("user", "create", "ada", "--email", "other@example.com")
    assert done.code == 1
    assert "trivium: name: there is a user 'ada' already\n" in done.err


def test_disabling_and_enabling(trivium, ada):
    """By name or by e-mail."""
    assert trivium("user", "disable", "ada").code == 0
    assert trivium("user", "list", "--json").data[0]["disabled"] is True
    assert trivium("user", "enable", "ada@example.com").code == 0
    assert trivium("user", "list", "--json").data[0]["disabled"] is False


@pytest.mark.parametrize("verb", ["disable", "enable"])
def test_a_user_that_is_not_there_is_told(trivium, verb):
    """The exit code says so, too."""
    done = trivium("user", verb, "bob")
    assert done.code == 1
    assert "no user of the name or e-mail 'bob'" in done.err


def test_a_users_limits_are_kept(trivium):
    """They hold for all keys together."""
    trivium(
        "user", "create", "bob", "--email", "bob@example.com", "--rpm", "9", "--concurrency", "2"
    )
    (bob,) = [user for user in trivium("user", "list", "--json").data if user["name"] == "bob"]
    assert {"requests": 9, "tokens": None, "concurrency": 2} == bob["limits"]
