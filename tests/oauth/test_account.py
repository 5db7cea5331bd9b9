"""What an application is told of a user."""

import msgspec
import pytest

from trivium.oauth import account
from trivium.oauth.account import Account, Attribution, formatted, userinfo
from trivium.secret import Keyring

ADA = Account(
    id=7,
    name="ada",
    email="ada@example.org",
    email_verified=True,
    created_at=1_790_000_000,
    balance_nanos=2_500_000_000,
    used_nanos=700_000_000,
)
PROFILE = {
    "username": "ada",
    "email": "ada@example.org",
    "created_time": 1_790_000_000,
    "status": 1,
}
BALANCE = {"quota": 1_250_000, "used_quota": 350_000, "balance_formatted": "2.50"}


@pytest.mark.parametrize(
    ("scopes", "members"),
    [
        ({"profile"}, PROFILE),
        ({"balance"}, BALANCE),
        ({"profile", "balance"}, PROFILE | BALANCE),
        (set(), {}),
    ],
)
@pytest.mark.parametrize("sub", [False, True])
def test_members_are_those_of_the_scopes(scopes, members, sub):
    """The id is always there; what is not granted is left out, not null."""
    made = userinfo(ADA, frozenset(scopes), decimals=2, sub=sub)
    more = {"sub": "7"} if sub else {}
    if sub and "profile" in scopes:
        more["email_verified"] = True
    assert {"id": 7, **members, **more} == made


@pytest.mark.parametrize("verified", [False, True])
def test_an_application_is_told_whether_an_address_is_proven(verified):
    """Whoever links accounts by an address that nobody proved gives them away."""
    ada = msgspec.structs.replace(ADA, email_verified=verified)
    made = userinfo(ada, frozenset({"profile"}), decimals=2, sub=True)
    assert made["email_verified"] is verified


def test_the_whole_record_has_the_order_of_the_specification():
    """As its example has it."""
    made = userinfo(ADA, frozenset({"profile", "balance"}), decimals=2, sub=False)
    assert [
        "id",
        "username",
        "email",
        "quota",
        "used_quota",
        "balance_formatted",
        "created_time",
        "status",
    ] == list(made)


@pytest.mark.parametrize(
    ("quota", "decimals", "text"),
    [
        (1_250_000, 2, "2.50"),
        (0, 2, "0.00"),
        (1, 2, "0.00"),
        (1, 6, "0.000002"),
        (499_999, 2, "0.99"),
        (-1, 2, "-0.01"),
        (-1_250_000, 2, "-2.50"),
        (10**18 + 1, 6, "2000000000000.000002"),
    ],
)
def test_a_balance_is_written_exactly_and_rounded_down(quota, decimals, text):
    """Nobody is shown what is not there; no float is near."""
    assert text == formatted(quota, decimals)


def test_units_are_whole_ones():
    """A balance below zero is below zero in units, too."""
    poor = msgspec.structs.replace(ADA, balance_nanos=-1, used_nanos=1999)
    made = userinfo(poor, frozenset({"balance"}), decimals=2, sub=False)
    assert (-1, 0, "-0.01") == (made["quota"], made["used_quota"], made["balance_formatted"])


KEYS = Keyring(b"k" * 32)
WHO = Attribution(user_id=7, app_id=3)
NOW = 1_790_000_000


def test_what_is_sealed_opens_for_a_quarter_of_an_hour():
    """And not a second longer."""
    value = account.sealed(KEYS, WHO, NOW)
    assert WHO == account.opened(KEYS, value, NOW)
    assert WHO == account.opened(KEYS, value, NOW + 899)
    assert None is account.opened(KEYS, value, NOW + 900)


def test_an_older_key_still_opens():
    """Keys are replaced while addresses are on their way."""
    assert WHO == account.opened(Keyring(b"n" * 32, b"k" * 32), account.sealed(KEYS, WHO, NOW), NOW)


@pytest.mark.parametrize("at", range(0, 80, 5))
def test_a_changed_value_does_not_open(at):
    """Wherever it was changed."""
    value = account.sealed(KEYS, WHO, NOW)
    other = "A" if value[at] != "A" else "B"
    assert None is account.opened(KEYS, value[:at] + other + value[at + 1 :], NOW)


@pytest.mark.parametrize("value", ["", "x", "ä", "A" * 80, "A" * 5000, "=" * 4])
def test_what_is_none_of_ours_does_not_open(value):
    """Nor does it raise."""
    assert None is account.opened(KEYS, value, NOW)


def test_another_gateways_value_does_not_open():
    """The key is the gateway's own."""
    assert None is account.opened(Keyring(b"x" * 32), account.sealed(KEYS, WHO, NOW), NOW)
