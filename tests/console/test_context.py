"""The services of the pages."""

import pytest

from console.visiting import console_over


@pytest.mark.parametrize(
    ("server", "origin", "secure"),
    [
        ({"public_url": "https://gateway.example"}, "https://gateway.example", True),
        ({"public_url": "https://gateway.example/"}, "https://gateway.example", True),
        ({"public_url": None, "listen": "127.0.0.1:8080"}, "http://127.0.0.1:8080", False),
    ],
)
def test_addresses_come_from_the_settings(server, origin, secure):
    """Never from what a request says about itself."""
    console = console_over(None, **server)
    assert (origin, secure) == (console.origin, console.secure)
