"""Accounts on either database, with hashes that cost little and letters that can be read."""

import re

import pytest
import pytest_asyncio

from trivium.identity.accounts.hashing import Cost
from trivium.identity.accounts.model import Visitor
from trivium.identity.accounts.service import Accounts
from trivium.identity.model import UserRole
from trivium.identity.service import Identity
from trivium.mail.outbox import Outbox
from trivium.secret import Keyring
from trivium.settings.accounts import AccountsSettings as Settings
from trivium.storage.vault import Vault

CHEAP = Cost(memory_kib=8, passes=1)
ORIGIN = "https://gateway.example"
PASSWORD = "a horse, a battery"


class Letters:
    """What was sent, and the outbox it went through."""

    def __init__(self):
        self.sent = []
        self.outbox = Outbox(self.take, queue_max=100, pauses_s=())

    async def take(self, letter):
        """As a mail server would."""
        self.sent.append(letter)

    async def all(self):
        """Every letter so far, once none is under way."""
        await self.outbox.empty()
        return self.sent

    async def last(self):
        """The newest letter."""
        return (await self.all())[-1]

    async def token(self):
        """The token of the link in the newest letter."""
        (found,) = re.findall(rf"{ORIGIN}/[a-z/-]+/([\w-]{{43}})\s", (await self.last()).text)
        return found


@pytest_asyncio.fixture
async def letters():
    """An outbox that runs."""
    kept = Letters()
    kept.outbox.start()
    yield kept
    await kept.outbox.close()


@pytest.fixture
def vault():
    """Seals under a key of this test's own."""
    return Vault(Keyring(b"k" * 32))


@pytest.fixture
def build(database, clock, letters, vault):
    """Makes accounts with other settings."""
    made = []

    def make(**changes):
        settings = Settings(**{"signup": "open", **changes})
        more = {"origin": ORIGIN, "post": letters.outbox, "cost": CHEAP, "vault": vault}
        made.append(Accounts(database, clock, settings, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def accounts(build):
    """Accounts with sign-up open."""
    return build()


@pytest.fixture
def visitor():
    """Somebody's browser."""
    return Visitor(address="192.0.2.7", agent="Browser/1.0")


@pytest.fixture
def user(database, clock, accounts):
    """Makes users with a password."""

    async def make(name="ada", password=PASSWORD, role=UserRole.USER, email=None):
        email = email or f"{name}@example.com"
        made = await Identity(database, clock).create_user(name, email, role)
        if password:
            await accounts.recovery.set_password(made, password)
        return made

    return make


@pytest.fixture
def enter(accounts, visitor):
    """Logs somebody in: the session's token."""

    async def go(name="ada", password=PASSWORD):
        return (await accounts.login.with_password(name, password, visitor)).token

    return go


@pytest.fixture
def seconds(clock):
    """Lets time pass."""
    return clock.advance
