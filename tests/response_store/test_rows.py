"""A kept response as a row and back."""

from types import SimpleNamespace

import pytest

from trivium.response_store.model import StoredResponse
from trivium.response_store.rows import kept_of, row_of
from trivium.secret import Keyring
from trivium.storage.vault import Vault, VaultError

VAULT = Vault(Keyring(b"k" * 32))
KEPT = StoredResponse(
    user_id=3, id="resp_1", key_id=7, model="m", channel="c", status="completed",
    created_at=1, expires_at=2, response=b'{"secret":1}', input=(b'{"a":1}', b"2"),
)  # fmt: skip


def test_a_row_gives_back_what_was_kept():
    """Byte for byte; the ids of items are rows of their own."""
    assert KEPT == kept_of(SimpleNamespace(**row_of(KEPT, VAULT)), VAULT)


def test_a_row_of_what_an_upstream_keeps_has_no_body():
    """Nothing is sealed, nothing counts against the owner's bytes."""
    kept = StoredResponse(
        user_id=3, id="resp_1", key_id=7, model="m", channel="c", status="completed",
        created_at=1, expires_at=2, response=None,
    )  # fmt: skip
    row = row_of(kept, VAULT)
    assert (None, 0) == (row["body"], row["size_bytes"])
    assert kept == kept_of(SimpleNamespace(**row), VAULT)


def test_a_row_moved_to_another_user_does_not_open():
    """Whoever can write the table cannot read through the gateway."""
    row = row_of(KEPT, VAULT) | {"user_id": 4}
    with pytest.raises(VaultError):
        kept_of(SimpleNamespace(**row), VAULT)


def test_a_body_that_is_none_is_told():
    """Sealed rightly, but not by this code."""
    row = row_of(KEPT, VAULT) | {"body": VAULT.seal(b"nonsense", b"3/resp_1")}
    with pytest.raises(VaultError, match="cannot be read"):
        kept_of(SimpleNamespace(**row), VAULT)
