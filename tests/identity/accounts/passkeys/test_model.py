"""Passkeys are bound to a name that browsers accept."""

import pytest

from trivium.identity.accounts.passkeys.model import party_of


@pytest.mark.parametrize(
    ("origin", "party"),
    [
        ("https://gateway.example", "gateway.example"),
        ("https://gateway.example:8443", "gateway.example"),
        ("http://localhost:8080", "localhost"),
        ("http://gateway.example", None),
        ("http://127.0.0.1:8080", None),
        ("https://192.0.2.1", None),
        ("https://[::1]:8443", None),
        ("", None),
    ],
)
def test_names_over_https_and_localhost(origin, party):
    """Addresses cannot be bound to, and without TLS there is no binding."""
    assert party == party_of(origin)
