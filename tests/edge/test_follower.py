"""A caller who reads a kept answer gets it as if it were its own, and by its own pace."""

import asyncio
from types import SimpleNamespace

import msgspec
import pytest

from edge.wires import Sheet, asked
from trivium.edge.follower import Follower
from trivium.faults import Fault, Kind
from trivium.idempotency.kept_answer import LAG_BYTES, KeptAnswer, cut_off
from trivium.idempotency.model import AnswerHead, Place

WHOLE = AnswerHead(200, b"application/json", [(b"a", b"1")], length=4)
STREAM = AnswerHead(200, b"text/event-stream", [], length=None)


def kept(head=None):
    answer = KeptAnswer(Place(3, "d"), "b")
    answer.request_id = "req_first"
    if head is not None:
        answer.begin(head)
    return answer


async def following(answer, *, first=False, **changes):
    """A caller that reads it: its sheet, its exchange, its task."""
    sheet = Sheet()
    exchange = asked(sheet, **changes)
    task = asyncio.ensure_future(Follower(exchange, answer, first=first).stay())
    exchange.task = task
    await asyncio.sleep(0)
    return sheet, exchange, task


@pytest.mark.asyncio
async def test_a_whole_answer_comes_with_its_size_and_the_first_ones_id():
    """And says that it is a replay."""
    answer = kept(WHOLE)
    sheet, _, task = await following(answer)
    assert b"" == sheet.sent
    answer.add(b"bo")
    assert sheet.sent.endswith(b"\r\n\r\nbo")
    answer.add(b"dy")
    answer.end()
    await task
    head, _, body = sheet.sent.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert b"body" == body
    for line in (
        b"x-request-id: req_first", b"content-length: 4", b"a: 1", b"trivium-idempotent-replay: true",
    ):  # fmt: skip
        assert line in lines
    assert answer.is_deserted


@pytest.mark.asyncio
async def test_a_stream_comes_piece_by_piece():
    """To who came first and to who came later the same, each in the frames of its own HTTP."""
    answer = kept(STREAM)
    answer.is_own = True
    first, _, one = await following(answer, first=True)
    assert b"" == first.sent
    answer.add(b"one")
    assert first.sent.endswith(b"3\r\none\r\n")
    old, _, two = await following(answer, http10=True)
    answer.add(b"two")
    answer.end()
    await asyncio.gather(one, two)
    assert first.sent.endswith(b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
    assert old.sent.endswith(b"\r\n\r\nonetwo")
    assert [False, True] == [b"idempotent-replay" in sheet.sent for sheet in (first, old)]


@pytest.mark.asyncio
async def test_a_large_answer_of_a_known_size_does_not_wait_for_its_own_reader():
    """That is not kept: its source waits for the reader, and so must not be waited for."""
    size = 4 * LAG_BYTES
    answer = kept(msgspec.structs.replace(WHOLE, length=size))
    answer.source, waits = SimpleNamespace(leave=bool), []
    answer.source.pause = lambda: waits.append("pause")
    sheet, _, task = await following(answer)
    answer.drop()
    for _ in range(16):
        answer.add(b"x" * (size // 16))
    assert ([], []) == (waits, answer.pieces)
    answer.end()
    await task
    assert size == len(sheet.sent.partition(b"\r\n\r\n")[2])


@pytest.mark.asyncio
async def test_a_whole_answer_without_a_byte_is_one():
    """Its size is told."""
    answer = kept(msgspec.structs.replace(WHOLE, length=0))
    sheet, _, task = await following(answer)
    answer.end()
    await task
    assert b"content-length: 0\r\n" in sheet.sent


@pytest.mark.asyncio
async def test_a_replay_does_not_say_what_somebody_had_left_then():
    """Only the first caller's own answer does: a day later it is no longer so."""
    told = [(b"x-ratelimit-remaining-tokens", b"7"), (b"trivium-budget", b"1"), (b"b", b"2")]
    found = []
    for is_first in (True, False):
        answer = kept(msgspec.structs.replace(STREAM, headers=told))
        answer.is_own = True
        sheet, _, task = await following(answer, first=is_first)
        answer.add(b"one")
        answer.end()
        await task
        found.append([name + b": " in sheet.sent for name, _ in told])
    assert [[True, True, True], [False, False, True]] == found


@pytest.mark.asyncio
async def test_a_slow_caller_waits_at_its_own_pace():
    """Nothing is written beyond its buffer, and nothing is left out."""
    answer = kept(STREAM)
    sheet, exchange, task = await following(answer)
    answer.add(b"one")
    exchange.congested = True
    size = len(sheet.sent)
    answer.add(b"two")
    answer.end()
    assert size == len(sheet.sent)
    exchange.congested = False
    exchange.flow.resume()
    await task
    assert sheet.sent.endswith(b"3\r\ntwo\r\n0\r\n\r\n")


@pytest.mark.asyncio
async def test_a_cut_is_a_cut_for_everybody():
    """Whole or streamed: it must not look complete."""
    for head in (WHOLE, STREAM):
        answer = kept(head)
        sheet, _, task = await following(answer)
        answer.add(b"one")
        answer.end(cut=True)
        await task
        assert (True, None) == (sheet.is_cut, sheet.closed)


@pytest.mark.asyncio
async def test_without_an_answer_each_is_told_why():
    """In its own words; who has some of it is cut off."""
    answer = kept()
    sheet, _, task = await following(answer)
    answer.fail(cut_off())
    await task
    assert sheet.sent.startswith(b"HTTP/1.1 503 ")
    assert (
        "Idempotency-Key"
        in msgspec.json.decode(sheet.sent.partition(b"\r\n\r\n")[2])["error"]["message"]
    )
    answer = kept(STREAM)
    sheet, _, task = await following(answer)
    answer.add(b"one")
    answer.fail(cut_off())
    await task
    assert sheet.is_cut


@pytest.mark.asyncio
async def test_who_leaves_is_missed_by_nobody():
    """The others go on."""
    answer = kept(STREAM)
    _, exchange, task = await following(answer)
    sheet, _, stays = await following(answer)
    exchange.leave()
    await task
    answer.add(b"one")
    answer.end()
    await stays
    assert sheet.sent.endswith(b"3\r\none\r\n0\r\n\r\n")


@pytest.mark.asyncio
async def test_the_end_of_the_worker():
    """Where the request runs it says how it ended; what comes from elsewhere is refused or cut."""
    stopping = Fault(Kind.STOPPING, "Later.")

    class Source:
        def interrupt(self, fault):
            answer.add(fault.kind.value.encode())
            answer.end(broken=True)

    answer = kept(STREAM)
    answer.source, answer.is_own = Source(), True
    sheet, exchange, task = await following(answer)
    exchange.interrupt(stopping)
    await task
    assert sheet.sent.endswith(b"8\r\nstopping\r\n0\r\n\r\n")
    sheet, exchange, task = await following(kept())
    exchange.interrupt(stopping)
    await task
    assert sheet.sent.startswith(b"HTTP/1.1 503 ")
    answer = kept(STREAM)
    sheet, exchange, task = await following(answer)
    answer.add(b"one")
    exchange.interrupt(stopping)
    await task
    assert sheet.is_cut
