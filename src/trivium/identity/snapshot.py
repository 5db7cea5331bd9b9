"""All keys in memory, no older than a second or two.

The revision row is polled: one indexed query a second and worker, and earlier where
``KeyRefresher`` has a reason. What notifies instead was weighed. SQLite's ``data_version`` changes
with every batch of request records, so it would say "something changed" every second and save
nothing. PostgreSQL's ``LISTEN`` pins a connection a worker, does not exist behind PgBouncer in
transaction mode, and needs the poll anyway for what was said while the connection was down.

Rows are paged by (revision, id). Writes of identities queue on the revision row, so none becomes
visible after a later one, and everything changed since the last page has a higher revision: the
same query loads all and refreshes. Keys are disabled, never deleted.

While the database is away the last snapshot stays in force: revocation waits, callers do not.

There are two reasons to look before the next poll is due: this process has just changed a key; or a
well-formed key is presented that nobody knows, which may have been made a moment ago by another
worker or at the command line. Anybody can invent well-formed keys, so looks are as far apart as
``PAUSE_S``, and all who wait share one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import lru_cache
from ipaddress import ip_network
from typing import Any, Final

import msgspec
import structlog

from trivium.clock import Clock, SystemClock
from trivium.identity import store
from trivium.identity.model import NO_TAGGED, AllowList, Caller, Network
from trivium.identity.teams import store as teams_store
from trivium.identity.teams.model import Inherited, Team, TeamMap, allow_list
from trivium.settings.budget import Budget
from trivium.settings.limits import limits
from trivium.storage.database import Database

PAUSE_S: Final = 0.2
"""From the end of one look to the beginning of the next: at most five small queries a second."""
PATIENCE_S: Final = 1.0
"""How long a look is waited for. A frozen database must not hold up who waits."""


class KeyRefresher:
    """Refreshes the snapshot of keys early. One for each worker."""

    def __init__(
        self,
        refresh: Callable[[], Awaitable[None]],
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``refresh``: reads what has changed; ``now``: seconds of a clock that never goes back."""
        self._refresh = refresh
        self._now = now
        self._sleep = sleep
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None
        """The look that has not begun."""
        self._running: set[asyncio.Task[None]] = set()
        self._earliest = 0.0

    async def refresh_keys(self) -> None:
        """Return once a look that began after this call is over, or ``PATIENCE_S`` have passed.

        Raises nothing: what a look could not find out, the next poll will.
        """
        if self._next is None:
            self._next = asyncio.create_task(self._look())
            self._running.add(self._next)
            self._next.add_done_callback(self._running.discard)
        await asyncio.wait([self._next], timeout=PATIENCE_S)

    async def _look(self) -> None:
        async with self._turn:
            wait_s = self._earliest - self._now()
            if wait_s > 0:
                await self._sleep(wait_s)
            # whoever comes from here on may know of what this look does not see
            self._next = None
            try:
                await self._refresh()
            except Exception:  # noqa: BLE001, S110 - the watch meets the same and tells it
                pass
            finally:
                self._earliest = self._now() + PAUSE_S

    async def close(self) -> None:
        """Cancel a refresh that is running."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


PAGE: Final = 500
"""Keys a query; some 3 ms of the event loop."""
LIMIT_S: Final = 5.0
"""One query. A frozen database must not keep the watch from noticing that it is back."""
_SYSTEM: Final = SystemClock()

log = structlog.get_logger()


class Snapshot:
    """Digest to caller. ``get`` is the hot path: a dictionary's own method."""

    def __init__(self, db: Database, clock: Clock = _SYSTEM) -> None:
        self._db = db
        self._clock = clock
        self._callers: dict[bytes, Caller] = {}
        self._secrets: dict[int, bytes] = {}
        """The digest of each application's key, by its id."""
        self._revision = -1
        self._position = (-1, -1)
        self._confirmed_at: float | None = None
        self._is_down = False
        self._advancing = asyncio.Lock()
        self.teams = TeamMap((), ())
        """Of the revision in force."""
        self._teams_at: tuple[int, int] | None = None
        """When these changed last."""
        self._everywhere: dict[str, tuple[Budget, ...]] = {}
        """Budgets of tags over all keys, which every caller has."""
        self.get: Callable[[bytes], Caller | None] = self._callers.get
        """The caller a SHA-256 digest belongs to, disabled or expired or not; else ``None``."""

    def __len__(self) -> int:
        return len(self._callers)

    @property
    def revision(self) -> int:
        """Return the number of the state in force; another number when anything has changed."""
        return self._revision

    def callers(self) -> Iterable[Caller]:
        """Return all callers, disabled and expired ones too."""
        return self._callers.values()

    def age(self) -> float:
        """Seconds since the snapshot was last known to be current; infinity before the first."""
        if self._confirmed_at is None:
            return float("inf")
        return self._clock.monotonic() - self._confirmed_at

    async def load(self) -> None:
        """Read every key. Raises what ``Database.read`` raises; the old snapshot then stays."""
        await self._advance(from_start=True)

    async def refresh(self) -> None:
        """Read what has changed since the last time; one small query when nothing has.

        Raises what ``Database.read`` raises; a later call then reads what was missed.
        """
        await self._advance(from_start=False)

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
            await self._read(from_start=from_start)

    async def _read(self, *, from_start: bool) -> None:
        began = self._clock.monotonic()
        async with self._db.read(LIMIT_S) as conn:
            revision = await store.current_revision(conn)
        if revision < self._revision:
            # the database is a restored backup: what we know may not be in it
            from_start = True
        if from_start or revision != self._revision:
            callers = {} if from_start else self._callers
            position = (-1, -1) if from_start else self._position
            full = True
            # whatever changes a team gives its keys the revision that it raises
            await self._read_teams()
            while full:
                async with self._db.read(LIMIT_S) as conn:
                    rows = await store.callers_after(conn, position, PAGE)
                rotated = {}
                for row in rows:
                    if row.grant_id is not None:
                        self._forget_former(callers, row)
                    callers[row.digest] = caller = _caller(row, self.teams, self._everywhere)
                    if row.former_digest is not None:
                        rotated[row.id] = (row.digest, row.former_digest)
                        callers[row.former_digest] = _former(caller, row.former_until)
                    position = (row.revision, row.id)
                if rotated and not from_start:
                    _forget_older(callers, rotated)
                full = len(rows) == PAGE
                await asyncio.sleep(0)  # a page at a time: requests come in between
            if from_start:
                self._replace(callers)
            self._position = position
            self._revision = revision
        self._confirmed_at = began

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

    def _forget_former(self, callers: dict[bytes, Caller], row: Any) -> None:
        """Drop the former secret of an application's key that has expired and got another."""
        former = self._secrets.get(row.id)
        if former is not None and former != row.digest:
            callers.pop(former, None)
        self._secrets[row.id] = row.digest

    def _replace(self, callers: dict[bytes, Caller]) -> None:
        """Put a fresh map in force without changing ``get``, which others hold."""
        for digest in self._callers.keys() - callers.keys():
            del self._callers[digest]
        self._callers.update(callers)


def _former(caller: Caller, until: int) -> Caller:
    """The caller whose key has got another secret: the former works until then."""
    return msgspec.structs.replace(caller, expires_at=min(caller.expires_at, float(until)))


def _forget_older(callers: dict[bytes, Caller], rotated: Mapping[int, tuple[bytes, ...]]) -> None:
    """Drop all secrets of these keys but those that are given: a key that was rotated twice between
    two looks had one that none of its rows names any more.
    """
    older = [
        digest
        for digest, caller in callers.items()
        if caller.key_id in rotated and digest not in rotated[caller.key_id]
    ]
    for digest in older:
        del callers[digest]


def _caller(row: Any, teams: TeamMap, everywhere: Mapping[str, tuple[Budget, ...]]) -> Caller:
    models, prefixes = _allowed(row.models)
    above = _alone(row) if row.team_id is None else teams.inherited(row.team_id, row.user_id)
    return Caller(
        key_id=row.id,
        user_id=row.user_id,
        payer_id=above.payer_id,
        unlimited=above.unlimited,
        disabled=row.disabled or row.paused or row.user_disabled or above.disabled,
        expires_at=float("inf") if row.expires_at is None else float(row.expires_at),
        models=models,
        prefixes=prefixes,
        strict=row.strict,
        header_only=row.header_only,
        group=above.group or row.price_group,
        limits=limits(row.requests_per_minute, row.tokens_per_minute, row.max_concurrency),
        user_limits=limits(
            row.user_requests_per_minute, row.user_tokens_per_minute, row.user_max_concurrency
        ),
        budgets=_budgets(row.budgets, row.id, row.grant_id) + above.budgets,
        team_id=row.team_id or 0,
        narrowed=above.narrowed,
        team_limits=above.limits,
        networks=_networks(row.networks),
        end_user_limits=limits(row.end_user_requests, None, None),
        end_user_budgets=_budgets(row.end_user_budgets, row.id, None),
        tagged=above.tagged,
        tagged_everywhere=everywhere,
        grant_id=row.grant_id or 0,
        revoked=row.disabled,
    )


def _alone(row: Any) -> Inherited:
    """What a key inherits that spends for no team."""
    return Inherited(row.user_id, row.unlimited, False, "", (), (), (), NO_TAGGED)


@lru_cache(maxsize=1024)
def _allowed(text: str) -> AllowList:
    """An allow-list as names and prefixes. Keys with equal lists share them."""
    return allow_list(msgspec.json.decode(text, type=list[str]))


def _budgets(text: str, key_id: int, grant_id: int | None) -> tuple[Budget, ...]:
    """A key's own, or those of the consent that it was given under: all its keys share them."""
    if text == "[]":
        return ()
    scope = f"grant:{grant_id}" if grant_id else f"key:{key_id}"
    whose = "this application" if grant_id else "this key"
    return tuple(
        msgspec.structs.replace(budget, scope=scope, whose=whose)
        for budget in msgspec.json.decode(text, type=tuple[Budget, ...])
    )


@lru_cache(maxsize=1024)
def _networks(text: str) -> tuple[Network, ...]:
    return tuple(map(ip_network, msgspec.json.decode(text, type=list[str])))
