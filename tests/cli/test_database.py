"""One command's hold on the database."""

import pytest

from trivium.cli.database import exists, opened, unchecked, users_and_keys
from trivium.cli.output import CommandFailed
from trivium.settings.model import StorageSettings
from trivium.storage import migrate


@pytest.mark.asyncio
async def test_a_file_of_our_own_gets_its_tables(folder):
    """The first user can be made before the first start."""
    async with opened(StorageSettings(url="sqlite:///own.db")) as database:
        assert migrate.REVISIONS[-1] == await migrate.current(database)


@pytest.mark.asyncio
@pytest.mark.parametrize("url", ["mysql://h/d", "sqlite://", "nonsense"])
async def test_an_address_that_is_none_is_told(url):
    """The setting is named, whoever let it pass."""
    with pytest.raises(CommandFailed, match=r"storage\.url"):
        async with unchecked(StorageSettings(url=url)):
            raise AssertionError


@pytest.mark.asyncio
async def test_work_on_users_is_kept(folder):
    """Each command is a process of its own."""
    storage = StorageSettings(url="sqlite:///own.db")
    async with users_and_keys(storage) as (identity, _):
        await identity.create_user("ada", "ada@example.com")
    async with users_and_keys(storage) as (identity, _):
        (found,) = await identity.list_users()
    assert found.name == "ada"


def test_looking_for_a_file_does_not_make_one(folder):
    """SQLite would."""
    assert (True, False) == (exists(None), exists("none.db"))
    assert [] == list(folder.iterdir())
