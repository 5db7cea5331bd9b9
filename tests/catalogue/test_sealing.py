"""Credentials open for their entry alone, and tell little."""

import pytest

from trivium.catalogue.sealing import MARKS, PURPOSE, CredentialSeal, hint
from trivium.storage.root_key import RootKeys
from trivium.storage.vault import Vault, VaultError


def seal_of(*keys):
    """With these keys of the deployment's."""
    root = RootKeys(*keys)
    return CredentialSeal(Vault(root.ring(PURPOSE)), root.ring(MARKS))


ONE, TWO = b"1" * 32, b"2" * 32
VALUES = {"api_key": "sk-canary", "headers/x-a": "é"}


def test_what_is_sealed_opens_again():
    """With the same key, or one that took its place."""
    sealed = seal_of(ONE).seal("channel", "main", VALUES)
    assert b"canary" not in sealed
    assert VALUES == seal_of(ONE).open("channel", "main", sealed)
    assert VALUES == seal_of(TWO, ONE).open("channel", "main", sealed)


@pytest.mark.parametrize(
    ("key", "kind", "name"),
    [(TWO, "channel", "main"), (ONE, "channel", "b"), (ONE, "model", "main")],
)
def test_it_opens_nowhere_else(key, kind, name):
    """Not with another deployment's secret, not moved to another entry."""
    sealed = seal_of(ONE).seal("channel", "main", VALUES)
    with pytest.raises(VaultError):
        seal_of(key).open(kind, name, sealed)


def test_fingerprints_tell_credentials_apart():
    """The same for the same one at the same place, with this deployment's secret alone."""
    seal = seal_of(ONE)
    mark = seal.fingerprint("channel", "a", "api_key", "k")
    assert 16 == len(mark)
    assert mark == seal.fingerprint("channel", "a", "api_key", "k")
    others = {
        seal.fingerprint("channel", "a", "api_key", "l"),
        seal.fingerprint("channel", "b", "api_key", "k"),
        seal.fingerprint("channel", "a", "api_keys/0", "k"),
        seal_of(TWO).fingerprint("channel", "a", "api_key", "k"),
    }
    assert mark not in others
    assert 4 == len(others)


def test_of_a_short_credential_nothing_is_shown():
    """Four characters of eleven would be too much."""
    assert ["", "", "9abc"] == [hint("x"), hint("123456789ab"), hint("123456789abc")]
