"""What request records add up to, worked out from the records themselves, the slow way."""

import random
from collections import Counter

from sqlalchemy import text

from trivium.observe.record import Record

FAULTS = ("", "", "", "caller_left", "upstream_broke", "rate_limited")


def record(number, at, *, seed=0):
    """A record of its number: some fail, some come late, some have no key."""
    chance = random.Random(f"{seed} {number}")
    fault = chance.choice(FAULTS)
    return Record(
        request_id=f"req_{seed}_{number}",
        at=at,
        key_id=chance.choice((None, 1, 2, 3)),
        user_id=chance.choice((7, 8)),
        operation="chat",
        model=chance.choice(("fast", "wise")),
        channel=chance.choice(("", "one", "two")),
        status={"": 200, "caller_left": 499, "upstream_broke": 502, "rate_limited": 429}[fault],
        fault=fault,
        attempts=chance.randint(0, 3),
        first_byte_ms=None if fault else chance.lognormvariate(6, 1.5),
        total_ms=chance.lognormvariate(7, 1.5),
        # what callers say makes a row of all columns
        end_user=chance.choice(("", "somebody")),
    )


async def of_records(database, span_s=300):
    """Requests, attempts and times by beginning, model, channel, status and fault."""
    query = f"""
        SELECT at_ms / 1000 - (at_ms / 1000) % {span_s}, model, channel, status / 100, fault,
          COUNT(*), SUM(attempts), SUM(COALESCE(first_byte_us, 0)), SUM(total_us),
          COUNT(first_byte_us) FROM records GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    """
    async with database.read() as conn:
        return [tuple(map(_plain, row)) for row in await conn.execute(text(query))]


async def of_sums(database, span_s=300):
    """The same out of the sums."""
    firsts = " + ".join(f"first_{number}" for number in range(28))
    query = f"""
        SELECT began_at - began_at % {span_s}, model, channel, status, fault, SUM(requests),
          SUM(attempts), SUM(first_us), SUM(total_us), SUM({firsts}) FROM traffic
        GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    """
    async with database.read() as conn:
        return [tuple(map(_plain, row)) for row in await conn.execute(text(query))]


async def keys_of_records(database, span_s=300):
    """Requests and failures by beginning, key and user."""
    query = "SELECT at_ms, key_id, user_id, status, fault FROM records"
    made, failed = Counter(), Counter()
    async with database.read() as conn:
        for at_ms, key_id, user_id, status, fault in await conn.execute(text(query)):
            at = at_ms // 1000 // span_s * span_s, key_id or 0, user_id or 0
            made[at] += 1
            failed[at] += fault not in ("", "caller_left") or (not fault and status >= 400)
    return sorted((*at, count, failed[at]) for at, count in made.items())


async def keys_of_sums(database, span_s=300):
    """The same out of the sums: rows of an hour and of a day are two ways to say the same."""
    other = 3_600 if span_s == 86_400 else 86_400
    query = f"""
        SELECT began_at - began_at % {span_s}, key_id, user_id, SUM(requests), SUM(failed)
        FROM traffic_keys WHERE span_s <> {other} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    """
    async with database.read() as conn:
        return [tuple(map(int, row)) for row in await conn.execute(text(query))]


def _plain(value):
    return value if isinstance(value, str) else int(value)
