"""Faults under a served gateway: what is broken, what callers see meanwhile, what is left after.

Every fault is a function here; `test_outages.py` runs them, and writes what was seen into
`docs/operate/faults.md` where it is told to.
"""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

import warm
from end_to_end.running import ANSWER, LISTENS, TRIVIUM, VENDOR_KEY, Running
from scripted_upstream import Double, Send, Wait, sized
from trivium.clock import SystemClock
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.storage import migrate
from trivium.storage.database import Database

JSON = b"Content-Type: application/json\r\n"
OK = [Send(sized(ANSWER, headers=JSON))]
SLOW = [Wait(0.05), *OK]
NO_KEY = [Send(sized(b'{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}', status=b"401 Unauthorized", headers=JSON))]  # fmt: skip
NANOS = 9 * 1_000 + 2 * 1_000
"""What one request costs: nine tokens in, two out, at a dollar a million each."""


@dataclass
class Row:
    """One line of the table."""

    fault: str
    callers: str = ""
    lost: str = ""
    lasts: str = ""
    readyz: str = ""
    healthz: str = ""
    metric: str = ""
    log: str = ""

    def cells(self):
        return [getattr(self, name) for name in HEADS]


HEADS = {
    "fault": "fault", "callers": "what callers see", "lost": "what is lost",
    "lasts": "how long after its end", "readyz": "`/readyz`", "healthz": "`/healthz`",
    "metric": "metric", "log": "log line",
}  # fmt: skip


@dataclass
class Node(Running):
    """A gateway whose log is read from a pipe: a limit on files must not reach it."""

    folder: Path
    process: subprocess.Popen
    key: str
    said: list = field(default_factory=list)

    def __post_init__(self):
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with self.process.stderr as lines:
            for line in lines:
                self.said.append(line.decode())

    @property
    def log(self):
        return "".join(self.said)

    def heard(self, event):
        """The last line of an event, as the table shows it; empty: there is none."""
        for line in reversed(self.events):
            if line["event"] == event:
                shown = {
                    k: v
                    for k, v in line.items()
                    if k
                    not in ("at", "level", "event", "host", "port", "age_s", "worker", "request_id")
                }
                return f"`{event}` " + " ".join(
                    f"{k}={str(v)[:60]}" for k, v in list(shown.items())[:2]
                )
        return ""

    async def ask(self, path):
        """Status and body of a GET; 0: nobody answers."""
        try:
            async with asyncio.timeout(5):
                status, _, body = await self.send(self.get(path, "Authorization: Bearer numbers"))
                return status, body
        except (OSError, TimeoutError, EOFError, asyncio.IncompleteReadError):
            return 0, b""


class Seen:
    """Callers without a pause while a fault lasts, and what probes are told."""

    def __init__(self, *nodes):
        self.nodes = nodes
        self.statuses = Counter()
        self.ready = Counter()
        self.health = Counter()
        self.metrics = Counter()
        self.served = 0
        self.slowest = 0.0

    @contextlib.asynccontextmanager
    async def watching(self, callers=3):
        stop = asyncio.Event()
        tasks = [asyncio.create_task(self._calls(stop, n)) for n in range(callers)]
        tasks.append(asyncio.create_task(self._probes(stop)))
        try:
            yield self
        finally:
            stop.set()
            await asyncio.gather(*tasks)

    async def _calls(self, stop, number):
        while not stop.is_set():
            node = self.nodes[number % len(self.nodes)]
            began = time.monotonic()
            await self.one(node)
            self.slowest = max(self.slowest, time.monotonic() - began)
            await asyncio.sleep(0.05)

    async def one(self, node):
        try:
            async with asyncio.timeout(20):
                status, _, _ = await node.send(node.chat(), node.number)
        except (OSError, TimeoutError, EOFError, asyncio.IncompleteReadError, AssertionError):
            status = "no answer"
        self.statuses[status] += 1
        self.served += status == 200
        return status

    async def _probes(self, stop):
        while not stop.is_set():
            for node in self.nodes:
                status, body = await node.ask("/readyz")
                state = msgspec.json.decode(body)["status"] if body else "no answer"
                self.ready[f"{status} {state}" if status else "no answer"] += 1
                self.health[(await node.ask("/healthz"))[0] or "no answer"] += 1
                _, text = await node.ask("/metrics")
                for name in re.findall(
                    rb'(trivium_(?:clock_doubted|part_missing\{part="\w+"\}|channel_resting\{[^}]*\})) [1-9]',
                    text,
                ):
                    self.metrics[name.decode()] += 1
            await asyncio.sleep(0.2)

    def into(self, row, *, metric="", log=""):
        """Fill in what was seen."""
        total = sum(self.statuses.values())
        row.callers = (
            ", ".join(f"{n} times {s}" for s, n in sorted(self.statuses.items(), key=str))
            + f" of {total}; slowest {self.slowest:.1f} s"
        )
        row.readyz = ", ".join(name for name, _ in self.ready.most_common(3))
        row.healthz = ", ".join(str(name) for name, _ in self.health.most_common(2))
        row.metric = metric or ", ".join(f"`{name}`" for name, _ in self.metrics.most_common(2))
        row.log = log
        return row


def text(vendor, url, journal, *, shared="", rest="", host="127.0.0.1", server=""):
    """Settings of a node: a priced model on one vendor, numbers and JSON lines."""
    return (
        f'[server]\nlisten = "127.0.0.1:0"\ndrain_s = 2\n{server}\n'
        f'[storage]\nurl = "{url}"\njournal = "{journal}"\npoll_s = 0.5\n'
        f'[logs]\nformat = "json"\n[metrics]\nenabled = true\ntoken = "numbers"\n{rest}\n'
        + (f'[shared]\nurl = "{shared}"\n' if shared else "")
        + f'[[channels]]\nname = "main"\nprovider = "openai"\napi_key = "{VENDOR_KEY}"\n'
        f'base_url = "http://{host}:{vendor.port}/v1"\n'
        '[[models]]\nname = "m"\nprice = { input = "1", output = "1" }\n'
        '[[models.bindings]]\nchannel = "main"\n'
    )


async def somebody(url, requests=None):
    """A user with ten dollars and a key."""
    from trivium.settings.limits import RateLimits

    db = Database(url)
    await migrate.upgrade(db)
    people = Identity(db, SystemClock())
    await people.create_user("ada", "ada@example.org")
    limits = RateLimits(requests=requests) if requests else None
    _, key = await people.create_key("ada", "k", limits=limits)
    await Entries(db, SystemClock()).book(1, EntryKind.TOP_UP, 10 * 10**9)
    await db.close()
    return key


async def lost(url, served):
    """What the books say of what was answered."""
    db = Database(url)
    try:
        async with asyncio.timeout(20):
            while True:
                async with db.read() as conn:
                    booked = await conn.exec_driver_sql(
                        "SELECT count(*), coalesce(sum(-amount_nanos), 0) FROM entries WHERE kind = 'usage'"
                    )
                    count, nanos = booked.one()
                if count >= served:
                    break
                await asyncio.sleep(0.2)
    except TimeoutError:
        return f"{served - count} of {served} entries"
    finally:
        await db.close()
    assert nanos == count * NANOS
    return f"nothing: {count} entries for {served} answers" + (
        f" ({count - served} whose answer did not arrive)" if count > served else ""
    )


@contextlib.asynccontextmanager
async def node(folder, settings, key, *, environ=None, program=None):
    """A running gateway."""
    folder.mkdir(exist_ok=True)
    (folder / "trivium.toml").write_text(settings)
    one = begun(folder, key, environ, program)
    try:
        await settled(one)
        yield one
    finally:
        one.process.send_signal(signal.SIGCONT)
        one.process.terminate()
        try:
            one.process.wait(20)
        except subprocess.TimeoutExpired:
            one.process.kill()
            one.process.wait()


def begun(folder, key, environ=None, program=None):
    process = warm.popen(
        [*(program or [TRIVIUM]), "serve"], cwd=folder, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, env={**os.environ, **(environ or {})},
    )  # fmt: skip
    return Node(folder, process, key)


async def settled(one):
    """Wait until it serves, and has a lease."""
    deadline = time.monotonic() + 60
    while not LISTENS.search(one.log):
        assert one.process.poll() is None, one.log
        assert time.monotonic() < deadline, one.log
        await asyncio.sleep(0.05)
    one.number = one.port
    served = 0
    while served < 3 or (await one.ask("/metrics"))[0] != 200:  # a busy machine takes its time
        served += served < 3 and 200 == (await one.send(one.chat()))[0]
        assert time.monotonic() < deadline, one.log
    await asyncio.sleep(1.5)


async def well_again(one, limit_s=90.0):
    """Seconds until it is ready and answers."""
    began = time.monotonic()
    while True:
        status, body = await one.ask("/readyz")
        if status == 200 and b'"ok"' in body and 200 == (await one.send(one.chat()))[0]:
            return f"{time.monotonic() - began:.1f} s"
        assert time.monotonic() - began < limit_s, one.log
        await asyncio.sleep(0.1)


async def database_away(folder, postgres, row, seconds, warm_s=2.0):
    """The database cannot be reached for so long."""
    key = await somebody(postgres.url)
    async with Double([SLOW]) as vendor:
        settings = text(vendor, postgres.url, folder / "journal")
        async with node(folder, settings, key) as one, Seen(one).watching() as seen:
            await asyncio.sleep(warm_s)  # what callers spend is leased ahead as it is seen
            postgres.shut()
            await asyncio.sleep(seconds)
            postgres.open()
            row.lasts = await well_again(one)
        seen.into(row, log=one.heard("keys_stale") or one.heard("ledger_waits"))
    return row, seen, postgres.direct


async def valkey_fault(folder, valkey, row, how, seconds):
    """The shared state is killed, frozen, or answers late."""
    url = f"sqlite:///{folder / 'trivium.db'}"
    key = await somebody(url, requests=100_000)
    async with Double([SLOW]) as vendor:
        settings = text(vendor, url, folder / "journal", shared=valkey.url)
        async with node(folder, settings, key) as one, Seen(one).watching() as seen:
            if how == "slow":
                await _slow(valkey, seconds)
            else:
                getattr(valkey, how)()
                await asyncio.sleep(seconds)
                valkey.start() if how == "kill" else valkey.thaw()
            row.lasts = await well_again(one)
        seen.into(row, log=one.heard("shared_state_away"))
    return row, seen, url


async def _slow(valkey, seconds):
    """It answers, but most of the time it is busy with something else."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        valkey.freeze()
        await asyncio.sleep(0.2)
        valkey.thaw()
        await asyncio.sleep(0.05)


async def node_killed(folder, postgres, row):
    """`kill -9` of one of two nodes, which comes back two seconds later."""
    key = await somebody(postgres.url)
    secret = {"TRIVIUM_SECRET": "s" * 32}
    async with Double([SLOW]) as vendor, contextlib.AsyncExitStack() as stack:
        nodes = []
        for name in ("one", "two"):
            settings = text(vendor, postgres.url, folder / name / "journal")
            nodes.append(
                await stack.enter_async_context(node(folder / name, settings, key, environ=secret))
            )
        async with Seen(*nodes).watching(4) as seen:
            nodes[0].process.kill()
            nodes[0].process.wait()
            await asyncio.sleep(2)
            again = await stack.enter_async_context(
                node(folder / "one", settings.replace("two", "one"), key, environ=secret)
            )
            seen.served += 3
            row.lasts = await well_again(again)
            await asyncio.sleep(1)
        seen.into(row, metric="`up` of the target is 0", log=again.heard("journal_replayed"))
    return row, seen, postgres.direct


async def one_refusal(folder, row):
    """A vendor answers 401 once."""
    url = f"sqlite:///{folder / 'trivium.db'}"
    key = await somebody(url)
    script = [SLOW] * 4 + [NO_KEY] + [SLOW]
    async with Double(script) as vendor:
        async with node(folder, text(vendor, url, folder / "journal"), key) as one:
            await one.send(one.chat())
            async with Seen(one).watching(1) as seen:
                began = time.monotonic()
                while not seen.served:
                    await asyncio.sleep(0.1)
                    assert time.monotonic() - began < 30
                row.lasts = f"{time.monotonic() - began:.1f} s"
        seen.into(row, log=one.heard("credential_disabled"))
    return row, seen, url


async def names_gone(folder, row, seconds):
    """No name server answers."""
    url = f"sqlite:///{folder / 'trivium.db'}"
    key = await somebody(url)
    program = [sys.executable, str(Path(__file__).with_name("nameless.py"))]
    rest = "[upstream]\ndns_ttl_s = 1\nkeepalive_s = 0\n"
    async with Double([SLOW]) as vendor:
        settings = text(vendor, url, folder / "journal", host="localhost", rest=rest)
        async with (
            node(folder, settings, key, program=program) as one,
            Seen(one).watching() as seen,
        ):
            (folder / "no-names").touch()
            await asyncio.sleep(seconds)
            (folder / "no-names").unlink()
            row.lasts = await well_again(one)
        seen.into(
            row, metric="`trivium_faults_total` does not grow", log=one.heard("name_unresolved")
        )
    return row, seen, url
