"""The catalogue of two nodes with two workers each, on one PostgreSQL: who is told, when, and what
becomes of a change while the server is restarted.
"""

import asyncio
import contextlib
import time

import httpx
import pytest
import pytest_asyncio

from end_to_end.door import Postgres
from end_to_end.fleet.nodes import SETTINGS, two_nodes
from end_to_end.running import ANSWER
from end_to_end.test_catalogue import OK, asked, channel
from scripted_upstream import Double
from trivium.catalogue import store
from trivium.catalogue.model import EntryName
from trivium.clock import SystemClock
from trivium.identity.model import UserRole
from trivium.identity.service import Identity
from trivium.oauth.developer.model import ADMIN
from trivium.oauth.developer.service import DeveloperTokens
from trivium.observe.audit.service import Audit
from trivium.storage.database import Database
from valkey_server import Valkey

TAKEN_S = 4.0
"""Within two seconds on a machine that does nothing else."""
WORKERS_SEEN = 12
"""New connections after which it is all but certain that both workers had one."""
BRIEF = SETTINGS.replace("workers = 2", "workers = 2\ndrain_notice_s = 0\ndrain_idle_s = 1")
MODEL = {"free": True, "bindings": [{"channel": "stored"}]}

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(240),
]


class Fleet:
    """Both nodes, and an administrator at each."""

    def __init__(self, nodes, admins, postgres, vendor):
        self.nodes, self.admins, self.postgres, self.vendor = nodes, admins, postgres, vendor

    async def everywhere(self, status, model):
        """Seconds until the last answer of any worker that is another: a new connection each."""
        began = last = time.monotonic()
        same = 0
        while same < 2 * WORKERS_SEEN:
            node = self.nodes[same % 2]
            raw = node.chat("Connection: close", model=model)
            same += 1
            if status != (await node.send(raw))[0]:
                last, same = time.monotonic(), 0
                assert last - began < 30, f"{model}: not {status}"
        return last - began

    async def version(self, at):
        """Of an entry, as the database has it; ``None``: it is not there."""
        db = Database(self.postgres.direct)
        try:
            async with db.read() as conn:
                found = await store.named(conn, [EntryName(*at)])
        finally:
            await db.close()
        return found[0].version if found else None


async def token_at(url):
    """Of an administrator's."""
    db = Database(url)
    try:
        clock = SystemClock()
        root = await Identity(db, clock).create_user("root", "root@example.org", UserRole.ADMIN)
        made = await DeveloperTokens(db, clock, Audit(db, clock)).create(
            root.id, "script", permission=ADMIN
        )
    finally:
        await db.close()
    return made[1]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def fleet(postgresql_server, tmp_path_factory):
    """Started once: what the tests change has names of its own."""
    folder = tmp_path_factory.mktemp("fleet")
    postgres, shared = Postgres(postgresql_server, folder, "catalogue_nodes"), Valkey(folder)
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(postgres.drop)
        stack.callback(shared.close)
        vendor = await stack.enter_async_context(Double([OK]))
        nodes = await stack.enter_async_context(
            two_nodes(folder, vendor.port, postgres.url, shared.url, BRIEF)
        )
        bearer = {"authorization": f"Bearer {await token_at(postgres.direct)}"}
        admins = [
            await stack.enter_async_context(
                httpx.AsyncClient(
                    base_url=f"http://{node.address}/api/admin/catalogue",
                    headers=bearer,
                    timeout=60,
                )
            )
            for node in nodes
        ]
        made = Fleet(nodes, admins, postgres, vendor)
        for path, document in (("channels/stored", channel(vendor)), ("groups/shared", "0.5")):
            answer = await admins[0].put(path, json={"document": document})
            assert 200 == answer.status_code, answer.text
        yield made


async def test_an_edit_reaches_every_worker_of_every_node(fleet):
    """Within two seconds; and so does its end. Requests for other models go on."""
    async with asked(fleet.nodes[0], "m") as here, asked(fleet.nodes[1], "m") as there:
        made = await fleet.admins[0].put("models/reached", json={"document": MODEL})
        assert 200 == made.status_code, made.text
        assert TAKEN_S > await fleet.everywhere(200, "reached")
        tag = {"if-match": made.headers["etag"]}
        assert 200 == (await fleet.admins[1].delete("models/reached", headers=tag)).status_code
        assert TAKEN_S > await fleet.everywhere(404, "reached")
    assert {(200, b"main", ANSWER)} == {*here, *there}


async def test_of_two_administrators_on_two_nodes_the_second_is_told(fleet):
    """At once or one after the other; nothing is overwritten, and the first one's stands."""
    for together in (True, False):
        found = [await each.get("groups/shared") for each in fleet.admins]
        (tag,) = {each.headers["etag"] for each in found}
        before = found[0].json()["data"]["document"]
        puts = [
            each.put(
                "groups/shared",
                json={"document": f"{before}{i}"},
                headers={"if-match": tag},
            )
            for i, each in enumerate(fleet.admins, 1)
        ]
        answers = await asyncio.gather(*puts) if together else [await each for each in puts]
        assert [200, 412] == sorted(each.status_code for each in answers)
        won = answers[0] if 200 == answers[0].status_code else answers[1]
        lost = answers[1] if won is answers[0] else answers[0]
        assert 'groups["shared"] was changed since: it has version' in lost.json()["message"]
        for each in fleet.admins:
            shown = await each.get("groups/shared")
            assert won.headers["etag"] == shown.headers["etag"]
            assert won.json()["data"]["entry"]["document"] == shown.json()["data"]["document"]


def named(name):
    """Of forty models."""
    return [f"{name}-{i}" for i in range(40)]


def made_of(names):
    """What makes them."""
    return {"entries": [{"kind": "model", "name": each, "document": MODEL} for each in names]}


async def restarted_while_applied(fleet, name, after_s):
    """Restarts the server while a set is applied; checks that it stands wholly or not at all, and
    that everybody serves by what there is soon after. Returns whether it stands.
    """
    names = named(name)

    async def apply():
        with contextlib.suppress(httpx.HTTPError):
            return (await fleet.admins[0].post("apply", json=made_of(names))).status_code
        return None

    async with asked(fleet.nodes[0], "m") as here, asked(fleet.nodes[1], "m") as there:
        sent = asyncio.ensure_future(apply())
        await asyncio.sleep(after_s)
        await asyncio.to_thread(fleet.postgres.restart, 0.3)
        status = await sent
        versions = {await fleet.version(("model", each)) for each in (names[0], names[-1])}
        versions |= {await fleet.version(("model", each)) for each in names[1:-1:13]}
        assert 1 == len(versions), versions
        stands = versions != {None}
        # whoever was told of a success has one; after a failure of the server it may stand
        assert stands or status != 200
        assert 2 * TAKEN_S > await fleet.everywhere(200 if stands else 404, names[-1])
    assert {(200, b"main", ANSWER)} == {*here, *there}
    return stands


async def test_a_server_that_is_restarted_in_the_middle_of_a_change(fleet):
    """The change stands wholly or not, workers serve by what there is, and no request is lost."""
    await restarted_while_applied(fleet, "mid", 0.02)
    made = await fleet.admins[1].put("models/after", json={"document": MODEL})
    assert 200 == made.status_code, made.text
    assert TAKEN_S > await fleet.everywhere(200, "after")


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_server_that_is_restarted_at_many_moments_of_a_change(fleet):
    """From before the first statement to after the commit, by how long such a change takes."""
    began = time.monotonic()
    answer = await fleet.admins[0].post("apply", json=made_of(named("whole")))
    assert 200 == answer.status_code, answer.text
    takes_s = time.monotonic() - began
    found = [
        await restarted_while_applied(fleet, f"moment{i}", takes_s * part)
        for i, part in enumerate((0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 3.0))
    ]
    assert found[-1], (takes_s, found)
