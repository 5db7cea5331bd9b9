"""The services of the pages."""

import pytest

from console.visiting import console_over


@pytest.mark.parametrize(
    ("server", "origin", "secure"),
    [
        ({"public_url": "https://gateway.example"}, "https://gateway.example", True),
        ({"public_url": "https://gateway.example/"}, "https://gateway.example", True),
        (
            {"public_url": "https://api.example", "auth_url": "https://login.example/"},
            "https://login.example",
            True,
        ),
        ({"public_url": None, "listen": "127.0.0.1:8080"}, "http://127.0.0.1:8080", False),
    ],
)
def test_addresses_come_from_the_settings(server, origin, secure):
    """Never from what a request says about itself."""
    console = console_over(None, **server)
    assert (origin, secure) == (console.origin, console.secure)


def test_models_are_asked_at_the_gateways_own_address():
    """Also where the pages have another."""
    console = console_over(None, public_url="https://api.example", auth_url="https://login.example")
    assert "https://api.example" == console.api_origin
