"""What an account's holder may ask of the books."""

import msgspec
import pytest

from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import NANOS, EntryKind
from trivium.ledger.statement.service import DAY_S, Day, Statement

DETAIL = {
    "model": "gpt-x",
    "multiplier": "4/5",
    "prices": {"input": "2.50", "output": "10"},
    "key": 3,
    "usage": {"fresh": 1000, "output": 100, "reasoning": 20},
}
"""1000 at 2.5 and 120 at 10 millionths of a dollar, times four fifths: 2,960,000 nano-dollars."""


@pytest.fixture
def books(database, clock):
    return Identity(database, clock), Entries(database, clock), Statement(database)


async def users(identity):
    return [await identity.create_user(name, f"{name}@example.com") for name in ("ada", "eve")]


async def put_detail(database, entries, user_id, amount, detail, monkeypatch):
    """Book usage with an explained bill, as a flush does."""
    from trivium.ledger import entries as module

    made = msgspec.json.encode(detail).decode()
    real = module.Entry
    monkeypatch.setattr(module, "Entry", lambda **given: real(**given, detail=made))
    try:
        return await entries.book(user_id, EntryKind.USAGE, amount, request_id="req_1")
    finally:
        monkeypatch.setattr(module, "Entry", real)


@pytest.mark.asyncio
async def test_pages_go_back_without_a_gap(books):
    """Newest first, each entry once, nobody else's."""
    identity, entries, statement = books
    ada, eve = await users(identity)
    for number in range(1, 8):
        await entries.book(ada.id, EntryKind.TOP_UP, number)
        await entries.book(eve.id, EntryKind.TOP_UP, -number)
    seen, before = [], None
    while True:
        page = await statement.page(ada.id, before, 3)
        seen.append([entry.amount_nanos for entry in page.entries])
        before = page.before
        if before is None:
            break
    assert [[7, 6, 5], [4, 3, 2], [1]] == seen
    assert ((), None) == ((await statement.page(ada.id, 1)).entries, page.before)


@pytest.mark.asyncio
async def test_kinds_may_be_chosen(books):
    """Payments without the usage between them."""
    identity, entries, statement = books
    ada, _ = await users(identity)
    await entries.book(ada.id, EntryKind.TOP_UP, 5)
    await entries.book(ada.id, EntryKind.USAGE, -2)
    page = await statement.page(ada.id, kinds=(EntryKind.TOP_UP, EntryKind.REFUND))
    assert [5] == [entry.amount_nanos for entry in page.entries]


@pytest.mark.asyncio
async def test_days_are_utc_and_whole(books, clock):
    """A day without requests is a zero; what is older, or no usage, or another's, is left out."""
    identity, entries, statement = books
    ada, eve = await users(identity)
    midnight = int(clock.now()) // DAY_S * DAY_S
    for at, amount in ((-2 * DAY_S - 1, 7), (-2 * DAY_S, 1), (-1, 2), (0, 3), (10, 4)):
        clock.at = midnight + at
        await entries.book(ada.id, EntryKind.USAGE, -amount)
        await entries.book(ada.id, EntryKind.TOP_UP, 100)
        await entries.book(eve.id, EntryKind.USAGE, -50)
    assert [
        Day(at=midnight - 2 * DAY_S, nanos=1, requests=1),
        Day(at=midnight - DAY_S, nanos=2, requests=1),
        Day(at=midnight, nanos=7, requests=2),
    ] == await statement.days(ada.id, clock.now(), 3)
    assert [0] * 3 == [day.nanos for day in await statement.days(999, clock.now(), 3)]


@pytest.mark.asyncio
async def test_what_was_booked_out_of_order_is_counted(books, clock):
    """A journal of yesterday, replayed today."""
    identity, entries, statement = books
    ada, _ = await users(identity)
    today = clock.now()
    await entries.book(ada.id, EntryKind.USAGE, -1)
    clock.at = today - DAY_S
    await entries.book(ada.id, EntryKind.USAGE, -2)
    assert [2, 1] == [day.nanos for day in await statement.days(ada.id, today, 2)]


@pytest.mark.asyncio
async def test_a_bill_s_lines_add_up_to_its_entry(books, database, monkeypatch):
    """Each with its quantity and what one costs this account."""
    identity, entries, statement = books
    ada, eve = await users(identity)
    entry = await put_detail(database, entries, ada.id, -2_960_000, DETAIL, monkeypatch)
    bill = await statement.bill(ada.id, entry.id)
    assert ("gpt-x", 2_960_000) == (bill.detail.model, sum(line.nanos for line in bill.lines))
    assert [
        ("Input Tokens", 1000, "0.000002", 2_000_000),
        ("Output Tokens", 100, "0.000008", 800_000),
        ("Reasoning Tokens", 20, "0.000008", 160_000),
    ] == [(line.meter, line.quantity, line.unit_usd, line.nanos) for line in bill.lines]
    assert None is await statement.bill(eve.id, entry.id)


@pytest.mark.asyncio
async def test_a_payment_has_no_lines(books):
    """There is nothing to explain."""
    identity, entries, statement = books
    ada, _ = await users(identity)
    entry = await entries.book(ada.id, EntryKind.TOP_UP, 5 * NANOS, note="paid")
    bill = await statement.bill(ada.id, entry.id)
    assert ((), "", "paid") == (bill.lines, bill.detail.model, bill.entry.note)
