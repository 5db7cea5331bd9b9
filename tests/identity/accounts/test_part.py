"""The checks that several ways into an account make."""

import pytest

from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import Way
from trivium.identity.service import Identity

pytestmark = pytest.mark.asyncio


async def test_only_enabled_users_have_an_account(database, clock, accounts, user):
    """Nobody, a stranger and a disabled user are refused with the caller's own reason."""
    ada, bob = await user(), await user("bob")
    await Identity(database, clock).disable_user("bob")
    async with database.read() as conn:
        found = await accounts.login._enabled(conn, ada.id, AccountRefusal.TICKET_GONE)
        assert ada.id == found.user.id
        for nobody in (None, 999, bob.id):
            with pytest.raises(AccountError, match="passkey_bad"):
                await accounts.login._enabled(conn, nobody, AccountRefusal.PASSKEY_BAD)


async def test_sensitive_acts_need_a_recent_proof(database, clock, accounts, user, visitor):
    """Of somebody who is logged in, within the last ten minutes."""
    ada = await user()
    async with database.write() as conn:
        token = await accounts.sessions.begin(conn, ada.id, Way.PASSWORD, visitor)
    session = await accounts.sessions.find(token)
    accounts.login._check_confirmed(session)
    clock.advance(601)
    for late in (None, session):
        with pytest.raises(AccountError, match="confirm_first"):
            accounts.login._check_confirmed(late)
