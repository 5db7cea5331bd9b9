"""Outside logins are rows of their user, one for each issuer and subject."""

import pytest

from trivium.identity.accounts.sso import store
from trivium.storage.errors import Conflict


def values(user_id, subject="s-1", issuer="https://a.example"):
    """A row."""
    more = {"email": "ada@example.com", "created_at": 1}
    return {"user_id": user_id, "issuer": issuer, "subject": subject, **more}


@pytest.mark.asyncio
async def test_a_login_is_linked_once(database, user):
    """The same subject at another issuer is somebody else."""
    ada, bob = await user("ada"), await user("bob")
    async with database.write() as conn:
        await store.insert_login(conn, values(ada.id))
        await store.insert_login(conn, values(bob.id, issuer="https://b.example"))
        assert ada.id == await store.user_of(conn, "https://a.example", "s-1")
        assert bob.id == await store.user_of(conn, "https://b.example", "s-1")
        assert None is await store.user_of(conn, "https://a.example", "s-2")
        await store.used(conn, "https://a.example", "s-1", "new@example.com", 9)
        (seen,) = await store.of_user(conn, ada.id)
        assert (9, "new@example.com") == (seen.used_at, seen.email)
        assert not await store.remove(conn, bob.id, seen.id)

    async def again():
        async with database.write() as conn:
            await store.insert_login(conn, values(bob.id))

    with pytest.raises(Conflict):
        await again()
