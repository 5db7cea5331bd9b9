"""The services of the pages."""

import contextlib

import pytest

from trivium.settings.accounts import Mail
from trivium.settings.model import Server, Settings, Storage
from trivium.wiring.console import console_of


@pytest.mark.asyncio
@pytest.mark.parametrize("host", ["", "127.0.0.1"])
async def test_the_pages_have_what_they_call(database, tmp_path, host):
    """Letters are sent only where there is a server for them; all of it closes."""
    settings = Settings(
        server=Server(public_url="https://gateway.example"),
        storage=Storage(journal=str(tmp_path)),
        mail=Mail(host=host, sender="gateway@example.com"),
    )
    async with contextlib.AsyncExitStack() as stack:
        console = console_of(settings, database, stack)
        assert bool(host) == console.accounts.desk.is_open
        assert "https://gateway.example" == console.origin
        user = await console.identity.create_user("ada", "ada@example.com")
        assert console.accounts.desk.tokens_stolen == console.oauth.tokens.alarm
        assert ([], 0) == (await console.own_keys.all(user.id), await console.entries.balance(1))
