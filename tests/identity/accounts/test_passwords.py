"""Passwords are long enough, not the first to be guessed, and one text is one password."""

import pytest

from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.passwords import check, normalized


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("", AccountRefusal.PASSWORD_SHORT),
        ("x7!kQ2z", AccountRefusal.PASSWORD_SHORT),
        ("x" * 257, AccountRefusal.PASSWORD_LONG),
        ("\ufdfa" * 20, AccountRefusal.PASSWORD_LONG),  # NFKC makes eighteen characters of each
        ("password", AccountRefusal.PASSWORD_COMMON),
        ("PassWord", AccountRefusal.PASSWORD_COMMON),
        ("password2026!", AccountRefusal.PASSWORD_COMMON),
        ("12345678", AccountRefusal.PASSWORD_COMMON),
        ("Sunshine1", AccountRefusal.PASSWORD_COMMON),
        ("aaaaaaaaaaaa", AccountRefusal.PASSWORD_COMMON),
        ("abababab", AccountRefusal.PASSWORD_COMMON),
        ("ｐａｓｓｗｏｒｄ", AccountRefusal.PASSWORD_COMMON),  # noqa: RUF001 - full width on purpose
        ("lovelace", AccountRefusal.PASSWORD_COMMON),
        ("Lovelace1!", AccountRefusal.PASSWORD_COMMON),
        ("ada.byron99", AccountRefusal.PASSWORD_COMMON),
    ],
)
def test_what_is_guessed_first_is_refused(password, why):
    """By length, by the list, and by what the account itself gives away."""
    with pytest.raises(AccountError) as caught:
        check(password, ("lovelace", "ada.byron@example.com"))
    assert why is caught.value.why


@pytest.mark.parametrize(
    "password",
    [
        "x7!kQ2zP",
        "correct horse staple",
        "lovelace invents programs",
        "пароль-для-всех",
        "密码密码要长一点",
        "x7!" * 85,
    ],
)
def test_anything_else_goes(password):
    """No rules of composition: length is what counts, in any script."""
    assert normalized(password) == check(password, ("lovelace",))


def test_two_ways_to_write_one_text_are_one_password():
    """A composed letter and its parts look the same on the next keyboard."""
    assert check("caf\u00e9 au lait") == check("cafe\u0301 au lait")


def test_short_names_may_occur_by_chance():
    """Three letters say little."""
    assert "adagio!!" == check("adagio!!", ("ada",))
