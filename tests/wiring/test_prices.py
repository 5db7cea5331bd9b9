"""The nightly look is there where the settings want it, and reads suggestions beside the journal."""

import asyncio
import contextlib
from types import SimpleNamespace

import pytest

from gateway import Gateway
from scripted_upstream import Double, Send, sized
from trivium.clock import FixedClock
from trivium.settings.model import PricesSettings, Settings, StorageSettings
from trivium.storage.root_key import RootKeys
from trivium.wiring import prices as module
from trivium.wiring.catalogue import parts_without_file
from trivium.wiring.prices import look_nightly, price_parts

pytestmark = pytest.mark.asyncio


async def test_nothing_runs_unless_it_is_wanted(sqlite_database, monkeypatch):
    begun, told = [], []

    async def noted(stack, work):
        begun.append(work)

    monkeypatch.setattr(module, "background", noted)
    stored = parts_without_file(sqlite_database, RootKeys(b"k" * 32))
    async with contextlib.AsyncExitStack() as stack, Double([[Send(sized(b"{}"))]]) as vendor:
        gateway = await stack.enter_async_context(Gateway.to(("openai", vendor)))
        for nightly, number in ((False, 0), (True, 1)):
            settings = Settings(prices=PricesSettings(nightly=nightly))
            metrics = SimpleNamespace(tell_prices=told.append)
            await look_nightly(settings, gateway.services, sqlite_database, stored, metrics, stack)
            assert (number, number) == (len(begun), len(told))
    assert told[0].waiting is None


async def test_suggestions_lie_beside_the_journal(sqlite_database, tmp_path):
    """As the command line keeps them."""
    settings = Settings(storage=StorageSettings(journal=str(tmp_path / "state" / "journal")))
    catalogue = parts_without_file(sqlite_database, RootKeys(b"k" * 32)).service(FixedClock())

    async def unread(channel, wanted):
        await asyncio.sleep(0)

    parts = price_parts(settings, sqlite_database, FixedClock(), catalogue, tuple, unread)
    assert () == (await parts.prices.sheet()).standings
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "suggested-prices.json").write_text("{}")
    with pytest.raises(Exception, match="no price catalogue"):
        await parts.prices.sheet()
