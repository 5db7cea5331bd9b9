"""Tokens have 256 bits, and only their digest is worth keeping."""

import secrets
from hashlib import sha256

import pytest

from trivium.identity.accounts.tickets import TOKEN_CHARS, digest, issue


def test_a_token_holds_every_bit_of_chance():
    """Other bytes, another token; only characters that need no escaping."""
    made = {issue(lambda n, i=i: bytes(i) + b"\x01" + bytes(n - i - 1)) for i in range(32)}
    assert 32 == len(made)
    assert {TOKEN_CHARS} == {len(token) for token in made}
    assert all(token.replace("-", "").replace("_", "").isalnum() for token in made)


def test_the_digest_is_that_of_the_whole_token():
    """SHA-256, as a secret of 256 bits needs no slower hash."""
    token = issue(secrets.token_bytes)
    assert sha256(token.encode()).digest() == digest(token)


@pytest.mark.parametrize("text", ["", "x" * 42, "x" * 44, "x" * 10**6])
def test_what_cannot_be_a_token_has_no_digest(text):
    """Nobody makes us hash or look up anything they like."""
    assert digest(text) is None


def test_odd_characters_are_only_an_unknown_token():
    """Lone surrogates come out of headers."""
    assert digest("\ud800" * 43) is not None
