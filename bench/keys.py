"""What a million keys cost a worker: how long until it is ready, processor time, memory.

usage: keys.py [--keys N] [--each] [--url URL] [--active N] [--made-up N]

Fills an empty database (``--url``; else a SQLite file that goes away again) with N keys of 5,000
users, in one import that gave all of them one revision (``--each``: a revision each, as keys that
were made one by one), and starts a gateway of one worker, once before and once after. Prints of
each start how long it took until requests run, and what it took of the processor and of memory by
then; then what it costs to ask once with each of some keys that there are (``--active``) and with
as many that somebody made up (``--made-up``).
"""

import argparse
import asyncio
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text

from trivium.clock import SystemClock
from trivium.identity import keys, store
from trivium.identity.service import Identity
from trivium.storage import migrate
from trivium.storage.database import Database

USERS = 5_000
FIRST = 1_000_000
"""Ids of what is filled in: those of the gateway's own statements stay below."""
PEOPLE = """INSERT INTO users (id, name, email, role, disabled, unlimited, created_at, revision, kind)
SELECT :first + i, 'user-' || i, 'user-' || i || '@example.com', 'user', {false}, {false}, 1, :at, 'person'
FROM {numbers}"""
OWNED = """INSERT INTO keys (id, user_id, digest, name, hint, models, created_at, revision)
SELECT :first + i, :first + i % :users, {digest}, 'key-' || i, 'h' || i, '[]', 1, {revision} FROM {numbers}"""
NUMBERS = {
    "sqlite": "(WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < {rows} - 1) "
    "SELECT i FROM s) AS numbers",
    "postgresql": "(SELECT i::bigint AS i FROM generate_series(0, {rows} - 1) AS i) AS numbers",
}
DIGESTS = {"sqlite": "randomblob(32)", "postgresql": "sha256(('d' || i)::bytea)"}
SETTINGS = """[server]
listen = "127.0.0.1:{port}"
[storage]
url = "{url}"
[[channels]]
name = "nobody"
provider = "openai"
api_key = "none"
base_url = "http://127.0.0.1:9/v1"
[[models]]
name = "m"
free = true
[[models.bindings]]
channel = "nobody"
"""
READY_S = 600.0
TICK_S: float = 1 / os.sysconf("SC_CLK_TCK")


async def fill(url: str, count: int, active: int, *, each: bool) -> list[str]:
    """Keys of which the secret is known, and so many besides."""
    database = Database(url)
    engine = "sqlite" if database.is_sqlite else "postgresql"
    await migrate.upgrade(database)
    people = Identity(database, SystemClock())
    if not await people.list_users():
        await people.create_user("bench", "bench@example.com", unlimited=True)
    known = [(await people.create_key("bench"))[1] for _ in range(active)]
    if count:
        numbers = {"first": FIRST, "users": USERS}
        async with database.write(3_600.0) as conn:
            at = await store.bump(conn)
            made = {
                "false": "0" if database.is_sqlite else "false",
                "digest": DIGESTS[engine],
                "revision": ":at + i" if each else ":at",
            }
            for statement, rows in ((PEOPLE, USERS), (OWNED, count)):
                of = statement.format(numbers=NUMBERS[engine].format(rows=rows), **made)
                wanted = {name: n for name, n in numbers.items() if f":{name}" in of}
                await conn.execute(text(of), {**wanted, "at": at})
            await conn.execute(text("UPDATE revision SET value = :at"), {"at": at + each * count})
            await conn.execute(text("ANALYZE"))
    await database.close()
    return known


@contextmanager
def started(folder: Path, port: int) -> Iterator[tuple[int, float]]:
    """A gateway that serves; its process id, and how long it took."""
    environment = {**os.environ, "TRIVIUM_SECRET": "0" * 64}
    began = time.monotonic()
    with (folder / "serve.log").open("wb") as log:
        gateway = subprocess.Popen(
            [Path(sys.executable).with_name("trivium"), "serve", "--config", "trivium.toml"],
            cwd=folder, env=environment, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        asyncio.run(serves(port, gateway))
        yield gateway.pid, time.monotonic() - began
    finally:
        gateway.send_signal(signal.SIGTERM)
        gateway.wait(30)


async def serves(port: int, gateway: "subprocess.Popen[bytes]") -> None:
    """Wait until a request is answered: before that, connections are accepted and wait."""
    async with asyncio.timeout(READY_S):
        while True:
            try:
                await asked(port, ["none"])
            except OSError:
                if gateway.poll() is not None:
                    raise SystemExit("the gateway has ended: see its log") from None
                await asyncio.sleep(0.02)
            else:
                return


async def asked(port: int, with_keys: Sequence[str], at_once: int = 20) -> dict[str, int]:
    """Ask for the list of models with each of these; how many answers of which status."""
    found: dict[str, int] = {}
    waiting = iter(with_keys)

    async def one_by_one() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for key in waiting:
            writer.write(
                f"GET /v1/models HTTP/1.1\r\nHost: b\r\nAuthorization: Bearer {key}\r\n\r\n".encode()
            )
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
            await reader.readexactly(length)
            status = head[9:12].decode()
            found[status] = found.get(status, 0) + 1
        writer.close()

    await asyncio.gather(*(one_by_one() for _ in range(min(at_once, len(with_keys)))))
    return found


def processor_s(pid: int) -> float:
    """User and system time of a process with all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


def resident_mib(pid: int) -> float:
    """Memory that is in use by a process, shared libraries included."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measured(folder: Path, port: int, known: Sequence[str], made_up: Sequence[str]) -> None:
    """Start it once, ask, and print the figures."""
    with started(folder, port) as (pid, took):
        cpu, resident = processor_s(pid), resident_mib(pid)
        print(f"  ready after {took:6.2f} s, {cpu:6.2f} s of CPU, {resident:6.1f} MiB resident")
        time.sleep(10)  # the pages are imported by then
        print(
            f"  ten seconds later     {processor_s(pid):6.2f} s of CPU, {resident_mib(pid):6.1f} MiB"
        )
        for name, some, at_once in (
            ("keys that there are", known, 20),
            ("the same again", known, 20),
            ("made-up keys", made_up, 500),
        ):
            if some:
                cpu, began = processor_s(pid), time.monotonic()
                answers = asyncio.run(asked(port, some, at_once))
                each_us = (processor_s(pid) - cpu) / len(some) * 1e6
                print(
                    f"  {len(some)} {name}: {each_us:.0f} us of CPU each, "
                    f"{time.monotonic() - began:.2f} s, {answers}, {resident_mib(pid):.1f} MiB"
                )


def main() -> None:
    """Fill, start, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--each", action="store_true", help="a revision each, not one for all")
    parser.add_argument("--url", help="of an empty database; default: a SQLite file")
    parser.add_argument("--active", type=int, default=2_000, help="keys that are used")
    parser.add_argument("--made-up", type=int, default=10_000, help="keys that there are not")
    parser.add_argument("--port", type=int, default=18_480)
    given = parser.parse_args()
    made_up = [keys.issue(secrets.token_bytes) for _ in range(given.made_up)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = given.url or f"sqlite:///{folder}/trivium.db"
        (folder / "trivium.toml").write_text(SETTINGS.format(port=given.port, url=url))
        asyncio.run(fill(url, 0, 0, each=False))
        print("no keys")
        measured(folder, given.port, (), made_up)
        known = asyncio.run(fill(url, given.keys, given.active, each=given.each))
        how = "a revision each" if given.each else "one revision"
        print(f"{given.keys} keys, {how}")
        measured(folder, given.port, known, made_up)


if __name__ == "__main__":
    main()
