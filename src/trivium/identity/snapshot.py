"""Which keys there are, and the callers of those that are used, no older than a second or two.

Of every key a few bytes are kept (``digest_index.py``), by which a made-up key is told without a
query. Callers are read as their keys are presented, and kept while there is room
(``caller_cache.py``): all of them, and from the start, where there are no more keys than that.

The revision row is polled: one indexed query a second and worker, and earlier where
``KeyRefresher`` has a reason. What notifies instead was weighed. SQLite's ``data_version`` changes
with every batch of request records, so it would say "something changed" every second and save
nothing. PostgreSQL's ``LISTEN`` pins a connection a worker, does not exist behind PgBouncer in
transaction mode, and needs the poll anyway for what was said while the connection was down.

Changes are paged by (revision, id). Writes of identities queue on the revision row, so none becomes
visible after a later one, and everything changed since the last page has a higher revision. Keys
are disabled, never deleted.

While the database is away the callers that are known stay in force: revocation waits, they do not.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final

import structlog

from trivium.clock import Clock, SystemClock
from trivium.identity import store
from trivium.identity.caller_cache import CallerCache
from trivium.identity.caller_rows import caller_from, former_of
from trivium.identity.digest_index import PREFIX_BYTES, DigestIndex, numbers
from trivium.identity.model import Caller
from trivium.identity.teams import store as teams_store
from trivium.identity.teams.model import Team, TeamMap
from trivium.settings.budget import Budget
from trivium.storage.database import Database

PAGE: Final = 500
"""Keys a query; some 3 ms of the event loop."""
INDEX_PAGE: Final = 10_000
"""Keys a query of which only the index learns; some 1 ms."""
CACHED_KEYS: Final = 50_000
"""Unless the settings say otherwise (``storage.cached_keys``)."""
LIMIT_S: Final = 5.0
"""One query. A frozen database must not keep the watch from noticing that it is back."""
_SYSTEM: Final = SystemClock()
_LAST: Final = 2**63 - 1
"""An id that none is beyond."""

log = structlog.get_logger()


class Snapshot:
    """Digest to caller. ``get`` is the hot path: a dictionary's own method."""

    def __init__(
        self, db: Database, clock: Clock = _SYSTEM, cached_keys: int = CACHED_KEYS
    ) -> None:
        """``cached_keys``: of how many keys the callers are kept."""
        self._db = db
        self._clock = clock
        self._limit = cached_keys
        self._index = DigestIndex()
        self._cache = CallerCache(cached_keys)
        self._revision = -1
        self._position = (-1, _LAST)
        self._teams_revision = -1
        """Which rows the teams are new enough for."""
        self._confirmed_at: float | None = None
        self._is_down = False
        self._advancing = asyncio.Lock()
        self._turn = asyncio.Lock()
        """Of reading rows and taking them: none are taken that are older than what is there."""
        self.teams = TeamMap((), ())
        """Of the revision in force."""
        self._teams_at: tuple[int, int] | None = None
        """When these changed last."""
        self._everywhere: dict[str, tuple[Budget, ...]] = {}
        """Budgets of tags over all keys, which every caller has."""
        self.get: Callable[[bytes], Caller | None] = self._cache.get
        """The caller a SHA-256 digest belongs to, disabled or expired or not; ``None`` where it is
        not in memory: ``exists`` says whether there is one."""

    def __len__(self) -> int:
        """How many secrets are in memory with their callers."""
        return len(self._cache)

    @property
    def revision(self) -> int:
        """Return the number of the state in force; another number when anything has changed."""
        return self._revision

    def callers(self) -> Iterable[Caller]:
        """Return the callers in memory, disabled and expired ones too."""
        return self._cache.callers()

    def exists(self, digest: bytes) -> bool:
        """Whether there is a key of this digest, in memory or not."""
        return digest in self._index

    def age(self) -> float:
        """Seconds since the snapshot was last known to be current; infinity before the first."""
        if self._confirmed_at is None:
            return float("inf")
        return self._clock.monotonic() - self._confirmed_at

    async def load(self) -> None:
        """Read which keys there are, and all callers if there is room for them.

        Raises what ``Database.read`` raises; the old snapshot then stays.
        """
        await self._advance(from_start=True)

    async def refresh(self) -> None:
        """Read what has changed since the last time; one small query when nothing has.

        Raises what ``Database.read`` raises; a later call then reads what was missed.
        """
        await self._advance(from_start=False)

    async def read(self, digests: Sequence[bytes]) -> None:
        """Read these keys into memory. Raises what ``Database.read`` raises.

        A digest that no key has any more is forgotten: the next time it is like a made-up one.
        """
        if not await self._read_callers(digests, self._teams_revision):
            # a key of a team that is newer than what is known of teams
            await self.refresh()
            await self._read_callers(digests, _LAST)

    async def watch(
        self, poll_s: float, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        """Refresh at intervals, without end; one log line when the database goes or comes back."""
        while True:
            await sleep(poll_s)
            try:
                await self.refresh()
            except Exception as error:  # noqa: BLE001 - a watch that dies leaves revoked keys valid
                if not self._is_down:
                    log.warning("keys_stale", error=str(error), age_s=round(self.age(), 1))
                self._is_down = True
            else:
                if self._is_down:
                    log.info("keys_current_again", keys=len(self))
                self._is_down = False

    async def _advance(self, *, from_start: bool) -> None:
        # two at once could put an older row over a newer one
        async with self._advancing:
            began = self._clock.monotonic()
            async with self._db.read(LIMIT_S) as conn:
                revision = await store.current_revision(conn)
            # lower: the database is a restored backup, and what we know may not be in it
            from_start = from_start or revision < self._revision or self._revision < 0
            if from_start or revision != self._revision:
                # whatever changes a team gives its keys the revision that it raises
                await self._read_teams()
                self._teams_revision = revision
                if from_start:
                    await self._read_all()
                    self._position = (revision, _LAST)
                else:
                    await self._read_changes()
                self._revision = revision
            self._confirmed_at = began

    async def _read_all(self) -> None:
        index = DigestIndex()
        for former in (False, True):
            await self._read_index(index, former=former)
        found: set[bytes] = set()
        full, last = len(index) <= self._limit, -1
        while full:
            async with self._turn:
                async with self._db.read(LIMIT_S) as conn:
                    rows = await store.callers_after(conn, last, PAGE)
                self._take(rows)
            found.update(row.digest for row in rows)
            found.update(row.former_digest for row in rows)
            last = rows[-1].id if rows else last
            full = len(rows) == PAGE
            await asyncio.sleep(0)  # a page at a time: requests come in between
        async with self._turn:
            self._index = index
            self._cache.keep(found)

    async def _read_index(self, index: DigestIndex, *, former: bool) -> None:
        full, last = True, b""
        while full:
            async with self._db.read(LIMIT_S) as conn:
                prefixes = await store.prefixes_after(
                    conn, last, INDEX_PAGE, PREFIX_BYTES, former=former
                )
            found = numbers(prefixes)
            index.extend(found)
            full = len(found) == INDEX_PAGE
            if full:
                # others that begin alike are in the index by the same number
                last = found[-1].to_bytes(PREFIX_BYTES, "big") + b"\xff" * 24
            await asyncio.sleep(0)

    async def _read_changes(self) -> None:
        full = True
        while full:
            async with self._turn:
                async with self._db.read(LIMIT_S) as conn:
                    rows = await store.changes_after(conn, self._position, PAGE)
                    for row in rows:
                        self._index.add(row.digest)
                        if row.former_digest is not None:
                            self._index.add(row.former_digest)
                    every = len(self._index) <= self._limit
                    wanted = [row.id for row in rows if every or row.id in self._cache]
                    self._take(await store.callers_of(conn, key_ids=wanted))
                if rows:
                    self._position = (rows[-1].revision, rows[-1].id)
                self._cache.trim()
                full = len(rows) == PAGE
            await asyncio.sleep(0)

    async def _read_callers(self, digests: Sequence[bytes], newest: int) -> bool:
        """Read these keys; ``False``: one of them has a higher revision than ``newest``."""
        async with self._turn:
            async with self._db.read(LIMIT_S) as conn:
                rows = await store.callers_of(conn, digests=digests)
            if any(row.revision > newest for row in rows):
                return False
            self._take(rows)
            for digest in digests:
                if self._cache.get(digest) is None:
                    self._index.discard(digest)
            self._cache.trim()
        return True

    def _take(self, rows: Sequence[Any]) -> None:
        for row in rows:
            caller = caller_from(row, self.teams, self._everywhere)
            self._cache.put(row.digest, caller)
            if row.former_digest is not None:
                self._cache.put_former(row.former_digest, former_of(caller, row.former_until))

    async def _read_teams(self) -> None:
        """Read all teams, a page at a time, unless none has changed: most changes are of keys."""
        async with self._db.read(LIMIT_S) as conn:
            at = await teams_store.changed_at(conn)
        if at == self._teams_at:
            return
        found: list[Team] = []
        budgets: list[Budget] = []
        full, last = True, 0
        while full:
            async with self._db.read(LIMIT_S) as conn:
                page = await teams_store.teams_after(conn, last, PAGE)
            found += page
            last = page[-1].id if page else last
            full = len(page) == PAGE
            await asyncio.sleep(0)
        full, last = True, 0
        while full:
            async with self._db.read(LIMIT_S) as conn:
                some, last = await teams_store.budgets_after(conn, last, PAGE)
            budgets += some
            full = len(some) == PAGE
            await asyncio.sleep(0)
        self.teams = TeamMap(found, budgets)
        self._everywhere.clear()
        self._everywhere.update(self.teams.everywhere())
        self._teams_at = at
