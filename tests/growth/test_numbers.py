"""No number that a caller or a vendor writes decides how much is made.

Indexes, counts and offsets are read from outside: a list as long as the highest of them, or padding
as wide, would be memory for a few bytes. Each number of each body is made large, one at a time.
"""

import re
import sys
import time
import tracemalloc

import pytest

from growth import asked, rows, streams, told
from trivium.conversation.fit import fitted
from trivium.conversation.losses import Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.target import target
from trivium.faults import Fault
from trivium.wire.codecs import CODECS

LARGE = (b"5000000", b"%d" % 2**62)
OTHERS = (b"-5000000", b"1e9", b"%d" % 10**30)
ROOM_BYTES = 16 << 20
SECONDS = 1.0
_NUMBER = re.compile(rb"(?<=[:\[, ])-?\d+(?=[,}\] ])")


@pytest.fixture(
    autouse=True,
    params=[LARGE, pytest.param(OTHERS, marks=pytest.mark.slow)],
    ids=["few", "others"],
)
def _numbers(request, monkeypatch):
    """What numbers become: those that could be a length in every run, all others in `make soak`."""
    monkeypatch.setattr(sys.modules[__name__], "LARGE", request.param)


def enlarged(data):
    """The body with each of its numbers made large."""
    for hit in _NUMBER.finditer(data):
        for large in LARGE:
            yield data[: hit.start()] + large + data[hit.end() :]


def held(work, data):
    """Do it: a fault is an answer, and little is made of little."""
    tracemalloc.start()
    began = time.thread_time()
    try:
        work(data)
    except Fault:
        pass
    finally:
        took = time.thread_time() - began
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < ROOM_BYTES, data
    assert took < SECONDS, data


def every(bodies):
    """All of these, each body once."""
    return dict.fromkeys(one for body in bodies for one in enlarged(body))


@pytest.mark.parametrize("words", [shape.value for shape in rows.CALLERS])
def test_of_a_request(words):
    """Read, fitted and written for each shape."""

    def work(data):
        spoken = rows.conversation(words, data)
        for codec in CODECS.values():
            goal = target(StateOrigin(codec.shape.value, "p", "main"), "m")
            report = Report(goal.title)
            try:
                codec.write_request(fitted(spoken, goal, report), goal, report)
            except Fault:
                continue

    for data in every(asked.body(words, kind, 2) for kind in asked.kinds(words)):
        held(work, data)


@pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.shape.value)
def test_of_an_answer(codec):
    """Read, and written for each caller."""
    words = codec.shape.value

    def work(data):
        answer = codec.read_answer(data, rows.reading_context(codec))
        for caller in rows.CALLERS.values():
            caller.write_answer(answer, rows.writing_context(caller))

    for data in every(told.body(words, kind, 2) for kind in told.whole_kinds(words)):
        held(work, data)


@pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.shape.value)
def test_of_a_stream(codec):
    """Read, and written for each caller."""
    words = codec.shape.value

    def work(data):
        reader = codec.read_stream(rows.reading_context(codec))
        events = [*reader.feed(data), *reader.end(None)]
        for caller in rows.CALLERS.values():
            writer = caller.write_stream(rows.writing_context(caller))
            writer.feed(events)
            writer.end(None)

    for data in every(streams.wire(words, kind, 2) for kind in streams.kinds(words)):
        held(work, data)


@pytest.mark.parametrize("operation", rows.PASSAGES, ids=lambda operation: operation.value)
def test_of_what_passes(operation):
    """A whole answer and a stream, as they are looked at."""
    passage, words = rows.PASSAGES[operation], told.words(operation)
    for data in every(told.body(words, kind, 2) for kind in told.whole_kinds(words)):
        held(passage.answer, data)
    if passage.watch is None:
        return

    def work(data):
        watch = passage.watch(rows.RequestFacts(model="m", stream=True))
        watch.feed(data)
        watch.end(None, "req_7")

    for data in every(streams.wire(words, kind, 2) for kind in streams.kinds(words)):
        held(work, data)
