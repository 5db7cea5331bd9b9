"""What one worker finds out of an upstream, told to all others, on this node and the next.

Only changes are shared: what opened, until when, and what closed again; and who may probe. Counts
stay each worker's own. No request waits for any of it: changes are told in the background, what
others told is read four times a second, and every decision is made from memory. Durations travel,
not moments, by the server's own clock.

While the shared state answers, a breaker whose rest is over lets nothing through until this worker
has the permit to probe, which the server gives to one worker at a time. A permit that finds no
request within ``PERMIT_S`` goes on to the next worker. Without the shared state each worker decides
for itself, and says what it has found when the state is back.
"""

import asyncio
import random
import secrets
from collections.abc import Callable
from typing import Any, Final, Protocol

import msgspec

from trivium.routing.breaker import PROBE_S, state
from trivium.routing.channel_health import NEW, Breaker, HealthKey, State
from trivium.routing.health import Health
from trivium.routing.model import Channel
from trivium.shared.connection import Down

SYNC_S: Final = 0.25
"""Between two looks at what others have found, give or take a fifth."""
LIMIT_S: Final = 1.0
"""For one look: nobody waits for it."""
PERMIT_S: Final = 2.0
"""How long a permit that is not used keeps others from probing."""
SPARE_S: Final = 0.5
"""So much earlier its holder lets go of it: two workers never think that they have it."""
PASSED_S: Final = 2 * SYNC_S
"""How long it then leaves the permit to others."""
KEPT_S: Final = 3_600
"""A breaker that nobody probed for so long after its rest is forgotten."""

OPENED: Final = "trivium:breakers"
"""A hash: name to ``revision:until:openings:told:fault``, times in milliseconds of the server;
its empty field counts changes."""
PERMITS: Final = "trivium:probes"
"""A hash: name to ``until:worker``."""
_KEYS: Final = [OPENED, PERMITS]

_NOW: Final = """
local at = redis.call('TIME')
local now = at[1] * 1000 + math.floor(at[2] / 1000)
-- a row of another version's is long over
local function until_of(row) return tonumber(string.match(row, '^%d+:(%d+)') or 0) end
local function changed() return redis.call('HINCRBY', KEYS[1], '', 1) end
"""

# ARGV: name, milliseconds to rest, openings, 1 if the vendor said so, fault. The later end holds.
OPEN: Final = (
    _NOW
    + """
local ends = now + tonumber(ARGV[2])
local found = redis.call('HGET', KEYS[1], ARGV[1])
if found and until_of(found) >= ends then return 0 end
local rows = redis.call('HGETALL', KEYS[1])
for i = 1, #rows, 2 do
  if rows[i] ~= '' and until_of(rows[i + 1]) < now - KEPT then
    redis.call('HDEL', KEYS[1], rows[i])
    redis.call('HDEL', KEYS[2], rows[i])
  end
end
local row = string.format('%d:%d:%s:%s:%s', changed(), ends, ARGV[3], ARGV[4], ARGV[5])
redis.call('HSET', KEYS[1], ARGV[1], row)
redis.call('HDEL', KEYS[2], ARGV[1])
return 1
""".replace("KEPT", str(KEPT_S * 1000))
)

# ARGV: name. A rest that began since is not ended.
CLOSE: Final = (
    _NOW
    + """
local found = redis.call('HGET', KEYS[1], ARGV[1])
if not found or until_of(found) > now + 100 then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return changed()
"""
)

FORGET: Final = (
    _NOW
    + """
local revision = changed()
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], '', revision)
return revision
"""
)

# ARGV: worker, name, milliseconds that a probe may take; 0: it is over and said nothing.
PROBE: Final = (
    _NOW
    + """
if ARGV[3] == '0' then
  local held = redis.call('HGET', KEYS[2], ARGV[2])
  if not held or string.match(held, ':(.*)$') ~= ARGV[1] then return 0 end
  return redis.call('HDEL', KEYS[2], ARGV[2])
end
return redis.call('HSET', KEYS[2], ARGV[2], string.format('%d:%s', now + ARGV[3], ARGV[1]))
"""
)

# ARGV: worker, the revision it knows, milliseconds of a permit, names it would probe.
# Gives the revision, the names it may probe, and the rows if the revision is another.
SYNC: Final = (
    _NOW
    + """
local granted, rows = {}, {}
for i = 4, #ARGV do
  local opened = redis.call('HGET', KEYS[1], ARGV[i])
  local held = redis.call('HGET', KEYS[2], ARGV[i])
  if opened and until_of(opened) <= now
     and (not held or tonumber(string.match(held, '^%d+') or 0) <= now) then
    local row = string.format('%d:%s', now + ARGV[3], ARGV[1])
    redis.call('HSET', KEYS[2], ARGV[i], row)
    table.insert(granted, ARGV[i])
  end
end
local revision = redis.call('HGET', KEYS[1], '') or '0'
if revision == ARGV[2] then return {revision, granted} end
local found = redis.call('HGETALL', KEYS[1])
for i = 1, #found, 2 do
  if found[i] ~= '' then
    local number, ends, trips, told, why =
      string.match(found[i + 1], '^(%d+):(%d+):(%d+):(%d):(.*)$')
    if number then
      table.insert(rows, {found[i], number, tonumber(ends) - now, trips, told, why})
    end
  end
end
return {revision, granted, rows}
"""
)

# KEYS: whose turn. ARGV: worker, milliseconds until the next one's.
TURN: Final = """
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return 0
"""

SCRIPTS: Final = (OPEN, CLOSE, FORGET, PROBE, SYNC, TURN)


class ScriptRunner(Protocol):
    """Runs scripts of the shared state; ``shared/state.py`` is the real one."""

    @property
    def is_up(self) -> bool:
        """Whether it is worth asking."""
        ...

    async def call(
        self,
        script: int,
        keys: list[str],
        values: list[str | int],
        limit_s: float = ...,
        *,
        read: Callable[[Any], Any] = ...,
    ) -> Any:
        """Run a script and read its answer. Raises Down."""
        ...

    def send(self, script: int, keys: list[str], values: list[str | int]) -> None:
        """Run a script and wait for nothing."""
        ...


class SharedBreakers:
    """One worker's side: a ``Watcher`` and the ``Peers`` of its health."""

    def __init__(
        self,
        shared: ScriptRunner,
        first: int,
        health: Health,
        channel_of: Callable[[str], Channel | None],
        now: Callable[[], float],
    ) -> None:
        """``first``: the position of ``SCRIPTS`` among the state's; ``now`` as health has it."""
        self._shared = shared
        self._open, self._close, self._forget, self._probe, self._sync, self._turn = range(
            first, first + len(SCRIPTS)
        )
        self._health = health
        self._channel_of = channel_of
        self._now = now
        self._worker = secrets.token_hex(8)
        self._revision = "-1"
        self._known: dict[str, str] = {}
        """Revision by name of what was read last."""
        self._ours: set[str] = set()
        """Changed here since the server was last asked: its answer is older."""
        self._permits: dict[HealthKey, float] = {}
        """Until when this worker may begin to probe."""
        self._passed: dict[HealthKey, float] = {}
        """Until when it leaves a permit it did not use to others."""

    # --- what health says and asks --------------------------------------------------------------

    def changed(self, key: HealthKey, breaker: Breaker) -> None:
        """A breaker opened, stays open for longer, or closed."""
        self._permits.pop(key, None)
        self._tell_of(key, breaker)

    def probing(self, key: HealthKey) -> None:
        """Tell the other workers that one attempt tries a resting channel."""
        self._permits.pop(key, None)
        self._tell_probe(key, int(PROBE_S * 1000))

    def unprobed(self, key: HealthKey) -> None:
        """A probe ended and said nothing."""
        self._tell_probe(key, 0)

    def forgotten(self) -> None:
        """Nothing that was found so far holds any more."""
        self._shared.send(self._forget, _KEYS, [])
        self._permits.clear()
        self._passed.clear()
        self._known.clear()
        self._revision = "-1"

    def may_probe(self, key: HealthKey) -> bool:
        """Whether a rest that is over may be probed by this worker."""
        return not self._shared.is_up or self._now() < self._permits.get(key, 0.0)

    async def turn(self, name: str, seconds: float) -> bool:
        """Whether this worker is to do what one of all does every so often."""
        values: list[str | int] = [self._worker, max(1, int(seconds * 1000))]
        try:
            taken = await self._shared.call(
                self._turn, [f"trivium:turn:{name}"], values, limit_s=LIMIT_S
            )
        except Down:
            return True
        return bool(taken)

    # --- in the background ----------------------------------------------------------------------

    async def run(self) -> None:
        """Keep up with the others, for ever."""
        while True:
            await asyncio.sleep(SYNC_S * random.uniform(0.8, 1.2))  # noqa: S311 - jitter
            await self.sync()

    def returned(self) -> None:
        """The shared state is back, perhaps empty: say what is known here."""
        self._revision = "-1"
        self._permits.clear()
        for key, breaker in self._health.open().items():
            self._tell_of(key, breaker)

    async def sync(self) -> None:
        """Read what others have found, and ask for permits."""
        now = self._now()
        wanted = self._wanted(now)
        self._ours.clear()
        asked: list[str | int] = [self._worker, self._revision, int(PERMIT_S * 1000), *wanted]
        try:
            found: _Found = await self._shared.call(
                self._sync, _KEYS, asked, limit_s=LIMIT_S, read=_found
            )
        except Down:
            self._permits.clear()
            return
        for name in found.granted:
            # counted from the question, which is earlier than the server's own beginning
            if name in wanted:
                self._permits[wanted[name]] = now + PERMIT_S - SPARE_S
        if found.rows is None:
            return
        self._revision = "-1" if self._ours else found.revision
        self._take(found.rows, self._now())

    def _take(self, rows: list["_Row"], now: float) -> None:
        found: dict[str, str] = {}
        for row in rows:
            name, revision = row.name, row.revision
            found[name] = revision
            if name in self._ours or self._known.get(name) == revision:
                continue
            key = self._key(name)
            if key is not None:
                until = now + row.wait_ms / 1000
                self._health.adopt(
                    key, Breaker(until=until, trips=row.trips, told=row.told, why=row.why)
                )
        self._known = found
        for key in list(self._health.open()):
            name = self._name(key)
            if name not in found and name not in self._ours:
                self._health.adopt(key, NEW)

    def _wanted(self, now: float) -> dict[str, HealthKey]:
        """What this worker would probe if it may, by name."""
        for kept in (self._permits, self._passed):
            for key in [key for key, until in kept.items() if now >= until]:
                del kept[key]
                if kept is self._permits:
                    self._passed[key] = now + PASSED_S
                    self._tell_probe(key, 0)
        return {
            self._name(key): key
            for key, breaker in self._health.open().items()
            if key not in self._permits
            and key not in self._passed
            and state(breaker, now) is State.READY
        }

    def _tell_of(self, key: HealthKey, breaker: Breaker) -> None:
        name = self._name(key)
        self._ours.add(name)
        if not breaker.until:
            self._shared.send(self._close, _KEYS, [name])
            return
        wait_ms = max(0, round((breaker.until - self._now()) * 1000))
        told: list[str | int] = [name, wait_ms, breaker.trips, int(breaker.told), breaker.why]
        self._shared.send(self._open, _KEYS, told)

    def _tell_probe(self, key: HealthKey, lasts_ms: int) -> None:
        self._shared.send(self._probe, _KEYS, [self._worker, self._name(key), lasts_ms])

    def _name(self, key: HealthKey) -> str:
        """The same on every node, whatever the order of its credentials."""
        channel = self._channel_of(key.channel)
        marks = () if channel is None else accounts(channel)
        account = marks[key.credential] if key.credential < len(marks) else ""
        return f"{key.channel}\n{account}\n{key.model}"

    def _key(self, name: str) -> HealthKey | None:
        channel_name, account, model = (*name.split("\n", 2), "", "")[:3]
        channel = self._channel_of(channel_name)
        marks = () if channel is None else accounts(channel)
        return HealthKey(channel_name, marks.index(account), model) if account in marks else None


class _Row(msgspec.Struct, frozen=True, gc=False):
    """What somebody found of an upstream."""

    name: str
    revision: str
    wait_ms: int
    trips: int
    told: bool
    why: str


class _Found(msgspec.Struct, frozen=True, gc=False):
    """An answer to ``SYNC``."""

    revision: str
    granted: list[str]
    rows: list[_Row] | None
    """``None``: nothing has changed."""


def _found(answer: list[Any]) -> _Found:
    """Read an answer. Raises what comes of reading what is none."""
    revision, granted, *rest = answer
    rows = [_row(row) for row in rest[0]] if rest else None
    return _Found(
        revision=revision.decode(),
        granted=[name.decode() for name in granted],
        rows=None if rows is None else [row for row in rows if row is not None],
    )


def _row(row: list[Any]) -> _Row | None:
    """One row; ``None`` where a node of another version wrote it otherwise."""
    try:
        name, revision, wait_ms, trips, told, why = row
        return _Row(
            name=name.decode(),
            revision=revision.decode(),
            wait_ms=int(wait_ms),
            trips=int(trips),
            told=told == b"1",
            why=why.decode(),
        )
    except (TypeError, ValueError, AttributeError):
        return None


def accounts(channel: Channel) -> tuple[str, ...]:
    """What names each credential of a channel among all nodes, without telling it."""
    if not channel.credentials:
        return ("none",)
    return tuple(secret.mark(channel.base_url) for secret in channel.credentials)
