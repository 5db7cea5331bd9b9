"""A gateway that is killed under load loses no entry and doubles none."""

import asyncio
import random
import shutil
from collections import Counter

import pytest

import warm
from edge.wires import wire
from end_to_end.billing import APART, FIRST, Load, Vendor
from end_to_end.running import TRIVIUM, listening, settings, start
from trivium.clock import SystemClock
from trivium.identity.service import Identity
from trivium.ledger import store
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.storage.database import Database

CREDIT = 10**15
PRICED = 'price = { input = "0.001", output = "0.001" }'


async def prepared(folder, url, vendor, rest=""):
    """Settings with a priced model, a user with a balance and a key; the key and the user's id."""
    text = settings(vendor, rest=f'[storage]\nurl = "{url}"\n[ledger]\nflush_s = 0.1\n{rest}')
    (folder / "trivium.toml").write_text(text.replace("free = true", PRICED))
    db = Database(url)
    people = Identity(db, SystemClock())
    user = await people.create_user("ada", "ada@example.org")
    _, key = await people.create_key("ada")
    await Entries(db, SystemClock()).book(user.id, EntryKind.TOP_UP, CREDIT)
    await db.close()
    return key, user.id


def number_of(entry):
    """The number of the request that an entry books."""
    return -entry.amount_nanos // APART * APART


async def proven(folder, url, user_id, vendor, whole, ids=None):
    """Compare the vendor's count, the entries and the balance. ``ids``: numbers by request id."""
    db = Database(url)
    async with db.read() as conn:
        entries = [e async for _, e in store.entries_after(conn, 0, 10**7, user_id, 0, 10**12)]
        assert [] == await store.misleased_accounts(conn)
        assert [] == list(await conn.execute(store.leases.select()))
    balance = await Entries(db, SystemClock()).balance(user_id)
    await db.close()
    used = [entry for entry in entries if entry.kind is EntryKind.USAGE]
    assert len(used) == len({entry.request_id for entry in used})
    assert balance == CREDIT + sum(entry.amount_nanos for entry in used)
    numbered = [entry for entry in used if -entry.amount_nanos >= FIRST]
    assert [] == [
        e for e in numbered if e.amount_nanos % APART and '"estimated":true' not in e.detail
    ]
    exact = Counter(number_of(entry) for entry in numbered)
    interrupted = sum(entry.note == "interrupted" for entry in used)
    estimated = len(used) - sum(exact.values()) - interrupted
    assert set() == whole - exact.keys(), "answered and not booked"
    again = [entry for entry in numbered if exact[number_of(entry)] > 1]
    assert [] == [(e.request_id, e.amount_nanos, e.note, e.detail) for e in again], "booked twice"
    mixed = [
        (e.request_id, e.detail)
        for e in numbered
        if number_of(e) != (ids or {}).get(e.request_id, number_of(e))
    ]
    assert [] == mixed, "another's usage was booked"
    assert set() == exact.keys() - vendor.asked.keys(), "booked and never served"
    served = sum(kind != "refused" for kind in vendor.asked.values())
    settled = sum(exact.values()) + estimated
    # whatever the vendor served has an entry; those of requests that a kill fell into say so
    assert settled <= served <= settled + interrupted
    done = await asyncio.to_thread(
        warm.run, [TRIVIUM, "ledger", "verify"], cwd=folder, capture_output=True, text=True
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return len(used), interrupted


async def killed(folder, url, kills, seed):
    """Kill the gateway so many times at random moments under load, then let one end well."""
    # the settings ask for a host; the one in the query, a folder of sockets, wins
    url = url.replace(":@/", "@localhost/")
    moments, load = random.Random(seed), Load(seed)
    async with Vendor() as vendor:
        key, user_id = await prepared(folder, url, vendor)
        for number in range(kills + 1):
            gateway = start(folder, key)
            try:
                await listening(gateway)
                task = asyncio.ensure_future(load.run(gateway, 30))
                before = len(vendor.asked)
                async with asyncio.timeout(30):
                    while len(vendor.asked) < before + 10:
                        await asyncio.sleep(0.01)
                await asyncio.sleep(moments.uniform(0.0, 0.9))
                if number < kills:
                    gateway.process.kill()
                else:
                    task.cancel()
                    gateway.process.terminate()
                await gateway.ended()
                await asyncio.gather(task, return_exceptions=True)
            finally:
                gateway.process.kill()
                gateway.process.wait()
        entries, interrupted = await proven(folder, url, user_id, vendor, load.whole, load.ids)
    assert [] == load.mixed, "a caller was sent another's answer"
    assert [] == list((folder / "journal").glob("*.journal"))
    assert entries > 5 * kills
    return entries, interrupted


@pytest.mark.timeout(300)
@pytest.mark.asyncio
async def test_kills_lose_no_entry_and_double_none(tmp_path, database_url):
    """On each engine: JSON and streams, callers that leave, upstreams that break or refuse."""
    await killed(tmp_path, database_url, 2, 20261121)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.asyncio
async def test_ten_kills_lose_no_entry_and_double_none(tmp_path, database_url):
    """The same for longer, in other moments."""
    await killed(tmp_path, database_url, 10, 20261124)


PHASES = {
    # what is asked, when it is killed, and what is booked at the next start
    "waiting": ("slow", "asked", "interrupted"),
    "streaming": ("slow", "begun", "interrupted"),
    "answered": ("json", "whole", "exact"),
    "refused": ("refused", "whole", None),
}


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.asyncio
async def test_a_kill_in_each_phase_books_what_is_due(tmp_path, sqlite_template, phase):
    """While the vendor is waited for, in mid-stream, and after the last byte but before any turn
    with the database; and again while the next start replays.
    """
    kind, moment, due = PHASES[phase]
    url = f"sqlite:///{tmp_path / 'trivium.db'}"
    shutil.copy(sqlite_template, tmp_path / "trivium.db")
    async with Vendor() as vendor:
        key, user_id = await prepared(tmp_path, url, vendor, rest="lease_s = 900.0")
        text = (tmp_path / "trivium.toml").read_text()
        (tmp_path / "trivium.toml").write_text(text.replace("flush_s = 0.1", "flush_s = 60.0"))
        gateway = start(tmp_path, key)
        try:
            await listening(gateway)
            async with wire(gateway.port) as line:
                said = [{"role": "user", "content": f"number {FIRST} {kind} "}]
                stream = kind == "slow"
                await line.send(gateway.chat(messages=said, stream=stream, max_tokens=2 * FIRST))
                if moment == "whole":
                    await line.answer()
                elif moment == "begun":
                    await line.answer(head_only=True)
                else:
                    while FIRST not in vendor.asked:
                        await asyncio.sleep(0.001)
                gateway.process.kill()
                gateway.process.wait()
            for delay in (0.0, 0.3, 0.45, 0.6, 0.75):
                heir = start(tmp_path, key)
                await asyncio.sleep(delay)
                heir.process.kill()
                heir.process.wait()
            gateway = start(tmp_path, key)
            await listening(gateway)
            # answered once the start is over, which a signal would call off
            assert 401 == (await gateway.send(gateway.get("/v1/models")))[0]
            gateway.process.terminate()
            await gateway.ended()
        finally:
            gateway.process.kill()
            gateway.process.wait()
        served = set() if due != "exact" else {FIRST}
        vendor.asked = {} if due is None else vendor.asked
        entries, interrupted = await proven(tmp_path, url, user_id, vendor, served)
    assert (0 if due is None else 1, int(due == "interrupted")) == (entries, interrupted)


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_hundred_kills_lose_no_entry_and_double_none(tmp_path, database_url):
    """The same, for longer."""
    await killed(tmp_path, database_url, 100, 4)
