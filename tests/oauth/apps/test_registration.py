"""What an application may be called."""

import pytest

from trivium.oauth.apps import registration
from trivium.oauth.errors import RegistrationError


@pytest.mark.parametrize(
    ("text", "stored"), [("  Shop ", "Shop"), ("x" * 64, "x" * 64), ("Café", "Café")]
)
def test_a_name_is_trimmed(text, stored):
    """And normalised."""
    assert stored == registration.name(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "x" * 65,
        "a\nb",
        "a\u202eb",
        "a\u200bb",
        "a\x00",
        "a\u2028b",
        "\u3164",
        "Bank\u3164",
        "Bank\u2800",
        "Bank\ufe00",
        "Bank\u034f",
    ],
)
def test_a_name_that_deceives_is_refused(text):
    """Empty, too long, or with what nobody sees."""
    with pytest.raises(RegistrationError) as raised:
        registration.name(text)
    assert "name" == raised.value.field


@pytest.mark.parametrize("text", ["", "Two\r\nlines", "x" * 500])
def test_a_description_may_have_lines(text):
    """It may be empty, too."""
    assert text.replace("\r\n", "\n") == registration.description(text)


@pytest.mark.parametrize("text", ["x" * 501, "a\u202eb", "a\x07"])
def test_a_description_that_deceives_is_refused(text):
    """As names are."""
    with pytest.raises(RegistrationError) as raised:
        registration.description(text)
    assert "description" == raised.value.field


def test_an_address_is_stored_as_it_came():
    """To the byte."""
    uri = "https://APP.example:443/a%2Fb?x=%20"
    assert uri == registration.redirect_uri(uri, allow_insecure=False)
    with pytest.raises(RegistrationError, match="redirect_uri: must begin with https://"):
        registration.redirect_uri("http://localhost/", allow_insecure=False)
    assert "http://localhost/" == registration.redirect_uri(
        "http://localhost/", allow_insecure=True
    )
