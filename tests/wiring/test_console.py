"""The services of the pages."""

import contextlib

import pytest

from trivium.settings.accounts import MailSettings
from trivium.settings.model import ServerSettings, Settings, StorageSettings
from trivium.wiring.console import console_of


@pytest.mark.asyncio
@pytest.mark.parametrize("host", ["", "127.0.0.1"])
async def test_the_pages_have_what_they_call(database, tmp_path, host):
    """Letters are sent only where there is a server for them; all of it closes."""
    settings = Settings(
        server=ServerSettings(public_url="https://gateway.example"),
        storage=StorageSettings(journal=str(tmp_path)),
        mail=MailSettings(host=host, sender="gateway@example.com"),
    )
    async with contextlib.AsyncExitStack() as stack:
        console = console_of(settings, database, stack)
        assert bool(host) == console.accounts.emails.is_open
        assert "https://gateway.example" == console.origin
        user = await console.identity.create_user("ada", "ada@example.com")
        assert console.accounts.emails.tokens_stolen == console.oauth.tokens.alarm
        assert ([], 0) == (await console.own_keys.all(user.id), await console.entries.balance(1))
