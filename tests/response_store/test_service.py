"""What is remembered between two requests, found by its owner alone."""

import os
import threading

import pytest
import pytest_asyncio

from response_store.test_writer import note
from trivium.faults import Fault, Kind
from trivium.response_store import service
from trivium.response_store.service import ResponseStore
from trivium.secret import Keyring
from trivium.settings.model import ResponsesSettings
from trivium.storage.errors import StorageDown
from trivium.storage.vault import Vault

DAY_S = 86_400


@pytest_asyncio.fixture
async def recall(database, clock):
    return ResponseStore(database, Vault(Keyring(b"k" * 32)), ResponsesSettings(), clock=clock)


def fresh(clock, **more):
    one = note(**more)
    one.created_at = int(clock.now())
    return one


@pytest.mark.asyncio
async def test_a_response_is_found_in_the_queue_and_in_the_table(recall, clock):
    """The same object from both, up to the ids of items, which the table has apart."""
    recall.keep(fresh(clock))
    early = await recall.find(3, "resp_1")
    assert await recall.writer.flush()
    late = await recall.find(3, "resp_1")
    assert (early.response, early.input, early.status) == (late.response, late.input, late.status)
    assert late.response == (await recall.holder(3, "msg_1")).response


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["resp_2", "", "resp\x00", "\ud800", "a" * 1000])
async def test_what_there_is_not_is_none(recall, name):
    """Whatever the name."""
    assert None is await recall.find(3, name)
    assert None is await recall.holder(3, name)


@pytest.mark.asyncio
@pytest.mark.parametrize("flushed", [True, False])
async def test_a_forgotten_response_is_as_unknown_as_another_users(recall, clock, flushed):
    """Once; the second time there is nothing to forget."""
    recall.keep(fresh(clock))
    if flushed:
        await recall.writer.flush()
    assert None is await recall.find(4, "resp_1")
    assert not await recall.forget(4, "resp_1")
    assert await recall.forget(3, "resp_1")
    assert not await recall.forget(3, "resp_1")
    assert None is await recall.find(3, "resp_1")
    assert None is await recall.holder(3, "msg_1")


@pytest.mark.asyncio
async def test_a_response_expires(database, clock):
    """After its days, swept or not."""
    recall = ResponseStore(
        database, Vault(Keyring(b"k" * 32)), ResponsesSettings(retention_days=1), clock=clock
    )
    old = note()
    old.created_at = int(clock.now()) - DAY_S
    recall.keep(old)
    await recall.writer.flush()
    assert None is await recall.find(3, "resp_1")


@pytest.mark.asyncio
async def test_another_key_reads_nothing(database, recall, clock):
    """A lost root key costs what was kept, not the gateway."""
    recall.keep(fresh(clock))
    await recall.writer.flush()
    other = ResponseStore(database, Vault(Keyring(b"l" * 32)), ResponsesSettings(), clock=clock)
    assert None is await other.find(3, "resp_1")


@pytest.mark.asyncio
async def test_another_workers_answer_may_be_on_its_way(database, clock):
    """A look-up that finds nothing waits once, where there are other workers."""
    first = ResponseStore(database, Vault(Keyring(b"k" * 32)), ResponsesSettings(), clock=clock)

    async def sleep(_):
        await first.writer.flush()

    second = ResponseStore(
        database,
        Vault(Keyring(b"k" * 32)),
        ResponsesSettings(),
        alone=False,
        clock=clock,
        sleep=sleep,
    )
    first.keep(fresh(clock))
    assert "resp_1" == (await second.find(3, "resp_1")).id


@pytest.mark.asyncio
async def test_a_database_that_is_away_is_no_unknown_id(clock):
    """A client that is told 404 throws its conversation away."""

    class Away:
        def read(self, limit_s):
            raise StorageDown("away")

        write = read

    recall = ResponseStore(Away(), Vault(Keyring(b"k" * 32)), ResponsesSettings(), clock=clock)
    for act in (recall.find, recall.holder, recall.forget):
        with pytest.raises(Fault) as caught:
            await act(3, "resp_1")
        assert Kind.UPSTREAM_BUSY is caught.value.kind


@pytest.mark.asyncio
@pytest.mark.parametrize("flushed", [True, False])
async def test_items_that_upstreams_keep_are_found_with_their_channel(recall, clock, flushed):
    """Only those, only the owner's, written or not."""
    recall.keep(fresh(clock, name="resp_1", given=None, item="rs_1"))
    recall.keep(fresh(clock, name="resp_2", item="rs_2"))
    if flushed:
        await recall.writer.flush()
    wanted = ["rs_1", "rs_2", "rs_3", "rs\x00"]
    assert {"rs_1": "c"} == await recall.homes(3, wanted)
    assert {} == await recall.homes(4, wanted)


@pytest.mark.asyncio
@pytest.mark.parametrize(("size", "beside"), [(10, False), (100_000, True)])
async def test_a_large_answer_is_opened_beside_the_event_loop(
    recall, clock, monkeypatch, size, beside
):
    """Other callers' streams go on meanwhile."""
    opened = []
    real = service.rows.kept_of
    monkeypatch.setattr(
        service.rows,
        "kept_of",
        lambda *row: opened.append(threading.current_thread()) or real(*row),
    )
    recall.keep(fresh(clock, given=b'"%b"' % os.urandom(size).hex().encode()))
    await recall.writer.flush()
    assert await recall.find(3, "resp_1") is not None
    assert [beside] == [thread is not threading.main_thread() for thread in opened]
