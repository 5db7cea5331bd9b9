"""A key's terms in a form and out of it again."""

import datetime as dt

import msgspec
import pytest

from trivium.console import forms
from trivium.console.account import key_terms
from trivium.console.account.key_terms import EditedKey
from trivium.identity.errors import IdentityError
from trivium.identity.model import Key
from trivium.identity.terms import Terms, terms_of
from trivium.identity.user_keys import KEYS_MAX
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits

MIDNIGHT = int(dt.datetime(2027, 2, 1, tzinfo=dt.UTC).timestamp())
FULL = Key(
    id=1,
    user_id=2,
    name="laptop",
    hint="abcd",
    models=("gpt-*", "m"),
    expires_at=MIDNIGHT,
    strict=True,
    header_only=True,
    limits=RateLimits(60, None, 4),
    budgets=(
        Budget(amount_nanos=5_000_000_000, period=Period.MONTH),
        Budget(amount_nanos=1_250_000_000, period=Period.DAY),
    ),
    networks=("10.0.0.0/8", "::1/128"),
    end_user_requests=10,
    end_user_budgets=(
        Budget(amount_nanos=1_000_000_000, period=Period.FIVE_HOURS),
        Budget(amount_nanos=500_000_000, period=Period.DAY),
    ),
)


def sent(key, **other):
    """The form as a browser sends it back."""
    given = {name: list(values) for name, values in key_terms.shown(key).given.items()}
    return forms.Filled(EditedKey, given | {name: [value] for name, value in other.items()})


@pytest.mark.parametrize(
    "key", [FULL, Key(id=1, user_id=2, name="bare", hint="abcd")], ids=["full", "bare"]
)
def test_a_form_that_is_sent_back_untouched_changes_nothing(key):
    """Whatever order budgets are stored in, and at whatever second a key ends."""
    for end in (key.expires_at, MIDNIGHT - 1, MIDNIGHT + 1):
        now = msgspec.structs.replace(key, expires_at=end)
        assert terms_of(now) == key_terms.terms(sent(now), terms_of(now))


@pytest.mark.parametrize(
    ("end", "day"),
    [(MIDNIGHT, "2027-01-31"), (MIDNIGHT + 1, "2027-02-01"), (MIDNIGHT - 1, "2027-01-31")],
)
def test_the_day_shown_is_the_last_on_which_it_works(end, day):
    """An end at midnight belongs to the day before."""
    assert day == key_terms.shown(msgspec.structs.replace(FULL, expires_at=end)).first("expires")


CHANGES = {
    "another day": ({"expires": "2027-02-01"}, {"expires_at": MIDNIGHT + 86_400}),
    "no end": ({"expires": ""}, {"expires_at": None}),
    "one budget more": (
        {"total": "$100"},
        {"budgets": (
            Budget(amount_nanos=1_250_000_000, period=Period.DAY),
            Budget(amount_nanos=5_000_000_000, period=Period.MONTH),
            Budget(amount_nanos=100_000_000_000, period=Period.TOTAL),
        )},
    ),
    "one budget less": (
        {"day": ""}, {"budgets": (Budget(amount_nanos=5_000_000_000, period=Period.MONTH),)},
    ),
    "models with commas": ({"models": "a, b\nc"}, {"models": ("a", "b", "c")}),
    "any address": ({"networks": ""}, {"networks": ()}),
    "not strict": ({"strict": ""}, {"strict": False}),
    "also in an address": ({"header_only": ""}, {"header_only": False}),
    "no bounds of end users": (
        {"end_user_requests": "", "each_5h": "", "each_day": ""},
        {"end_user_requests": None, "end_user_budgets": ()},
    ),
    "more of an end user": (
        {"each_5h": "", "each_month": "3"},
        {"end_user_budgets": (
            Budget(amount_nanos=500_000_000, period=Period.DAY),
            Budget(amount_nanos=3_000_000_000, period=Period.MONTH),
        )},
    ),
    "no rates": ({"requests": "", "concurrency": ""}, {"limits": None}),
}  # fmt: skip


@pytest.mark.parametrize(("other", "expected"), CHANGES.values(), ids=CHANGES)
def test_what_is_written_is_what_holds(other, expected):
    """And nothing else changes."""
    before = terms_of(FULL)
    assert msgspec.structs.replace(before, **expected) == key_terms.terms(
        sent(FULL, **other), before
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("day", "0"),
        ("week", "ten"),
        ("total", "1000001"),
        ("expires", "soon"),
        ("requests", "0"),
        ("each_5h", "-1"),
        ("end_user_requests", "many"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(field, value):
    """Each budget has a field of its own."""
    form = sent(FULL, **{field: value})
    assert key_terms.terms(form, terms_of(FULL)) is None
    assert [field] == list(form.errors)


def test_a_refusal_is_said_where_the_form_has_a_field():
    """Else above the form; the number of keys is named."""
    form = sent(FULL)
    key_terms.refuse(form, IdentityError("limits", "…"))
    key_terms.refuse(form, IdentityError("keys", "…"))
    assert {"requests", ""} == set(form.errors)
    assert {"count": KEYS_MAX} == form.errors[""].values


def test_the_form_has_every_term_of_a_key():
    """Whoever adds one adds its field: a form that saves without it would leave it as it was."""
    elsewhere = {"expires_at", "limits", "budgets", "end_user_budgets"}
    fields = set(EditedKey.__struct_fields__)
    assert set(Terms.__struct_fields__) - elsewhere <= fields
