"""Why something was not done, in words."""

import pytest

from trivium.console import forms, refusals
from trivium.console.language import speech
from trivium.identity.accounts.errors import AccountError, AccountRefusal


@pytest.mark.parametrize("why", list(AccountRefusal))
def test_every_reason_has_its_words(why):
    """In every language, with nothing left open."""
    for tag in ("en", "zh-Hans"):
        said = speech(tag).say(refusals.words(AccountError(why, 61)))
        assert (True, False) == (bool(said), "%(" in said)


def test_waiting_is_told_in_minutes():
    """Rounded up: nobody comes back too early."""
    said = refusals.words(AccountError(AccountRefusal.TOO_MANY_TRIES, 61))
    assert "That was tried too often. Please wait 2 minutes." == speech("en").say(said)


def test_a_reason_stands_beside_its_field():
    """Under the name that the form has for it; what is no field's is the form's."""
    form = forms.empty(forms.Form)
    refusals.refuse(form, AccountError(AccountRefusal.PASSWORD_WRONG), current="password")
    refusals.refuse(form, AccountError(AccountRefusal.BUSY))
    assert {"password", ""} == set(form.errors)
