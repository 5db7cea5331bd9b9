"""A gateway that makes videos at one vendor."""

import pytest
import pytest_asyncio

from trivium.assets.address import SignedAddresses
from trivium.assets.objects import Objects
from trivium.assets.service import Assets
from trivium.clock import FixedClock
from trivium.secret import Keyring
from trivium.settings.section import AssetsSettings
from video_gateway import House
from video_vendor import Films

KEY = "sk-vendor-0123456789abcdef"


@pytest_asyncio.fixture
async def vendor():
    async with Films() as found:
        yield found


@pytest_asyncio.fixture
async def house(sqlite_database, vendor):
    async with House.on(sqlite_database, ("a", "openai", vendor, [KEY])) as found:
        yield found


@pytest.fixture
def assets(sqlite_database, tmp_path):
    """A store of files in a folder."""
    objects = Objects(AssetsSettings(url=(tmp_path / "assets").as_uri()))
    addresses = SignedAddresses(Keyring(b"k" * 32), "http://gateway")
    return Assets(sqlite_database, objects, addresses, FixedClock(1_790_000_000.0))
