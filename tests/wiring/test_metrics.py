"""Numbers for Prometheus, from requests that were made."""

import asyncio
import time

import pytest

from end_to_end.running import ANSWER, settings
from scripted_upstream import Double, Send, sized
from wiring.serving import serving

JSON = b"Content-Type: application/json\r\n"
OK = [Send(sized(ANSWER, headers=JSON))]
BROKEN = [Send(sized(b"{}", status=b"500 Internal Server Error", headers=JSON))]


def numbers(body):
    """Values by name and labels."""
    lines = [line for line in body.decode().splitlines() if not line.startswith("#")]
    return {name: value for name, _, value in (line.rpartition(" ") for line in lines)}


@pytest.mark.asyncio
async def test_requests_are_counted_where_somebody_wants_it(tmp_path):
    """What came of them, what they took, what waits and what rests."""
    async with Double([OK, OK, *[BROKEN] * 5]) as vendor:
        wanted = '[metrics]\nenabled = true\ntoken = "s3cret"\n[routing]\nfailures = 5\n'
        async with serving(tmp_path, settings(vendor, rest=wanted)) as gateway:
            got = [(await gateway.chat())[0] for _ in range(7)]
            assert [200, 200, 502, 502, 502, 502, 502] == got
            body = b'{"model":"typed","messages":[{"role":"user","content":"Hi"}]}'
            first = "POST /v1/chat/completions HTTP/1.1"
            assert 404 == (await gateway.send(first, body, number=0, tls=None, host="127.0.0.1"))[0]
            assert 401 == (await gateway.get("/metrics"))[0]
            await asyncio.sleep(0.3)  # until the loop's lateness has been looked at
            gateway.key = "s3cret"
            status, _, body = await gateway.get("/metrics")
            assert 200 == status
            found = numbers(body)
            of = 'operation="chat",model="m",channel="main",status='
            assert "2" == found[f'trivium_requests_total{{{of}"200"}}']
            assert "5" == found[f'trivium_requests_total{{{of}"502"}}']
            fault = 'operation="chat",channel="main",fault="upstream_broke"'
            assert "5" == found[f"trivium_faults_total{{{fault}}}"]
            assert "7" == found['trivium_attempts_total{operation="chat"}']
            assert "8" == found['trivium_request_seconds_count{operation="chat"}']
            typed = 'trivium_requests_total{operation="chat",model="",channel="",status="404"}'
            assert "1" == found[typed]
            assert ("1", "0") == (found["trivium_workers"], found["trivium_clock_doubted"])
            assert "0" == found["trivium_records_lost_total"]
            ways = {way: found[f'trivium_upstream_calls_total{{connection="{way}"}}']
                    for way in ("made", "reused", "retried", "refused")}  # fmt: skip
            assert {"made": "1", "reused": "6", "retried": "0", "refused": "0"} == ways
            states = [found[f'trivium_upstream_connections{{state="{state}"}}']
                      for state in ("idle", "busy")]  # fmt: skip
            assert (["1", "0"], "0") == (states, found["trivium_upstream_calls_waiting"])
            assert int(found["trivium_connections"]) >= 1
            rests = 'channel="main",model="m",fault="upstream_broke"'
            assert "1" == found[f"trivium_channel_resting{{{rests}}}"]
            assert 1 == sum(name.startswith("trivium_build_info{version=") for name in found)
            parts = ("accepting", "journal", "ledger", "database", "keys")
            assert ["0"] * 5 == [found[f'trivium_part_missing{{part="{one}"}}'] for one in parts]
            assert 0 < float(found["process_cpu_seconds_total"]) < 1000
            assert 2**20 < int(found["process_resident_memory_bytes"]) < 2**36
            assert 3 < int(found["process_open_fds"]) < int(found["process_max_fds"])
            assert abs(float(found["process_start_time_seconds"]) - time.time()) < 600
            assert "trivium_loop_lag_seconds_count" in body.decode()


@pytest.mark.asyncio
async def test_a_loop_that_was_held_up_shows_in_its_lag(monkeypatch):
    """In the bucket of how long it was, once for each look; a loop that is free is not late by it."""
    from trivium.observe.metrics.counters import RequestCounters
    from trivium.observe.metrics.model import LAG
    from trivium.wiring import metrics as module

    monkeypatch.setattr(module, "LAG_S", 0.02)
    metrics = module.Metrics.__new__(module.Metrics)
    metrics._tally = RequestCounters(None, lambda _: False)
    watching = asyncio.create_task(metrics.watch())
    await asyncio.sleep(0.1)
    time.sleep(0.3)  # noqa: ASYNC251 - that is the case
    await asyncio.sleep(0.1)
    watching.cancel()
    [(key, span)] = metrics._tally.numbers().spans
    *buckets, total_us = span
    assert ((LAG.name,), len(LAG.bounds_ms) + 1) == (key, len(buckets))
    # held up for 0.3 s and looked at every 0.02: late by 0.28 at least
    late = sum(buckets[LAG.bounds_ms.index(250) + 1 :])
    assert (True, True) == (late >= 1, total_us >= 280_000)
    assert sum(buckets) >= 3


@pytest.mark.asyncio
async def test_nothing_is_counted_where_nobody_wants_it(tmp_path):
    """The recorder takes the records itself."""
    async with Double([OK]) as vendor, serving(tmp_path, settings(vendor)) as gateway:
        assert 404 == (await gateway.get("/metrics"))[0]


@pytest.mark.asyncio
async def test_identities_are_told_by_channel(tmp_path, monkeypatch):
    """The least life and all failures of a channel's accounts; one that was let go has no life."""
    from trivium.upstream.pool import PooledClient
    from trivium.upstream.vendor_identity import VendorIdentity

    def one(channel, life_s, failures=0, *, is_missed=False):
        why = "no role" if is_missed else ""
        return VendorIdentity(
            channel=channel, source="a test", life_s=life_s, failures=failures, why=why,
            is_missed=is_missed,
        )  # fmt: skip

    known = [
        one("a", 90.7, 1), one("a", 30.2, 2), one("b", 0.0, 3, is_missed=True),
        one("c", None), one("d", 0.0),
    ]  # fmt: skip
    monkeypatch.setattr(PooledClient, "identities", lambda _: known)
    async with Double([OK]) as vendor:
        wanted = '[metrics]\nenabled = true\ntoken = "s3cret"\n'
        async with serving(tmp_path, settings(vendor, rest=wanted)) as gateway:
            gateway.key = "s3cret"
            found = numbers((await gateway.get("/metrics"))[2])
    names = ("life_seconds", "failures_total")
    assert {
        'trivium_identity_life_seconds{channel="a"}': "30.2",
        'trivium_identity_life_seconds{channel="b"}': "0",
        'trivium_identity_failures_total{channel="a"}': "3",
        'trivium_identity_failures_total{channel="b"}': "3",
        'trivium_identity_failures_total{channel="c"}': "0",
        'trivium_identity_failures_total{channel="d"}': "0",
        'trivium_part_missing{part="identities"}': "1",
    } == {
        name: value
        for name, value in found.items()
        if name.startswith(tuple(f"trivium_identity_{one}" for one in names))
        or "identities" in name
    }


def test_what_runs_is_the_sum_over_the_workers():
    """Of this one as it is, of the others as they wrote it."""
    from trivium.observe.metrics.counters import Numbers
    from trivium.observe.metrics.model import RUNNING, WORKERS
    from trivium.observe.metrics.shared_memory import SharedNumbers
    from trivium.wiring.metrics import Metrics

    places = SharedNumbers(2)
    places.admit(1)
    places.write(1, Numbers(levels=[((RUNNING.name,), 5), ((WORKERS.name,), 1)]))
    metrics = Metrics.__new__(Metrics)
    metrics._listeners, metrics._places = [], places
    assert (5, 2) == metrics.running()
    metrics._places = None
    assert (0, 1) == metrics.running()


def test_prices_that_wait_are_told_where_somebody_looks_at_night():
    """Once they are known; nothing where nobody looks."""
    from types import SimpleNamespace

    from trivium.wiring.metrics import Metrics

    metrics = Metrics.__new__(Metrics)
    metrics._night = None
    assert ([], []) == metrics._prices()
    night = SimpleNamespace(waiting=None, found={})
    metrics.tell_prices(night)
    assert ([], []) == metrics._prices()
    night.waiting, night.found = 0, {"vendor": 2}
    assert (
        [(("trivium_price_changes_total", "vendor"), 2)],
        [(("trivium_price_proposals_waiting",), 0)],
    ) == metrics._prices()
