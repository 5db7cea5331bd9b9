"""Which requests a key counts for, and how the copies of one come together."""

import asyncio
from types import SimpleNamespace

import pytest

from edge.wires import Sheet, asked
from idempotency.test_key import ADA
from idempotency.test_writer import VAULT
from trivium.edge import idempotent
from trivium.edge.recorded_exchange import RecordedExchange
from trivium.edge.routes import resolve
from trivium.idempotency.service import KeptAnswers
from trivium.settings.model import IdempotencySettings

CHAT = b"/v1/chat/completions"


def request(body=b"{}", key=b"k-1", target=CHAT, **changes):
    """A request with a key, and where its answer goes."""
    sheet = Sheet()
    exchange = asked(sheet, target=target, headers={idempotent.HEADER: key}, **changes)
    exchange.target = resolve("POST", target, b"")
    exchange.caller, exchange.body = ADA, body
    return sheet, exchange


def services(db):
    answers = KeptAnswers(db, VAULT, "w1", IdempotencySettings())
    return SimpleNamespace(kept_answers=answers, abandoned=set())


@pytest.mark.parametrize(
    ("target", "taken"),
    [
        (CHAT, True),
        (b"/v1/messages", True),
        (b"/v1/embeddings", True),
        (b"/v1/videos", True),
        (b"/v1/messages/count_tokens", False),
        (b"/api/explain", False),
    ],
)
@pytest.mark.asyncio
async def test_it_counts_for_what_costs_something(database, target, taken):
    """And where answers are kept at all; nor a second time."""
    _, exchange = request(target=target)
    found = services(database)
    assert taken == idempotent.takes(exchange, found)
    found.kept_answers = None
    assert not idempotent.takes(exchange, found)
    assert not idempotent.takes(exchange, None)


@pytest.mark.asyncio
async def test_copies_are_dispatched_once(database):
    """Each is answered; the request itself has the body, and the first one's id."""
    found, seen = services(database), []

    def dispatch(exchange):
        assert not idempotent.takes(exchange, found)
        seen.append((type(exchange), exchange.request_id, exchange.body))
        exchange.answer(200, b"body")

    copies = [request(request_id=f"req_{n}") for n in range(5)]
    await asyncio.gather(*(idempotent.serve(one, found, dispatch) for _, one in copies))
    assert [(RecordedExchange, "req_0", b"{}")] == seen
    for sheet, exchange in copies:
        assert (True, b"") == (sheet.sent.endswith(b"\r\n\r\nbody"), exchange.body)
        assert b"x-request-id: req_0\r\n" in sheet.sent
    assert 4 == sum(b"idempotent-replay" in sheet.sent for sheet, _ in copies)
    await asyncio.sleep(0)
    assert set() == found.abandoned


@pytest.mark.asyncio
async def test_another_body_is_refused_while_the_first_runs(database):
    """As it is afterwards; and a key that is none."""
    found, ran = services(database), []
    _, first = request()
    running = asyncio.ensure_future(idempotent.serve(first, found, ran.append))
    async with asyncio.timeout(20):
        while not ran:
            await asyncio.sleep(0.01)
    sheet, other = request(body=b"[]")
    await idempotent.serve(other, found, ran.append)
    assert sheet.sent.startswith(b"HTTP/1.1 422 ")
    sheet, bad = request(key=b"a" * 256)
    await idempotent.serve(bad, found, ran.append)
    assert (True, 1) == (sheet.sent.startswith(b"HTTP/1.1 400 "), len(ran))
    ran[0].answer(200, b"body")
    await running


@pytest.mark.asyncio
async def test_a_caller_who_leaves_does_not_end_it(database):
    """A drain waits for it; its answer is there for the next one."""
    found, ran = services(database), []
    _, first = request()
    first.task = running = asyncio.ensure_future(idempotent.serve(first, found, ran.append))
    async with asyncio.timeout(20):
        while not ran:
            await asyncio.sleep(0.01)
    first.leave()
    await running
    assert (1, False) == (len(found.abandoned), ran[0].gone)
    ran[0].answer(200, b"body")
    sheet, again = request(request_id="req_2")
    await idempotent.serve(again, found, ran.append)
    assert (True, 1) == (sheet.sent.endswith(b"body"), len(ran))
