"""Nodes before three clouds whose tokens end all the time: renewed under load, and none is lost.

Google's and Entra's token services and Amazon's STS are doubles that give short lives; each is away
for half a life, again and again, and its models refuse every token that has ended.
"""

import asyncio
import collections
import contextlib
import json
import os
import re
import sys
import time
import uuid

import pytest
from sqlalchemy import text

from aws_double import EXTERNAL_ID, ROLE
from aws_double import running as amazon
from edge import wires
from edge.wires import Wire
from end_to_end.fleet.nodes import command, two_nodes
from end_to_end.running import ANSWER
from entra_double import CLIENT, SECRET, TENANT, EntraDouble
from google_double import GoogleDouble
from trivium.storage.database import Database

CLOUDS = ("google", "azure", "amazon")
REQUESTS = int(os.environ.get("TRIVIUM_RENEWAL_REQUESTS", "20000"))
LIVES = int(os.environ.get("TRIVIUM_RENEWAL_LIVES", "25"))
"""In a row, of each of the four workers: a hundred of each cloud."""
LIFE_S = int(os.environ.get("TRIVIUM_RENEWAL_LIFE_S", "12"))
"""Seconds. A machine that leaves a process waiting for seconds needs longer ones: what a worker does
not get to do in a life cannot be in time."""
CALLERS = 8
"""Of each cloud."""
WORKERS = 4
NUMBER = re.compile(r"id-(\d+)-")
SETTINGS = """
[server]
listen = "127.0.0.1:{{port}}"
workers = 2
drain_notice_s = 0
drain_idle_s = 1
[storage]
url = "{{database}}"
[shared]
url = "{{shared}}"
[logs]
format = "json"
[metrics]
enabled = true
token = "scrape-token"
[upstream]
ca_file = "{ca_file}"
[[channels]]
name = "google"
provider = "vertex-open"
base_url = "{google}"
credential = {{{{ key = "file:{key_file}" }}}}
[[channels]]
name = "azure"
provider = "azure"
base_url = "{azure}/openai/v1"
credential = {{{{ tenant_id = "{tenant}", client_id = "{client}", client_secret = "{secret}", authority = "{authority}" }}}}
[[channels]]
name = "amazon"
provider = "bedrock"
base_url = "{amazon}"
credential = {{{{ region = "us-east-1", key_id = "AKIDOPERATOR", secret = "operator-secret/+key", role_arn = "{role}", external_id = "{external}" }}}}
"""
MODEL = """
[[models]]
name = "{name}"
price = {{{{ input = "1", output = "2" }}}}
bindings = [{{{{ channel = "{name}" }}}}]
"""


class Clouds:
    """The three, who asked their models for what, and their sources of tokens to be shut."""

    def __init__(self, google, azure, aws, folder):
        self.google, self.azure, self.aws = google, azure, aws
        self.asked = collections.Counter()
        """How often a request arrived with what lives, by its number."""
        self.tried = collections.Counter()
        """Requests for tokens that found the source shut, by cloud."""
        answer = json.loads(ANSWER)
        google.answers = {"chat": lambda _, body: (200, self._counted(body, answer))}
        azure.answers = {"/chat/completions": lambda body: (200, self._counted(body, answer))}
        key_file = folder / "google.json"
        key_file.write_text(json.dumps(google.key_file()))
        self.settings = SETTINGS.format(
            ca_file=azure.ca_file, google=google.base_url(), key_file=key_file,
            azure=azure.machine, authority=azure.authority, tenant=TENANT, client=CLIENT,
            secret=SECRET, amazon=aws.url, role=ROLE, external=EXTERNAL_ID,
        ) + "".join(MODEL.format(name=name) for name in CLOUDS)  # fmt: skip

    def _counted(self, body, answer):
        self.asked[int(NUMBER.search(json.dumps(body))[1])] += 1
        return answer

    def given(self):
        """Tokens by cloud."""
        return {
            "google": self.google.tokens_given,
            "azure": self.azure.tokens_given,
            "amazon": self.aws.asked.count("sts AssumeRole"),
        }

    def shut(self, cloud, is_shut):
        """Have a source of tokens hang up on whoever asks, or answer again."""
        {"google": self.google, "azure": self.azure, "amazon": self.aws}[cloud].is_shut = is_shut

    def arrived(self):
        """The same as ``asked``, with Amazon's."""
        of_amazon = (int(NUMBER.search(one.body.decode())[1]) for one in self.aws.requests)
        return self.asked + collections.Counter(of_amazon)


@contextlib.contextmanager
def clouds(folder, life_s, monkeypatch):
    """All three, with tokens of this life."""
    with (
        GoogleDouble(life_s=life_s) as google,
        EntraDouble(folder, life_s=life_s) as azure,
        amazon() as aws,
    ):
        aws.life_s = life_s + 0.999  # ends are told in whole seconds
        monkeypatch.setenv("AWS_ENDPOINT_URL_STS", aws.url)
        yield Clouds(google, azure, aws, folder)


class Callers:
    """So many requests a second, by the two nodes in turn, until told to stop."""

    def __init__(self, nodes, rate):
        self._nodes = nodes
        self._pause_s = CALLERS * len(CLOUDS) / rate
        self._stop = asyncio.Event()
        self.sent = 0
        self.answered = collections.Counter()
        self.lost = []
        self.slowest_s = 0.0

    @contextlib.asynccontextmanager
    async def running(self):
        """While this is open."""
        tasks = [
            asyncio.ensure_future(self._caller(cloud, self._nodes[at % 2], at))
            for cloud in CLOUDS
            for at in range(CALLERS)
        ]
        try:
            yield
        finally:
            self._stop.set()
            await asyncio.gather(*tasks)

    async def _caller(self, cloud, node, at):
        await asyncio.sleep(self._pause_s * at / CALLERS)
        while not self._stop.is_set():
            took_s = await self.one(cloud, node)
            self.slowest_s = max(self.slowest_s, took_s)
            await asyncio.sleep(max(0.0, self._pause_s - took_s))

    async def one(self, cloud, node):
        """Ask once; how long it took."""
        self.sent += 1
        number, begun = self.sent, time.monotonic()
        try:
            await self._ask(cloud, node, number)
        except Exception as error:
            self.lost.append((cloud, number, repr(error)))
        return time.monotonic() - begun

    async def _ask(self, cloud, node, number):
        turn = {"role": "user", "content": f"id-{number}-"}
        wire = await Wire.to(node.port)
        try:
            body = json.dumps({"model": cloud, "messages": [turn]}).encode()
            head = (
                f"POST /v1/chat/completions HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n"
                f"Authorization: Bearer {node.key}\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            await wire.send(head.encode() + body)
            status, _, answer = await asyncio.wait_for(wire.answer(), 60)
        finally:
            await wire.close()
        assert 200 == status, answer[:300]
        assert json.loads(answer)["choices"][0]["message"]["content"], answer
        self.answered[cloud] += 1


async def booked(url):
    """How many requests were paid for."""
    db = Database(url)
    try:
        async with db.read() as conn:
            return await conn.scalar(text("SELECT count(*) FROM entries WHERE kind = 'usage'"))
    finally:
        await db.close()


async def warmed(nodes, callers):
    """Every worker has found all three: the first look-up imports its library."""
    until = time.monotonic() + 90
    while True:
        found = [sum(line["event"] == "identity_found" for line in node.events) for node in nodes]
        if found == [2 * len(CLOUDS)] * 2:
            return
        assert time.monotonic() < until, (found, [node.log[-1500:] for node in nodes])
        await asyncio.gather(
            *(callers.one(cloud, node) for node in nodes for cloud in CLOUDS for _ in "ab")
        )


async def renewed(folder, database, shared, monkeypatch, *, life_s, seconds, rate):
    """What became of the callers of two nodes; prints the figures."""
    with clouds(folder, life_s, monkeypatch) as around:
        async with two_nodes(folder, 0, database, shared.url, around.settings) as nodes:
            callers = Callers(nodes, rate)
            await warmed(nodes, callers)
            async with callers.running():
                # what the first look-ups found may be old and unused: that is not renewed ahead
                await asyncio.sleep(life_s)
                until, away = time.monotonic() + seconds, 0
                while time.monotonic() < until:
                    for cloud in CLOUDS:
                        around.shut(cloud, True)
                    await asyncio.sleep(life_s / 2)
                    for cloud in CLOUDS:
                        around.shut(cloud, False)
                    away += 1
                    # all are renewed before the next time
                    await asyncio.sleep(life_s * 0.75)
            log = "".join(node.log for node in nodes)
        failures = log.count('"event":"token_not_renewed"')
        paid = await booked(database)
        arrived = around.arrived()
        doubled = sum(count > 1 for count in arrived.values())
        figures = (
            f"{callers.sent} requests in {seconds} s ({dict(callers.answered)}), "
            f"{len(callers.lost)} lost, {doubled} asked twice, {paid} booked; "
            f"tokens of {life_s} s: {around.given()}; sources away {away} times for {life_s / 2} s, "
            f"{failures} renewals failed; slowest {callers.slowest_s:.2f} s\n"
        )
        why = collections.Counter(
            (line["channel"], line.get("why", ""))
            for node in nodes
            for line in node.events
            if line["event"] == "token_not_renewed"
        )
        (folder / "figures.txt").write_text(f"{figures}{callers.lost}\n{why}\n")
        sys.stdout.write(f"\n{figures}")
        assert [] == callers.lost[:5], figures
        assert (0, callers.sent, callers.sent) == (doubled, paid, len(arrived)), figures
        assert failures > 0
        command(nodes[0].folder, "ledger", "verify")
        return around.given(), callers.sent


@pytest.fixture
def renewal_database(postgresql_server, monkeypatch):
    """An address of an empty database on the server, which is gone with it."""
    monkeypatch.setattr(wires, "PATIENCE_S", 60.0)  # a first look-up imports its library
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    name = f"renewal_{uuid.uuid4().hex[:12]}"
    postgresql_server.psql(f"CREATE DATABASE {name};")
    return postgresql_server.get_uri(database=name)


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.asyncio
@pytest.mark.timeout(3600)
async def test_a_hundred_lives_lose_nobody(tmp_path, renewal_database, valkey, monkeypatch):
    """Every worker of the four goes through its lives with each cloud."""
    seconds = LIFE_S * LIVES
    given, sent = await renewed(
        tmp_path, renewal_database, valkey, monkeypatch, life_s=LIFE_S, seconds=seconds,
        rate=1.1 * REQUESTS / seconds,
    )  # fmt: skip
    assert sent >= REQUESTS
    assert min(given.values()) >= LIVES * WORKERS
