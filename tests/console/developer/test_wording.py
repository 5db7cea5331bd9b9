"""What is wrong with a registration, in words."""

import pytest

from trivium.console import forms
from trivium.console.developer.apps import NewApp
from trivium.console.developer.wording import refuse
from trivium.oauth.errors import RegistrationError


@pytest.mark.parametrize(
    ("field", "where"),
    [("name", "name"), ("redirect_uri", "redirect_uri"), ("limit", ""), ("rate", ""), ("x", "")],
)
def test_it_stands_where_it_belongs(field, where):
    """Beside the field, or above the form."""
    form = forms.empty(NewApp, name="a", redirect_uri="b", description="c")
    refuse(form, RegistrationError(field, "for developers"))
    assert [where] == list(form.errors)
    assert "for developers" not in str(form.errors[where])
