"""Addresses of a shared state."""

import pytest

from trivium.secret import Secret
from trivium.shared.address import Address, parse


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("redis://127.0.0.1", Address(host="127.0.0.1")),
        ("valkey://cache.example:6380/2", Address(host="cache.example", port=6380, database=2)),
        ("rediss://cache.example/", Address(host="cache.example", tls=True)),
        ("valkeys://[::1]:1/0", Address(host="::1", port=1, tls=True)),
        (
            "redis://ada:p%40ss@cache.example",
            Address(host="cache.example", user="ada", password=Secret("p@ss")),
        ),
        ("redis://:p@cache.example", Address(host="cache.example", password=Secret("p"))),
    ],
)
def test_an_address_is_read(url, address):
    """Either name of the protocol; a password may hold any character, percent-encoded."""
    assert address == parse(url)


def test_a_password_is_not_shown():
    """Addresses end up in messages."""
    assert "hush" not in repr(parse("redis://:hush@cache.example"))


def test_a_database_is_a_number():
    """Names of databases exist elsewhere."""
    with pytest.raises(ValueError, match="main"):
        parse("redis://cache.example/main")
