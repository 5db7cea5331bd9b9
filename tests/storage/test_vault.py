"""Bodies at rest: they open whole, in their place, under a key the gateway has, or not at all."""

import os

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from trivium.secret import Keyring
from trivium.storage.root_key import RootKeys
from trivium.storage.vault import FORMAT, OVERHEAD, Vault, VaultError

KEY, OTHER = b"k" * 32, b"l" * 32
KEYS = Keyring(KEY)
VAULT = Vault(KEYS)


@pytest.mark.parametrize("body", [b"", b"\x00", b"\x00\x00secret", b"x" * 100_000])
def test_a_body_opens_as_it_was(body):
    """Leading zeros and emptiness included; it grows by a fixed number of bytes."""
    sealed = VAULT.seal(body, b"3/resp_1")
    assert body == VAULT.open(sealed, b"3/resp_1")
    assert OVERHEAD == len(sealed) - len(body)


def test_nothing_of_a_body_can_be_read():
    """Nor are two seals of one body alike, in anything but format and key."""
    one, two = (VAULT.seal(b"secret secret secret", b"p") for _ in range(2))
    assert b"secret" not in one
    assert one[:5] == two[:5]
    assert not {one[at : at + 8] for at in range(5, len(one) - 7)} & {
        two[at : at + 8] for at in range(5, len(two) - 7)
    }


def test_a_sealed_body_is_what_the_description_says():
    """Written out with the library alone, as somebody would who has the keys but not the code."""
    salt, nonce = os.urandom(16), os.urandom(12)
    head = b"\x02" + KEYS.id + salt
    key = HKDF(SHA256(), 32, salt, b"trivium body").derive(KEY)
    sealed = head + nonce + AESGCM(key).encrypt(nonce, b"secret", head + b"3/resp_1")
    assert b"secret" == VAULT.open(sealed, b"3/resp_1")


@pytest.mark.parametrize("bit", [0x01, 0x80])
def test_a_body_touched_anywhere_does_not_open(bit):
    """Format, key id, salt, nonce, content and tag."""
    sealed = VAULT.seal(b"secret", b"p")
    opened = []
    for at in range(len(sealed)):
        touched = bytearray(sealed)
        touched[at] ^= bit
        try:
            opened.append((at, VAULT.open(bytes(touched), b"p")))
        except VaultError:
            continue
    assert [] == opened


def test_a_body_cut_or_lengthened_does_not_open():
    """A truncated column is damage, not a crash."""
    sealed = VAULT.seal(b"secret", b"p")
    for damaged in [*(sealed[:end] for end in range(len(sealed))), sealed[1:], sealed + b"\x00"]:
        with pytest.raises(VaultError):
            VAULT.open(damaged, b"p")


@pytest.mark.parametrize("place", [b"4/resp_1", b"3/resp_2", b"", b"3/resp_1 ", b"3/resp_"])
def test_a_body_does_not_open_in_another_place(place):
    """A row cannot be moved to another owner, nor to another row of its owner."""
    with pytest.raises(VaultError, match="another row"):
        VAULT.open(VAULT.seal(b"secret", b"3/resp_1"), place)


def test_nothing_moves_between_the_salt_and_the_place():
    """Both are under the tag, one after the other: no byte can change sides."""
    sealed = VAULT.seal(b"secret", b"p")
    with pytest.raises(VaultError):
        VAULT.open(sealed[:20] + sealed[21:], sealed[20:21] + b"p")


def test_a_body_does_not_open_for_another_purpose():
    """What one part of the gateway sealed is no business of the others."""
    root = RootKeys(KEY)
    sealed = Vault(root.ring("responses")).seal(b"secret", b"p")
    assert b"secret" == Vault(root.ring("responses")).open(sealed, b"p")
    with pytest.raises(VaultError):
        Vault(root.ring("traces")).open(sealed, b"p")


def test_a_key_that_only_reads_opens_what_it_sealed():
    """After a rotation old bodies open, new ones are sealed with the new key."""
    old = VAULT.seal(b"old", b"p")
    rotated = Vault(Keyring(OTHER, KEY))
    assert b"old" == rotated.open(old, b"p")
    new = rotated.seal(b"new", b"p")
    assert b"new" == Vault(Keyring(OTHER)).open(new, b"p")
    with pytest.raises(VaultError, match="has not got"):
        VAULT.open(new, b"p")


def test_a_key_named_wrongly_does_not_open():
    """The id only says which key to try; the tag says whether it is the one."""
    rotated = Vault(Keyring(OTHER, KEY))
    sealed = VAULT.seal(b"secret", b"p")
    renamed = FORMAT + Keyring(OTHER).id + sealed[5:]
    with pytest.raises(VaultError, match="altered"):
        rotated.open(renamed, b"p")


@pytest.mark.parametrize("format_", [b"\x00", b"\x01", b"\x03"])
def test_another_format_is_refused_by_name(format_):
    """Of a version before or after this one."""
    with pytest.raises(VaultError, match="format"):
        VAULT.open(format_ + VAULT.seal(b"secret", b"p")[1:], b"p")


def test_it_is_known_which_key_sealed():
    """What lasts is sealed anew before an older key goes."""
    old, both = Vault(Keyring(b"o" * 32)), Vault(Keyring(b"n" * 32, b"o" * 32))
    sealed = old.seal(b"body", b"place")
    assert old.is_current(sealed)
    assert not both.is_current(sealed)
    assert both.is_current(both.seal(both.open(sealed, b"place"), b"place"))
    assert not both.is_current(b"")
