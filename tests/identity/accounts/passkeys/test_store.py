"""Passkeys are rows of their user."""

import pytest

from trivium.identity.accounts.passkeys import store
from trivium.storage.errors import Conflict


def values(user_id, credential):
    """A row."""
    return {
        "user_id": user_id,
        "credential": credential,
        "public_key": b"key",
        "handle": b"handle",
        "sign_count": 0,
        "transports": '["usb"]',
        "synced": False,
        "name": "Key",
        "created_at": 1,
    }


@pytest.mark.asyncio
async def test_a_credential_is_stored_once(database, user):
    """Whoever it is for."""
    ada, bob = await user("ada"), await user("bob")
    async with database.write() as conn:
        assert None is await store.handle_of(conn, ada.id)
        made = await store.insert_passkey(conn, values(ada.id, b"one"))
        await store.used(conn, made, 7, 99, synced=True)
        assert (made, ada.id, b"key", b"handle", 7) == await store.find(conn, b"one")
        assert [(b"one", ["usb"])] == await store.credentials(conn, ada.id)
        assert b"handle" == await store.handle_of(conn, ada.id)
        (seen,) = await store.of_user(conn, ada.id)
        assert (99, True) == (seen.used_at, seen.synced)

    async def again():
        async with database.write() as conn:
            await store.insert_passkey(conn, values(bob.id, b"one"))

    with pytest.raises(Conflict):
        await again()
