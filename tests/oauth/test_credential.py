"""Secrets of the OAuth service."""

import re
from hashlib import sha256

import pytest

from trivium.oauth import credential
from trivium.oauth.credential import CredentialKind


@pytest.mark.parametrize("kind", CredentialKind)
def test_a_credential_says_what_it_is_in_harmless_characters(kind):
    """The prefix names the kind; nothing in it changes under form-encoding."""
    made = credential.issue(kind)
    size = 22 if kind is CredentialKind.CLIENT_ID else 43
    assert re.fullmatch(f"{kind.value}[A-Za-z0-9_-]{{{size}}}", made)
    assert made != credential.issue(kind)


def test_no_prefix_begins_another():
    """A credential is of one kind."""
    values = [kind.value for kind in CredentialKind]
    assert [] == [(a, b) for a in values for b in values if a != b and b.startswith(a)]


def test_what_is_stored_is_a_sha_256_of_the_whole():
    """Prefix included."""
    assert sha256(b"gwat_x").digest() == credential.digest("gwat_x")


@pytest.mark.parametrize(
    ("kind", "text", "looks"),
    [
        (CredentialKind.CODE, "gwac_" + "a" * 43, True),
        (CredentialKind.CODE, "gwac_" + "a" * 42, False),
        (CredentialKind.CODE, "gwac_" + "a" * 44, False),
        (CredentialKind.CODE, "gwac_" + "a" * 42 + "+", False),
        (CredentialKind.CODE, "gwac_" + "a" * 42 + "\n", False),
        (CredentialKind.CODE, "gwat_" + "a" * 43, False),
        (CredentialKind.CODE, "", False),
    ],
)
def test_what_cannot_be_ours_is_not_looked_up(kind, text, looks):
    """Length, characters and prefix tell."""
    assert looks is credential.looks_like(kind, text)


def test_a_hint_tells_credentials_apart():
    """It is the last four characters."""
    assert "cdef" == credential.hint("gws_abcdef")


def test_bytes_become_a_credential():
    """Base64 for addresses, without padding."""
    assert "gwrt_" + "_" * 42 + "8" == credential.written(
        CredentialKind.REFRESH_TOKEN, b"\xff" * 32
    )


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (credential.written(CredentialKind.CLIENT_ID, bytes(16)), True),
        ("gwc_" + "a" * 22, True),
        ("gwc_" + "a" * 21, False),
        ("gwc_" + "a" * 22 + "\n", False),
        ("gwc_" + "a" * 21 + "\0", False),
        ("", False),
    ],
)
def test_client_ids_have_one_form(text, is_one):
    """Nothing else is looked up."""
    assert is_one is credential.is_client_id(text)
