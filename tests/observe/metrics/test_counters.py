"""Requests are counted by what operators choose, never by what callers write."""

import pytest

from trivium.conversation.usage import Usage
from trivium.observe.metrics import counters as module
from trivium.observe.metrics.counters import Numbers, RequestCounters, decode, encode, summed
from trivium.observe.metrics.model import FIRST_BYTE, OTHER, REQUESTS, SECONDS
from trivium.observe.record import Record


class Sink:
    """Keeps what it is given."""

    def __init__(self):
        self.records = []

    def add(self, record):
        self.records.append(record)


def record(**changes):
    """A request that went well."""
    values = {
        "request_id": "r", "at": 0.0, "operation": "chat", "model": "m", "channel": "a",
        "status": 200, "attempts": 1, "first_byte_ms": 12.5, "total_ms": 700.0, "bytes_in": 10,
        "bytes_out": 20, "usage": Usage(fresh=5, output=2),
    }  # fmt: skip
    return Record(**(values | changes))


@pytest.fixture
def tally():
    return RequestCounters(Sink(), {"m", "n"}.__contains__)


def counted(tally):
    """Counters by family and labels."""
    return dict(tally.numbers().counts)


def test_a_request_is_counted_and_its_record_goes_on():
    """Nothing is kept from the database."""
    sink = Sink()
    one = record()
    RequestCounters(sink, bool).add(one)
    assert [one] == sink.records


def test_what_happened_is_told_by_operation_model_channel_and_status(tally):
    """Two of the same are one number."""
    for one in (record(), record(), record(status=429, model="n")):
        tally.add(one)
    found = counted(tally)
    assert 2 == found["trivium_requests_total", "chat", "m", "a", "200"]
    assert 1 == found["trivium_requests_total", "chat", "n", "a", "429"]
    assert 3 == found["trivium_attempts_total", "chat"]
    assert (30, 60) == (found["trivium_bytes_total", "in"], found["trivium_bytes_total", "out"])
    assert 15 == found["trivium_tokens_total", "m", "a", "fresh"] + 5
    assert ("trivium_tokens_total", "m", "a", "reasoning") not in found


def test_a_model_that_is_refused_is_named_where_it_exists(tally):
    """Over a limit, or with all its channels resting."""
    tally.add(record(channel="", status=503, fault="no_route", attempts=0))
    assert 1 == counted(tally)["trivium_requests_total", "chat", "m", "", "503"]


def test_a_model_that_does_not_exist_is_not_named(tally):
    """It may be anything: each would be a number of its own for ever."""
    for name in ("x", "y"):
        tally.add(record(model=name, channel="", status=404, fault="model_unknown", attempts=0))
    found = counted(tally)
    assert 2 == found["trivium_requests_total", "chat", "", "", "404"]
    assert 2 == found["trivium_faults_total", "chat", "", "model_unknown"]
    assert ("trivium_attempts_total", "chat") not in found


@pytest.mark.parametrize(("ms", "bucket"), [(0.2, 0), (5.0, 0), (5.1, 1), (300_000, 13), (1e9, 14)])
def test_a_time_falls_into_the_bucket_that_ends_with_it_or_later(tally, ms, bucket):
    """Bounds belong to the bucket below, and what is beyond all has one as well."""
    tally.add(record(total_ms=ms, first_byte_ms=None))
    ((key, span),) = tally.numbers().spans
    assert (SECONDS.name, "chat") == key
    assert [bucket] == [i for i, count in enumerate(span[:-1]) if count]
    assert ms * 1000 == span[-1]
    assert len(SECONDS.bounds_ms) + 2 == len(span)


def test_the_first_byte_is_timed_by_channel(tally):
    """Where there was one."""
    tally.add(record())
    tally.add(record(first_byte_ms=None))
    spans = dict(tally.numbers().spans)
    assert 1 == sum(spans[FIRST_BYTE.name, "chat", "a"][:-1])
    assert 2 == sum(spans[SECONDS.name, "chat"][:-1])


def test_series_are_bounded(tally, monkeypatch):
    """What is new beyond the limit is counted together; what is known goes on as before."""
    tally.add(record(usage=None))
    known = len(tally.numbers().counts)
    monkeypatch.setattr(module, "SERIES_MAX", known)
    for name in ("b", "c"):
        tally.add(record(channel=name, usage=None))
    tally.add(record(usage=None))
    found = counted(tally)
    assert 2 == found[REQUESTS.name, OTHER, OTHER, OTHER, OTHER]
    assert 2 == found[REQUESTS.name, "chat", "m", "a", "200"]
    assert known + 1 == len(found)


def test_times_are_bounded_alike(tally, monkeypatch):
    """Histograms take more than counters."""
    monkeypatch.setattr(module, "SERIES_MAX", 0)
    tally.add(record())
    assert {(SECONDS.name, OTHER), (FIRST_BYTE.name, OTHER, OTHER)} == dict(
        tally.numbers().spans
    ).keys()


def test_what_others_keep_stands_beside():
    """Counters and gauges that are looked at and not counted."""
    numbers = RequestCounters(Sink(), bool).numbers([(("lost",), 3)], [(("now",), 4)])
    assert ([(("lost",), 3)], [(("now",), 4)], []) == (
        numbers.counts,
        numbers.levels,
        numbers.spans,
    )


def test_several_workers_are_summed():
    """Number by number, bucket by bucket; those that have ended have no present."""
    one = Numbers([(("c",), 1)], [(("s",), [1, 2, 3])], [(("g",), 5)])
    other = Numbers([(("c",), 2), (("d",), 1)], [(("s",), [1, 0, 1])], [(("g",), 1)])
    whole = summed([one, other])
    assert {("c",): 3, ("d",): 1} == dict(whole.counts)
    assert {("s",): [2, 2, 4]} == dict(whole.spans)
    assert {("g",): 6} == dict(whole.levels)
    assert [] == summed([one, other], alive=False).levels
    assert [1, 2, 3] == one.spans[0][1]


def test_numbers_travel_between_processes():
    """As they are."""
    numbers = Numbers([(("c", "a"), 1)], [(("s",), [1, 2])], [(("g",), 5)])
    assert numbers == decode(encode(numbers))
