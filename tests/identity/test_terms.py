"""What a key may do, in the spelling that is stored."""

import msgspec
import pytest

from trivium.identity.errors import IdentityError
from trivium.identity.model import Key
from trivium.identity.terms import Terms, changed, checked, folded, terms_of
from trivium.settings.budget import Budget, Period


def test_terms_are_what_a_key_has_of_them():
    """Every member of the terms is one of the key's."""
    terms = Terms(
        name="laptop",
        models=("m",),
        expires_at=7,
        strict=True,
        header_only=True,
        networks=("::1/128",),
    )
    key = Key(id=1, user_id=2, hint="abcd", **msgspec.structs.asdict(terms))
    assert terms == terms_of(key)


def test_what_differs_is_named():
    """And nothing where nothing does."""
    before = Terms(name="laptop")
    assert [] == changed(before, Terms(name="laptop"))
    assert ["name", "strict"] == changed(before, Terms(name="phone", strict=True))


@pytest.mark.parametrize(
    ("end", "had", "is_taken"),
    [
        (None, None, True), (101, None, True), (100, None, False), (99, None, False),
        (99, 99, True), (98, 99, False), (None, 99, True),
    ],
)  # fmt: skip
def test_an_end_lies_ahead_unless_it_was_there(end, had, is_taken):
    """Now is 100."""
    if is_taken:
        assert end == checked(Terms(expires_at=end), 100, had).expires_at
        return
    with pytest.raises(IdentityError) as caught:
        checked(Terms(expires_at=end), 100, had)
    assert "expires_at" == caught.value.field


def test_texts_that_look_alike_are_one():
    """Composed, and without blanks around."""
    assert "Zo\u00eb" == folded(" Zoe\u0308 ")


@pytest.mark.parametrize(
    ("terms", "member", "said"),
    [
        ({"end_user_requests": 0}, "end_user_requests", "from 1"),
        ({"end_user_budgets": (Budget(amount_nanos=1, period=Period.TOTAL),)},
         "end_user_budgets", "day, week, month, 5h or 7d"),
        ({"end_user_budgets": (Budget(amount_nanos=0, period=Period.DAY),)},
         "end_user_budgets", "above 0"),
        ({"end_user_budgets": (Budget(amount_nanos=1, period=Period.DAY),) * 2},
         "end_user_budgets", "one a period"),
    ],
)  # fmt: skip
def test_limits_of_end_users_are_checked(terms, member, said):
    """None lasts for good: a counter for each name that a caller invents must have an end."""
    with pytest.raises(IdentityError, match=said) as caught:
        checked(Terms(**terms), 100)
    assert member == caught.value.field
