"""Windows and slots that all workers count in, as scripts of the shared state: one call a request.

The scripts do what ``admission/meter.py`` does, by the server's own clock, so nodes need not agree
on the time; a test holds the two together. A slot is a lease: a member of a sorted set with the
moment at which it ends, renewed as long as its request runs, so a killed worker's slots come free
by themselves. All checks come before all writes: a request counts everywhere or nowhere.
"""

import asyncio
import functools
from typing import Any, Final

from trivium.admission.meter import Meter
from trivium.admission.offline_usage import Missed
from trivium.admission.service import Permit
from trivium.admission.shared import AdmissionVerdict, MeterCounts, Unreachable
from trivium.shared.connection import Down
from trivium.shared.state import SharedState

LEASE_S: Final = 30
"""How long a slot outlives its worker."""
RENEW_S: Final = 10.0
RENEWED: Final = 200
"""Slots renewed by one call."""
COUNTED: Final = 100
"""Windows that are set right by one call after an outage."""
KEPT_S: Final = 86_400
"""A window nobody uses is let go after a day: what was used beyond a limit may count for long."""

NOW: Final = """
local at = redis.call('TIME')
local now = tonumber(at[1]) + tonumber(at[2]) / 1000000
"""
"""Where a script gets the time from."""

_ROLL: Final = """
local function load(key)
  local row = redis.call('HMGET', key, 'm', 'r', 'q', 't', 'u')
  if not row[1] then return nil end
  return {tonumber(row[1]), tonumber(row[2]), tonumber(row[3]), tonumber(row[4]), tonumber(row[5])}
end
local function save(key, c)
  redis.call('HSET', key, 'm', c[1], 'r', c[2], 'q', c[3], 't', c[4], 'u', c[5])
  redis.call('EXPIRE', key, KEPT)
end
local function roll(c, minute, limit)
  local passed = minute - c[1]
  if passed >= -1 and passed <= 0 then return end
  c[1] = minute
  if passed == 1 then c[3] = c[2] else c[3] = 0 end
  c[2] = 0
  local t = c[4]
  if passed < 0 then
    c[4] = 0 c[5] = 0
  elseif limit < 0 then
    c[4] = 0
    if passed == 1 then c[5] = t else c[5] = 0 end
  else
    c[4] = math.max(0, t - passed * limit)
    c[5] = math.min(limit, math.max(0, t - (passed - 1) * limit))
  end
end
""".replace("KEPT", str(KEPT_S))

# KEYS: of each subject its window and its slots. ARGV: the request, tokens, the lease, and of each
# subject its limits on requests, tokens and concurrency, -1 for none.
ADMIT: Final = (
    NOW
    + _ROLL
    + """
local minute = math.floor(now / 60)
local into = now - minute * 60
local left = 60 - into
local request, wanted, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local rows, granted = {}, 1
for i = 1, #KEYS / 2 do
  local requests, tokens = tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2])
  local concurrency = tonumber(ARGV[3 * i + 3])
  local c = load(KEYS[2 * i - 1]) or {minute, 0, 0, 0, 0}
  roll(c, minute, tokens)
  if requests >= 0 and (c[2] + 1) * 60 + c[3] * left > requests * 60 then granted = 0 end
  if tokens >= 0 and (c[4] + wanted) * 60 + c[5] * left > tokens * 60 then granted = 0 end
  local running = 0
  if concurrency >= 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[2 * i], '-inf', now)
    running = redis.call('ZCARD', KEYS[2 * i])
    if running >= concurrency then granted = 0 end
  end
  rows[i] = {c, concurrency, running}
end
local answer = {granted, minute, math.floor(into * 1000000)}
for i = 1, #rows do
  local c, concurrency, running = rows[i][1], rows[i][2], rows[i][3]
  if granted == 1 then
    c[2] = c[2] + 1
    c[4] = c[4] + wanted
    save(KEYS[2 * i - 1], c)
    if concurrency >= 0 then
      redis.call('ZADD', KEYS[2 * i], now + lease, request)
      redis.call('EXPIRE', KEYS[2 * i], lease * 2)
    end
  end
  for _, n in ipairs({c[2], c[3], c[4], c[5], running}) do table.insert(answer, n) end
end
return answer
"""
)

# KEYS: as above. ARGV: the request, the minute it was admitted in, tokens to add or to give back,
# and of each subject its limit on tokens.
LEAVE: Final = (
    NOW
    + _ROLL
    + """
local minute = math.floor(now / 60)
local request, admitted, more = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
for i = 1, #KEYS / 2 do
  redis.call('ZREM', KEYS[2 * i], request)
  local limit = tonumber(ARGV[3 + i])
  if more ~= 0 and limit >= 0 then
    local c = load(KEYS[2 * i - 1])
    if c or more > 0 then
      c = c or {minute, 0, 0, 0, 0}
      -- a request that was refused since has not been saved with its minute
      roll(c, minute, limit)
      if more > 0 then
        c[4] = c[4] + more
      elseif c[1] == admitted then
        c[4] = math.max(0, c[4] + more)
      elseif c[1] == admitted + 1 then
        c[5] = math.max(0, c[5] + more)
      end
      save(KEYS[2 * i - 1], c)
    end
  end
end
return 1
"""
)

# KEYS: slots. ARGV: the lease, and for each the request that has it.
RENEW: Final = (
    NOW
    + """
for i = 1, #KEYS do
  redis.call('ZADD', KEYS[i], now + ARGV[1], ARGV[1 + i])
  redis.call('EXPIRE', KEYS[i], ARGV[1] * 2)
end
return #KEYS
"""
)

# KEYS: of each subject its window, and what was known of it before an outage. ARGV: of each subject
# what a worker let in alone (requests, requests before, tokens, tokens before), what was known to
# it before (the same), and the limit on tokens. A window that knows less than a worker has
# forgotten: then what was known counts again, once, as the worker says that knows the most.
COUNT: Final = (
    NOW
    + _ROLL
    + """
local minute = math.floor(now / 60)
for i = 1, #KEYS / 2 do
  local at = 9 * (i - 1)
  local limit = tonumber(ARGV[at + 9])
  local c, known = load(KEYS[2 * i - 1]), load(KEYS[2 * i])
  c = c or {minute, 0, 0, 0, 0}
  roll(c, minute, limit)
  if known then
    roll(known, minute, limit)
  elseif tonumber(ARGV[at + 5]) > c[2] or tonumber(ARGV[at + 6]) > c[3] then
    known = {minute, 0, 0, 0, 0}
  end
  for n = 1, 4 do
    c[n + 1] = c[n + 1] + tonumber(ARGV[at + n])
    local told = tonumber(ARGV[at + 4 + n])
    if known and told > known[n + 1] then
      c[n + 1] = c[n + 1] + told - known[n + 1]
      known[n + 1] = told
    end
  end
  if limit >= 0 then c[5] = math.min(limit, c[5]) end
  save(KEYS[2 * i - 1], c)
  if known then
    save(KEYS[2 * i], known)
    redis.call('EXPIRE', KEYS[2 * i], 120)
  end
end
return 1
"""
)

SCRIPTS: Final = (ADMIT, LEAVE, RENEW, COUNT)


class ScriptedWindows:
    """``admission.service.SharedWindows``, as Lua scripts that Valkey or Redis runs."""

    def __init__(self, state: SharedState) -> None:
        self._state = state

    @property
    def is_up(self) -> bool:
        """Whether the shared state answers, as far as is known now."""
        return self._state.is_up

    async def admit(self, request_id: str, meters: list[Meter], tokens: int) -> AdmissionVerdict:
        """Check every meter and count in all or none. Raises Unreachable."""
        values: list[str | int] = [request_id, tokens, LEASE_S]
        for meter in meters:
            limits = meter.limits
            values += [_or_none(n) for n in (limits.requests, limits.tokens, limits.concurrency)]
        try:
            verdict: AdmissionVerdict = await self._state.call(
                0, _keys(meters), values, read=functools.partial(_verdict, len(meters))
            )
        except Down as error:
            raise Unreachable(str(error)) from None
        return verdict

    def leave(self, request_id: str, meters: list[Meter], minute: int, more: int) -> None:
        """Release slots and correct tokens, now or when it is back. Never waits."""
        limits: list[str | int] = [_or_none(meter.limits.tokens) for meter in meters]
        # of what may have been said once already only what does no harm twice
        again = [request_id, minute, more if not self._state.is_up else max(0, more), *limits]
        self._state.send(1, _keys(meters), [request_id, minute, more, *limits], again=again)

    def count(self, missed: list[Missed]) -> None:
        """Add what one worker let in while it was alone. Never waits."""
        for start in range(0, len(missed), COUNTED):
            keys: list[str] = []
            values: list[str | int] = []
            for one in missed[start : start + COUNTED]:
                name = one.meter.name
                keys += [f"trivium:window:{name}", f"trivium:known:{name}"]
                values += [*one.own, *one.known, _or_none(one.meter.limits.tokens)]
            self._state.send(3, keys, values)

    def renew(self, running: list[Permit]) -> None:
        """Extend the leases of running requests. Never waits."""
        held = [
            (f"trivium:slots:{meter.name}", given.request_id)
            for given in running
            for meter in given.meters
            if meter.limits.concurrency is not None
        ]
        for start in range(0, len(held), RENEWED):
            part = held[start : start + RENEWED]
            self._state.send(2, [key for key, _ in part], [LEASE_S, *(name for _, name in part)])

    async def keep(self, running: dict[Permit, None]) -> None:
        """Extend the leases of running requests at intervals, without end."""
        while True:
            await asyncio.sleep(RENEW_S)
            self.renew(list(running))


def _keys(meters: list[Meter]) -> list[str]:
    keys = []
    for meter in meters:
        keys += [f"trivium:window:{meter.name}", f"trivium:slots:{meter.name}"]
    return keys


def _or_none(limit: int | None) -> int:
    return -1 if limit is None else limit


def _verdict(meters: int, answer: list[Any]) -> AdmissionVerdict:
    """Read the script's answer. Raises ValueError or TypeError when it is not a verdict."""
    if len(answer) != 3 + 5 * meters or {*map(type, answer)} != {int}:
        raise ValueError(answer)
    return AdmissionVerdict(
        granted=answer[0] == 1,
        minute=answer[1],
        into=answer[2] / 1e6,
        counts=[MeterCounts(*answer[start : start + 5]) for start in range(3, len(answer), 5)],
    )
