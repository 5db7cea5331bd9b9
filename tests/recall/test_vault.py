"""Bodies at rest."""

import pytest

from trivium.recall.vault import Vault, VaultError

VAULT = Vault(b"k" * 32)


@pytest.mark.parametrize("body", [b"", b"\x00", b"\x00\x00secret", b"x" * 100_000])
def test_a_body_opens_as_it_was(body):
    """Leading zeros and emptiness included."""
    assert body == VAULT.open(VAULT.seal(body, b"3/resp_1"), b"3/resp_1")


def test_nothing_of_a_body_can_be_read():
    """Nor are two seals of one body alike."""
    sealed = [VAULT.seal(b"secret secret secret", b"p") for _ in range(2)]
    assert not any(b"secret" in one for one in sealed)
    assert sealed[0] != sealed[1]


@pytest.mark.parametrize("at", [0, 1, 24, 25, 56, 57, -1])
def test_a_touched_body_does_not_open(at):
    """Format, nonce, tag and content are all under the tag."""
    sealed = bytearray(VAULT.seal(b"secret", b"p"))
    sealed[at] ^= 1
    with pytest.raises(VaultError):
        VAULT.open(bytes(sealed), b"p")


@pytest.mark.parametrize("cut", [0, 1, 30, 57])
def test_a_short_body_does_not_open(cut):
    """A truncated column is damage, not a crash."""
    with pytest.raises(VaultError):
        VAULT.open(VAULT.seal(b"secret", b"p")[:cut], b"p")


def test_another_place_and_another_key_do_not_open_it():
    """A row cannot be moved to another owner."""
    sealed = VAULT.seal(b"secret", b"3/resp_1")
    with pytest.raises(VaultError):
        VAULT.open(sealed, b"4/resp_1")
    with pytest.raises(VaultError):
        Vault(b"l" * 32).open(sealed, b"3/resp_1")
