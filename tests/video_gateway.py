"""A gateway in this process that makes videos: a real database, real sockets, two callers.

async with Films() as vendor, House.on(database, vendor) as house:
    status, headers, body = await house.create(prompt="a cat")
"""

import asyncio
import contextlib
from hashlib import sha256

import msgspec

from edge.wires import Wire
from gateway import BASE, Gateway, MemoryRecorder
from trivium.clock import FixedClock, SystemClock
from trivium.identity import keys
from trivium.identity.model import Caller
from trivium.identity.service import Identity
from trivium.jobs.poll import Poller
from trivium.jobs.service import Jobs, strays
from trivium.jobs.video_archive import VideoArchive
from trivium.jobs.video_client import VideoClient
from trivium.jobs.video_download import VideoDownloader
from trivium.jobs.video_services import VideoServices
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.ledger.quote import Pricing
from trivium.ledger.refusals import overspent, too_low
from trivium.providers.registry import PROVIDERS
from trivium.routing import catalogue
from trivium.routing.router import Router
from trivium.secret import Keyring
from trivium.settings.budget import FOREVER
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry, VideoEntry
from trivium.settings.model import Settings, UpstreamSettings
from trivium.settings.section import JobsSettings as Limits
from trivium.storage.vault import Vault
from trivium.upstream import vendor_files
from trivium.upstream.public_addresses import ipaddress

DOLLAR = 10**9
SECOND = {"720x1280": 100_000_000, "1280x720": 300_000_000}
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
POOL = UpstreamSettings(keepalive_s=20, connections_max=100, wait_s=1, header_bytes_max=65_536)


def settings_for(*channels, model=None, names=("sora-2",), free=False, spare=None):
    """Models of these names at (channel, provider, vendor, keys), in order of priority.

    ``spare``: members of a model that stands in for the first, which has the last channel to itself.
    """
    own, others = (channels[:-1], channels[-1:]) if spare else (channels, ())
    priced = {"free": True} if free else {
        "price": {"per_second": "0.1"},
        "videos": (VideoEntry(size="1280x720", price="0.3"),),
    }  # fmt: skip
    return Settings(
        channels=tuple(
            ChannelEntry(
                name=name,
                provider=provider,
                api_keys=tuple(credentials),
                base_url=f"http://127.0.0.1:{vendor.port}{BASE.get(provider, '/v1')}",
            )
            for name, provider, vendor, credentials in channels
        ),
        models=tuple(
            ModelEntry(
                name=public,
                **priced,
                fallbacks=("spare",) if spare else (),
                bindings=tuple(
                    BindingEntry(channel=name, priority=number, model=model or "own")
                    for number, (name, *_) in enumerate(own)
                ),
            )
            for public in names
        )
        + tuple(
            ModelEntry(name="spare", bindings=(BindingEntry(channel=name, model="s"),), **spare)
            for name, *_ in others
        ),
    )


class House:
    """See the module."""

    def __init__(self, gateway, database, clock):
        self.gateway = gateway
        self.database = database
        self.clock = clock
        self.people = {}

    @property
    def services(self):
        return self.gateway.services

    @property
    def video_services(self):
        return self.services.video_services

    @property
    def records(self):
        return self.services.recorder.records

    @classmethod
    @contextlib.asynccontextmanager
    async def on(
        cls, database, *channels, limits=None, clock=None, assets=None, networks=LOOPBACK, **more
    ):
        """Serve videos from these (channel, provider, vendor, keys). Again on the same database: as
        after a restart, or on another node."""
        clock = clock or FixedClock(1_790_000_000.0)
        async with Gateway.to(("openai", channels[0][2])) as gateway:
            house = cls(gateway, database, clock)
            house.settings(settings_for(*channels, **more))
            services = house.services
            services.ledger = Pricing(clock)
            services.recorder = MemoryRecorder()
            services.clock = clock
            jobs = Jobs(
                database, Vault(Keyring(b"k" * 32)), limits or Limits(), money=_Money(), clock=clock
            )
            video_client = VideoClient(
                services.client,
                services.composer,
                house.channel,
                services.future,
            )
            loop = asyncio.get_running_loop()
            others = vendor_files.client(POOL, tls=lambda: None, now=loop.time, networks=networks)
            source = VideoDownloader(video_client, services.client, others)
            services.assets = assets
            services.video_services = VideoServices(jobs, video_client, source)
            keep = VideoArchive(jobs, source, assets).keep if assets else None
            house.poller = Poller(jobs, video_client, keep)
            await house.know("ada", "bob")
            try:
                yield house
            finally:
                await asyncio.gather(*services.abandoned, return_exceptions=True)
                await house.poller.close()
                await others.close()

    def channel(self, name):
        """Of the catalogue in force."""
        return self.services.router.channel(name)

    def settings(self, settings):
        """Another catalogue, as a reload brings it."""
        built = catalogue.build(settings, PROVIDERS)
        self.services.router = Router(built, lambda: 0.5)

    async def know(self, *names):
        """Users with ten dollars each, and a key; those that are there already have theirs."""
        identity = Identity(self.database, SystemClock())
        callers = {}
        for number, name in enumerate(names):
            try:
                user = await identity.find_user(name)
            except Exception:
                user = await identity.create_user(name, f"{name}@example.com")
                await Entries(self.database, SystemClock()).book(
                    user.id, EntryKind.TOP_UP, 10 * DOLLAR
                )
            key = keys.issue(lambda n, start=number: bytes(range(start, start + n)))
            caller = Caller(
                key_id=7 + number, user_id=user.id, payer_id=user.id, unlimited=False, disabled=False,
                expires_at=float("inf"), models=frozenset(), prefixes=(),
            )  # fmt: skip
            callers[sha256(key.encode()).digest()] = caller
            self.people[name] = key, caller
        self.gateway.listener.open(self.services, callers.get)

    def change(self, name, **changes):
        """A user's key with other rights."""
        key, caller = self.people[name]
        self.people[name] = key, msgspec.structs.replace(caller, **changes)
        callers = {sha256(k.encode()).digest(): c for k, c in self.people.values()}
        self.gateway.listener.open(self.services, callers.get)

    # --- asking -------------------------------------------------------------------------------

    async def ask(self, method, path, body=b"", *headers, who="ada"):
        """One request, one answer; JSON is read."""
        key, _ = self.people[who]
        data = body if isinstance(body, bytes) else msgspec.json.encode(body)
        lines = [
            f"{method} {path} HTTP/1.1", "Host: gateway", f"Authorization: Bearer {key}",
            f"Content-Length: {len(data)}", *headers, "", "",
        ]  # fmt: skip
        line = await Wire.to(self.gateway.port)
        try:
            await line.send("\r\n".join(lines).encode() + data)
            status, told, answer = await line.answer(head_only=method == "HEAD")
        finally:
            await line.close()
        if answer[:1] in (b"{", b"["):
            answer = msgspec.json.decode(answer)
        return status, told, answer

    async def create(self, who="ada", **members):
        """A video in JSON; whatever comes back."""
        return await self.ask("POST", "/v1/videos", {"prompt": "a cat", **members}, who=who)

    async def made(self, who="ada", **members):
        """A video that some upstream has taken; its resource."""
        status, _, body = await self.create(who, **members)
        assert 200 == status, body
        return body

    async def get(self, id_, who="ada", below=""):
        """How it stands, by a fresh look."""
        self.clock.advance(2)
        return await self.ask("GET", f"/v1/videos/{id_}{below}", who=who)

    async def done(self, vendor, who="ada", **members):
        """A video that is made; its resource."""
        body = await self.made(who, **members)
        vendor.finish()
        return (await self.get(body["id"], who))[2]

    async def poll(self, seconds=6):
        """Time passes, and the poller does what is due."""
        self.clock.advance(seconds)
        await self.poller.round()
        await self.poller.settled()

    # --- books --------------------------------------------------------------------------------

    async def money(self, name="ada"):
        """Balance, held, and what was booked for use; every invariant is checked on the way."""
        from trivium.ledger import verify
        from trivium.storage.schema.core import accounts

        user_id = self.people[name][1].user_id
        entries = Entries(self.database, SystemClock())
        assert [] == await entries.verify()
        assert [] == await entries.misleased()
        assert [] == await strays(self.database)
        async with self.database.read() as conn:
            query = accounts.select().where(accounts.c.user_id == user_id)
            row = (await conn.execute(query)).one()
        usage = [
            entry
            async for _, entry in verify.entries(self.database, user_id=user_id)
            if entry.kind is EntryKind.USAGE
        ]
        assert [None] * len(usage) == [verify.wrong_with(entry) for entry in usage]
        return row.balance_nanos, row.leased_nanos, [-entry.amount_nanos for entry in usage]


class _Money:
    """Has nothing to give back."""

    async def spare(self, hold, budget):
        del hold, budget

    def refusal(self, hold, budget):
        return too_low(hold.amount_nanos) if budget is None else overspent(budget, 0, FOREVER)


def form(*fields, file=None):
    """A multipart body and its content type; ``file``: (name, type, bytes) of the reference."""
    parts = [
        f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields
    ]
    if file:
        name, kind, data = file
        parts.append(
            f'--b\r\nContent-Disposition: form-data; name="input_reference"; filename="{name}"\r\n'
            f"Content-Type: {kind}\r\n\r\n".encode()
            + data
            + b"\r\n"
        )
    return b"".join(parts) + b"--b--\r\n", "Content-Type: multipart/form-data; boundary=b"
