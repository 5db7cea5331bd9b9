"""Accounts are built from the settings, and end with the worker."""

import asyncio
import contextlib

import pytest

from trivium.identity.accounts.model import Visitor
from trivium.settings.accounts import AccountsSettings, MailSettings
from trivium.settings.model import ServerSettings, Settings, StorageSettings
from trivium.wiring.accounts import accounts_of, budget_letters, caretaker, origin, outbox, vault_of

MAIL = MailSettings(host="127.0.0.1", port=9, security="none", sender="t@gateway.example")


def test_links_are_built_from_the_settings():
    """Whatever a request says it was sent to."""
    assert "http://127.0.0.1:8080" == origin(Settings())
    public = ServerSettings(public_url="https://gateway.example/")
    assert "https://gateway.example" == origin(Settings(server=public))
    apart = ServerSettings(public_url="https://api.example", auth_url="https://login.example")
    assert "https://login.example" == origin(Settings(server=apart)), "cookies are of that host"


def test_without_a_server_no_letters():
    """And with one there is an outbox."""
    assert outbox(Settings()) is None
    assert outbox(Settings(mail=MAIL)) is not None


@pytest.mark.asyncio
async def test_everything_ends_with_the_stack(database, tmp_path):
    """Letters that cannot be sent do not hold the end up for long."""
    settings = Settings(
        accounts=AccountsSettings(signup="open"),
        mail=MAIL,
        storage=StorageSettings(journal=str(tmp_path)),
    )
    before = asyncio.all_tasks()
    async with contextlib.AsyncExitStack() as stack:
        accounts = accounts_of(settings, database, vault_of(settings), stack)
        assert accounts.emails.is_open
        await accounts.signup.ask("ada@example.com", Visitor())
        stack.callback(setattr, accounts.emails._post, "_waiting", 0)
        accounts.emails._post._idle.set()
    assert before == asyncio.all_tasks()


@pytest.mark.asyncio
async def test_the_caretaker_knows_how_long_sessions_last(database):
    """By the settings."""
    assert 3600 == caretaker(Settings(accounts=AccountsSettings(idle_hours=1.0)), database)._idle_s


@pytest.mark.asyncio
async def test_letters_about_budgets_need_a_server(database):
    """And end with the stack."""
    before = asyncio.all_tasks()
    async with contextlib.AsyncExitStack() as stack:
        assert budget_letters(Settings(), database, stack) is None
        assert budget_letters(Settings(mail=MAIL), database, stack) is not None
    assert before == asyncio.all_tasks()
