"""Every recorded stream, broken at every frame in every way, told to callers of every shape.

Whatever the upstream does, the caller hears one answer: whole, or a proper status, or a stream that
ends as its shape ends an error. The upstream is let go, and the bill is one, and of what was said.
"""

import asyncio
import json
import zlib

import pytest

from end_to_end.features.asking import said
from end_to_end.sdk.vendor import FIXTURES
from scripted.stage import SSE, play
from trivium.faults import Fault, Kind
from trivium.pipeline import client_disconnect as leaving_policy
from trivium.wire import sse

SHAPES = ("chat", "responses", "messages", "generate")
"""Those whose recordings are real ones."""
WIRES = {
    shape: [
        path
        for folder in (FIXTURES / shape, FIXTURES / shape / "translate")
        for path in sorted(folder.glob("*.sse"))
    ]
    for shape in SHAPES
}
BODY = {shape: said(shape, ("user", "Hello")) for shape in SHAPES}
HTML = b"<html><body>502 Bad Gateway</body></html>"
ERROR = {
    "chat": b'data: {"error":{"message":"no","type":"server_error","code":null}}\n\n',
    "responses": b'event: error\ndata: {"type":"error","code":"server_error","message":"no",'
    b'"param":null,"sequence_number":9}\n\n',
    "messages": b'event: error\ndata: {"type":"error","error":{"type":"api_error",'
    b'"message":"no"}}\n\n',
    "generate": b'data: {"error":{"code":500,"message":"no","status":"INTERNAL"}}\n\n',
}


def broke(kind, text="x"):
    return ("broke", Fault(kind, text))


def rest_of(pieces, at):
    return [("data", piece) for piece in pieces[at:]]


WAYS = {
    "dies": lambda p, at, _: [broke(Kind.UPSTREAM_BROKE)],
    "stalls": lambda p, at, _: [broke(Kind.UPSTREAM_TIMEOUT)],
    "ends early": lambda p, at, _: [("done",)],
    "is cut within a frame": lambda p, at, _: [
        ("data", p[at][: len(p[at]) // 2]),
        broke(Kind.UPSTREAM_BROKE),
    ],
    "ends within a frame": lambda p, at, _: [("data", p[at][: len(p[at]) // 2]), ("done",)],
    "garbles": lambda p, at, _: [
        ("data", b"data: \x00\xff\xfe{{{\n\n"),
        *rest_of(p, at + 1),
        ("done",),
    ],
    "repeats": lambda p, at, _: [("data", p[at]), *rest_of(p, at), ("done",)],
    "sends HTML": lambda p, at, _: [("data", HTML), ("done",)],
    "sends an error": lambda p, at, shape: [("data", ERROR[shape]), ("done",)],
    "sends an error and stays": lambda p, at, shape: [("data", ERROR[shape])],
}
LAWFUL = frozenset({"dies", "stalls", "is cut within a frame", "sends an error"})
"""Ways after which an answer that had begun cannot be whole, unless its last event had passed."""


def pieces_of(wire):
    """A stream frame by frame, comments and all."""
    out, begun = [], 0
    for cut in (b"\r\n\r\n", b"\n\n", b"\r\r"):
        if cut in wire:
            break
    while (at := wire.find(cut, begun)) >= 0:
        out.append(wire[begun : at + len(cut)])
        begun = at + len(cut)
    return [*out, wire[begun:]] if wire[begun:] else out


def script(pieces):
    return [("head", 200, SSE), *(("data", piece) for piece in pieces)]


def ended(shape, wire):
    """How a stream ended, ``well`` or ``ill``; fails where no client could tell."""
    frames = sse.frames(wire)
    assert frames, "nothing was said"
    data = [f.data for f in frames]
    if shape == "chat":
        found = [json.loads(one) for one in data if one != b"[DONE]"]
        errors = [n for n, one in enumerate(found) if "error" in one]
        # a client that passes over errors must not take half an answer for the whole
        assert errors in ([], [len(found) - 1])
        assert [n for n, one in enumerate(data) if one == b"[DONE]"] == (
            [] if errors else [len(data) - 1]
        )
        return "ill" if errors else "well"
    said_ = [json.loads(one) for one in data]
    kinds = [one.get("type") for one in said_]
    if shape == "responses":
        ends = {"response.completed", "response.incomplete", "response.failed"}
        assert sum(kind in ends for kind in kinds) == 1
        assert kinds[-1] in ends
        # told twice on purpose: some clients know the one event, some the other
        assert "error" not in kinds[:-2]
        return "ill" if kinds[-1] == "response.failed" else "well"
    if shape == "messages":
        assert sum(kind in ("message_stop", "error") for kind in kinds) == 1
        assert kinds[-1] in ("message_stop", "error")
        return "ill" if kinds[-1] == "error" else "well"
    errors = [n for n, one in enumerate(said_) if "error" in one]
    assert errors in ([], [len(said_) - 1])
    return "ill" if errors else "well"


async def verdict(caller, shape, pieces, way, at):
    """Play one row and check it; how it ended."""
    lines = script(pieces[:at]) + WAYS[way](pieces, at, shape)
    done = await play(caller, shape, BODY[caller], lines)
    audience = done.audience
    assert (1, False) == (audience.ends, audience.broken_off)
    assert {"ended", "aborted"} >= {call.state for call in done.upstream.calls}
    ((usage, end),) = done.settled
    record = done.record
    if audience.status != 200:
        assert json.loads(audience.heard)["error"]["message"]
        assert (None, True) == (usage, bool(record.fault)), (usage, record.fault)
        return "refused"
    if way in ("garbles", "repeats") and caller == shape:
        return "untouched"  # of the caller's own shape bytes are relayed as they came
    how = ended(caller, audience.heard)
    assert (how == "ill") == bool(record.fault), (how, record.fault)
    assert usage is not None
    assert usage.input_total > 0
    assert end == record.fault
    if way in LAWFUL and how == "well":
        assert end == ""
    return how


def rows(stride):
    """Every stride-th row of caller, shape, recording, way and frame; evenly spread."""
    for shape in SHAPES:
        for path in WIRES[shape]:
            pieces = pieces_of(path.read_bytes())
            for caller in SHAPES:
                for way in WAYS:
                    for at in range(len(pieces)):
                        label = f"{caller} {shape} {path.name} {way} {at}"
                        if zlib.crc32(label.encode()) % stride == 0:
                            yield label, caller, shape, pieces, way, at


async def run(stride):
    """Play so many rows; how often each way ended how."""
    counts, failures = {}, []
    for label, caller, shape, pieces, way, at in rows(stride):
        try:
            how = await verdict(caller, shape, pieces, way, at)
        except AssertionError as error:
            failures.append(f"{label}: {error}")
            continue
        counts[way, how] = counts.get((way, how), 0) + 1
    assert [] == failures[:20], f"{len(failures)} rows"
    return counts


@pytest.mark.asyncio
async def test_streams_end_legally_however_they_break():
    """A spread of all rows; every way is met by every outcome that it can have."""
    counts = await run(29)
    assert {way for way, _ in counts} == set(WAYS)
    assert {how for _, how in counts} == {"well", "ill", "refused", "untouched"}
    assert sum(counts.values()) > 500


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.timeout(3600)
async def test_every_row():
    """All of them."""
    counts = await run(1)
    assert sum(counts.values()) > 25_000


@pytest.mark.asyncio
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("caller", SHAPES)
async def test_until_an_answer_begins_another_channel_gives_it_whole(caller, shape):
    """Broken before the first meaningful frame, in each way: nobody hears of it."""
    path = FIXTURES / shape / ("text-usage.sse" if shape == "chat" else "text.sse")
    pieces = pieces_of(path.read_bytes())
    good = [*script(pieces), ("done",)]
    whole = (await play(caller, shape, BODY[caller], good)).audience.heard
    for way in ("dies", "stalls", "ends early", "garbles", "sends HTML", "sends an error"):
        if way == "garbles" and caller == shape:
            continue  # it passes, and is the vendor's own
        bad = script([]) + WAYS[way](pieces[:1], 0, shape)
        done = await play(caller, shape, BODY[caller], bad, good, spare=shape)
        assert (200, 2) == (done.audience.status, len(done.upstream.calls)), way
        assert len(whole) == len(done.audience.heard), way
        assert ("", 2) == (done.record.fault, done.record.attempts)
        assert 1 == len(done.settled)


async def leaving(caller, shape, pieces, wire, size):
    """The caller leaves when the upstream has sent so many bytes."""
    sent = [("head", 200, SSE), ("data", wire[:size])] if size else [("head", 200, SSE)]
    done = await play(caller, shape, BODY[caller], sent, leave_at=len(sent) + 8)
    audience, (call,) = done.audience, done.upstream.calls
    ((usage, end),) = done.settled
    assert "aborted" == call.state, size
    assert ("caller_left", end) == (done.record.fault, "caller_left")
    assert 0 == audience.ends
    assert usage is not None
    assert usage.input_total > 0
    assert (499 if not audience.heard else 200) == done.record.status
    return bool(audience.heard)


def leavings(stride):
    for caller in SHAPES:
        for shape in SHAPES:
            path = FIXTURES / shape / ("text-usage.sse" if shape == "chat" else "text.sse")
            wire = path.read_bytes()
            # beyond the last event the answer is whole, and there is nobody to leave it
            last = len(wire) - len(pieces_of(wire)[-1])
            for size in range(0, last, stride):
                yield caller, shape, pieces_of(wire), wire, size


@pytest.fixture
def no_count_to_come(monkeypatch):
    """Nobody waits for a count that the script does not send."""
    monkeypatch.setattr(leaving_policy, "COUNT_S", 0.0)


@pytest.mark.asyncio
@pytest.mark.usefixtures("no_count_to_come")
async def test_a_caller_may_leave_at_any_byte():
    """The upstream is hung up on at once; what was delivered is charged."""
    heard = [await leaving(*row) for row in leavings(97)]
    assert {True, False} == set(heard)


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("no_count_to_come")
async def test_a_caller_may_leave_at_every_byte():
    """Of one stream a pair of shapes."""
    for row in leavings(1):
        await leaving(*row)
        await asyncio.sleep(0)
