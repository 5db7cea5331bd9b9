"""What somebody may ask about their own requests."""

import pytest

from trivium.conversation.usage import Usage
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import EntryKind
from trivium.observe import store
from trivium.observe.history.service import History
from trivium.observe.record import Record

USAGE = Usage(fresh=10, cache_read=5, output=7, reasoning=2, audio_input=1, image_output=3)


async def recorded(database, *records):
    async with database.write() as conn:
        flag = int if database.is_sqlite else bool
        await store.insert(conn, [store.row_of(record, flag) for record in records])


def record(number, user=1, **more):
    return Record(
        **{
            "request_id": f"req_{number}",
            "at": 1000.0 + number,
            "user_id": user,
            "key_id": 4,
            "operation": "chat",
            "model": "m",
            "status": 200,
            "total_ms": 12.4,
            **more,
        }
    )


@pytest.mark.asyncio
async def test_pages_go_back_without_a_gap(database):
    """Newest first, each once, nobody else's; also where several came in one millisecond."""
    await recorded(
        database,
        *(record(n, at=1000.0 + n // 3) for n in range(7)),
        *(record(50 + n, user=2) for n in range(7)),
    )
    history = History(database)
    seen, before = [], None
    while True:
        page = await history.page(1, before, 2)
        seen += [each.request_id for each in page.requests]
        before = page.before
        if before is None:
            break
    assert [f"req_{n}" for n in (6, 5, 4, 3, 2, 1, 0)] == seen


@pytest.mark.asyncio
@pytest.mark.parametrize("before", [None, "", "x", "1.", "-5.a", "9" * 30 + ".a", "1e3.a"])
async def test_a_place_that_is_none_is_the_beginning_or_the_end(database, before):
    """And never an error."""
    await recorded(database, record(1))
    page = await History(database).page(1, before)
    assert page.before is None
    assert (before != "1.") == bool(page.requests)


@pytest.mark.asyncio
async def test_a_request_comes_with_its_tokens_and_its_cost(database, clock):
    """Input and output as sums of what is counted apart; cost from the entry, if it is booked."""
    ada = await Identity(database, clock).create_user("ada", "ada@example.com")
    await recorded(
        database,
        record(1, ada.id, usage=USAGE, first_byte_ms=3.9, dropped="logprobs", fault="x"),
        record(2, ada.id, model="spare", asked_model="m"),
    )
    entry = await Entries(database, clock).book(ada.id, EntryKind.USAGE, -1234, request_id="req_1")
    history = History(database)
    found = await history.one(ada.id, "req_1")
    assert (16, 5, 12, 1234, entry.id, 3, 12, "logprobs", "x") == (
        found.input_tokens, found.cached_tokens, found.output_tokens, found.cost_nanos,
        found.entry_id, found.first_byte_ms, found.total_ms, found.dropped, found.fault,
    )  # fmt: skip
    other = await history.one(ada.id, "req_2")
    assert ("m", "", "spare", "m") == (
        found.model, found.asked_model, other.model, other.asked_model,
    )  # fmt: skip
    assert (None,) * 5 == (
        other.input_tokens, other.cached_tokens, other.output_tokens, other.cost_nanos,
        other.entry_id,
    )  # fmt: skip
    assert None is await history.one(ada.id + 1, "req_1")
    assert None is await history.one(ada.id, "req\0001")


@pytest.mark.asyncio
async def test_requests_may_be_chosen(database):
    """By key, and by whether they failed."""
    await recorded(
        database, record(1), record(2, key_id=5), record(3, status=429), record(4, status=500)
    )
    history = History(database)
    assert ["req_2"] == [r.request_id for r in (await history.page(1, key_id=5)).requests]
    failed = await history.page(1, failed=True)
    assert ["req_4", "req_3"] == [r.request_id for r in failed.requests]
