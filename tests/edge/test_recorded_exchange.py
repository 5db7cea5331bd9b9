"""The request behind a key: what it is answered becomes a kept answer, without any frames."""

import asyncio

import pytest

from edge.wires import asked
from trivium.edge.recorded_exchange import NOT_KEPT, RecordedExchange
from trivium.faults import Fault, Kind
from trivium.idempotency.kept_answer import KeptAnswer
from trivium.idempotency.model import AnswerHead, Place

NOTED = []
"""How requests began, of the test that has emptied it."""


def recorded(bytes_max=1024, **changes):
    """A request, its answer, and how often that changed."""
    exchange = asked(**changes)
    exchange.body = b"{}"
    told = []
    made = RecordedExchange(exchange, bytes_max, told.append, NOTED.append)
    answer = KeptAnswer(Place(3, "d"), "b")
    answer.request_id = "req_first"
    made.answers(answer)
    assert (b"", b"{}") == (exchange.body, made.body)
    return made, answer, told


@pytest.mark.asyncio
async def test_a_whole_answer_is_kept_with_its_own_headers():
    """Not with those of a connection, which each caller gets of its own."""
    exchange, answer, told = recorded()
    exchange.extra.append((b"trivium-channel", b"main"))
    exchange.lines += b"trivium-cost: 0.1\r\n"
    exchange.answer(200, b"body")
    headers = [(b"trivium-channel", b"main"), (b"trivium-cost", b"0.1")]
    assert AnswerHead(200, b"application/json", headers, length=4) == answer.head
    assert ([b"body"], True, True) == (answer.pieces, answer.is_good, told == [answer] * len(told))
    assert "req_first" == exchange.request_id


@pytest.mark.asyncio
async def test_a_stream_is_kept_as_it_was_written():
    """Whatever version of HTTP its first caller spoke."""
    exchange, answer, _ = recorded()
    exchange.begin(200, b"text/event-stream")
    exchange.write(b"one")
    exchange.write(b"x" * 70_000)
    exchange.finish(b"end")
    assert answer.head.length is None
    assert b"one" + b"x" * 70_000 + b"end" == b"".join(answer.pieces)
    assert answer.is_good


@pytest.mark.asyncio
async def test_a_large_answer_says_that_it_is_not_kept():
    """In its head; of an error nobody expects it."""
    exchange, answer, _ = recorded(bytes_max=3)
    exchange.answer(200, b"body")
    assert [NOT_KEPT] == answer.head.headers
    exchange, answer, _ = recorded(bytes_max=3)
    exchange.answer(400, b"body")
    assert [] == answer.head.headers


@pytest.mark.asyncio
async def test_what_went_wrong_is_not_good():
    """An error event at the end, a cut, a fault."""
    found = []
    for end in ("spoil", "break_off", "fail"):
        exchange, answer, _ = recorded()
        if end == "fail":
            exchange.fail(Fault(Kind.INTERNAL, "No."))
        else:
            exchange.begin(200, b"text/event-stream")
            exchange.write(b"one")
            getattr(exchange, end)()
            exchange.finish(b"error")
        found.append((answer.is_good, answer.is_cut, answer.is_ended))
    assert [(False, False, True), (False, True, True), (False, False, True)] == found


@pytest.mark.asyncio
async def test_the_end_of_the_worker_ends_it_legally():
    """Whoever works for it is told, as by a connection."""
    exchange, answer, _ = recorded()
    kinds = []

    class Flow:
        def interrupt(self, fault):
            kinds.append(fault.kind)
            exchange.finish(b"end")
            return True

        def pause(self):
            kinds.append("pause")

        def resume(self):
            kinds.append("resume")

    exchange.flow = Flow()
    exchange.begin(200, b"text/event-stream")
    exchange.write(b"one")
    exchange.pause()
    exchange.resume()
    waiting = asyncio.ensure_future(exchange.ended())
    await asyncio.sleep(0)
    waiting.cancel()
    await waiting
    assert (["pause", "resume", Kind.STOPPING], True) == (kinds, answer.is_ended)


@pytest.mark.asyncio
async def test_nobody_left_cancels_the_work():
    """As for a caller who left."""
    exchange, answer, _ = recorded()

    class Task:
        is_cancelled = False

        def cancel(self):
            self.is_cancelled = True

    exchange.task = task = Task()
    exchange.leave()
    assert (True, True, True) == (task.is_cancelled, exchange.gone, answer.is_cut)


@pytest.mark.asyncio
async def test_how_it_begins_is_noted():
    """Once: with its fault, or as an answer."""
    NOTED.clear()
    exchange, _, _ = recorded()
    fault = Fault(Kind.BALANCE_TOO_LOW, "no")
    exchange.fail(fault)
    assert [fault] == NOTED
    exchange, _, _ = recorded()
    exchange.begin(200, b"text/event-stream")
    exchange.write(b"a")
    exchange.fail(Fault(Kind.INTERNAL, "broke"))
    assert [fault, None] == NOTED
