"""Keys are made, shown once, listed without their secrets, and revoked."""

import pytest

from trivium.cli.key import last_second, unknown
from trivium.cli.output import CommandFailed
from trivium.identity import keys
from trivium.settings.entries import ModelEntry
from trivium.settings.model import Settings


@pytest.fixture(autouse=True)
def ada(migrated, trivium):
    """Whose keys they are."""
    assert trivium("user", "create", "ada", "--email", "ada@example.com").code == 0


@pytest.fixture
def secret(trivium):
    """A key of hers."""
    return trivium("key", "create", "--user", "ada", "--name", "laptop").out.strip()


def test_the_secret_is_alone_on_standard_output(trivium):
    """KEY=$(trivium key create …) works."""
    done = trivium("key", "create", "--user", "ada")
    assert (0, 1) == (done.code, done.out.count("\n"))
    assert keys.parse(done.out.strip()) is not None
    assert done.out.strip() not in done.err


def test_the_secret_is_shown_once(trivium, secret):
    """Lists show its last four characters."""
    for done in (trivium("key", "list"), trivium("key", "list", "--json")):
        assert secret not in done.out + done.err
        assert secret[-4:] in done.out


def test_what_a_key_may_do_is_listed(trivium):
    """Models, end and state."""
    trivium(
        *("key", "create", "--user", "ada", "--model", "a", "--model", "b*"),
        *("--expires", "2127-01-01"),
    )
    (key,) = trivium("key", "list", "--user", "ada", "--json").data
    assert ("ada", ["a", "b*"], False) == (key["user"], key["models"], key["disabled"])
    assert key["expires_at"] == last_second("2127-01-01")
    assert "2127-01-02 00:00 UTC" in trivium("key", "list").out


def test_models_nobody_knows_are_a_warning(trivium, settings):
    """They may come later; a slip of the pen is still seen."""
    done = trivium("key", "create", "--user", "ada", "--model", "sonet", "--model", "sonnet")
    assert done.code == 0
    assert "warning: no model in the settings is called sonet;" in done.err
    assert done.err.count("warning") == 1


@pytest.mark.parametrize(
    ("entry", "expected"), [("gpt-5", []), ("gpt-*", []), ("gpt", ["gpt"]), ("x*", ["x*"])]
)
def test_an_entry_matches_as_it_will_for_callers(entry, expected):
    """A trailing * is a prefix."""
    assert expected == unknown((entry,), Settings(models=(ModelEntry(name="gpt-5"),)))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2027-01-01", 1_798_848_000),  # to the end of that day
        ("2027-01-01T00:00:00Z", 1_798_761_600),
        ("2027-01-01T00:00", 1_798_761_600),
        ("2027-01-01T02:00:00+02:00", 1_798_761_600),
    ],
)
def test_an_end_is_a_moment(text, seconds):
    """A date counts whole, a time without a zone is UTC."""
    assert seconds == last_second(text)


@pytest.mark.parametrize("text", ["soon", "01.01.2027", "2027-13-01", "9999-12-31", ""])
def test_what_is_no_date_is_refused(text):
    """With an example of one that is."""
    with pytest.raises(CommandFailed, match="such as 2027-01-01"):
        last_second(text)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--user", "ada", "--expires", "2020-01-01"], "expires_at: lies in the past"),
        (["--user", "bob"], "no user of the name or e-mail 'bob'"),
        (["--user", "ada", "--model", "a*b"], "is no model name"),
        ([], "say whose it is: --user NAME"),
    ],
)
def test_a_key_that_cannot_be_is_not_made(trivium, options, said):
    """Nothing on standard output that could be taken for a key."""
    done = trivium("key", "create", *options)
    assert (True, "") == (done.code > 0, done.out)
    assert said in done.err
    assert [] == trivium("key", "list", "--json").data


def test_a_key_can_be_kept_out_of_addresses(trivium):
    """Said when it is made, and in the list."""
    done = trivium("key", "create", "--user", "ada", "--header-only")
    trivium("key", "create", "--user", "ada")
    assert ", header only" in done.err
    keys_ = trivium("key", "list", "--json").data
    assert [True, False] == [key["header_only"] for key in keys_]


def test_a_key_can_be_strict(trivium):
    """What it may not lose is refused; the list says so."""
    done = trivium("key", "create", "--user", "ada", "--strict")
    trivium("key", "create", "--user", "ada")
    assert ", strict" in done.err
    keys_ = trivium("key", "list", "--json").data
    assert [True, False] == [key["strict"] for key in keys_]


def test_limits_are_kept_and_listed(trivium):
    """Rates, budgets and addresses, in the table and as JSON."""
    done = trivium(
        *("key", "create", "--user", "ada", "--rpm", "60", "--tpm", "10000", "--concurrency", "4"),
        *("--budget", "5.00/month", "--budget", "1/day", "--ip", "10.0.0.0/8", "--ip", "::1"),
    )
    assert 0 == done.code
    assert "limits: 60 requests a minute, 10000 tokens a minute, 4 at once" in done.err
    assert "5.00 USD/month, 1.00 USD/day; from 10.0.0.0/8, ::1/128 only" in done.err
    (key,) = trivium("key", "list", "--json").data
    assert {"requests": 60, "tokens": 10000, "concurrency": 4} == key["limits"]
    assert ["10.0.0.0/8", "::1/128"] == key["networks"]
    assert [5 * 10**9, 10**9] == [each["amount_nanos"] for each in key["budgets"]]
    assert "5.00 USD/month" in trivium("key", "list").out


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--budget", "5.00", "such as 5.00/month"),
        ("--ip", "10.0.0.1/8", "no network"),
        ("--rpm", "0", "rpm"),
    ],
)
def test_a_limit_that_cannot_be_is_refused(trivium, option, value, said):
    """Nothing is made, and the message has what would be right."""
    done = trivium("key", "create", "--user", "ada", option, value)
    assert done.code != 0
    assert said in done.err
    assert [] == trivium("key", "list", "--json").data
