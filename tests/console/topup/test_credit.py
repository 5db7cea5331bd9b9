"""Administrators book by hand, once a form, and it is told who did."""

import re

import pytest

from console.visiting import Seen
from trivium.ledger.model import EntryKind

DOLLAR = 10**9


def once(page):
    """The value that makes a form count once."""
    return re.search(r'name="once" value="([^"]+)"', page.text)[1]


@pytest.mark.asyncio
async def test_an_administrator_books_balance(boss, shop, ada):
    """As a top-up with the note, told as the administrator's act."""
    page = await boss.get("/admin/credit")
    answer = await boss.post(
        "/admin/credit",
        user="ada@example.com",
        amount="12.50",
        note="spring",
        once=once(page),
        sure="1",
    )
    assert (303, "/admin/credit") == (answer.status_code, answer.headers["location"])
    page = await boss.get("/admin/credit")
    assert "$12.50 were booked for ada, whose balance is $12.50." in Seen(page.text).text
    (act,) = await shop.audit.of_user(ada.id)
    assert ("user_credit", 1, "entry:1", '{"amount":"12.50"}') == (
        act.kind,
        act.actor_id,
        act.what,
        act.detail,
    )


@pytest.mark.asyncio
async def test_nothing_is_booked_before_it_was_shown(boss, shop, ada):
    """Whose account, how much with separators, and what the balance will be."""
    await shop.entries.book(ada.id, EntryKind.TOP_UP, 5 * DOLLAR)
    page = await boss.get("/admin/credit")
    form = {"user": "ada", "amount": "1,000,000", "note": "gift", "once": once(page)}
    question = await boss.post("/admin/credit", **form)
    assert (200, 5 * DOLLAR) == (question.status_code, await shop.entries.balance(ada.id))
    told = Seen(question.text).text
    for said in ("ada@example.com", "$1,000,000.00", "$5.00", "$1,000,005.00", "gift"):
        assert said in told
    assert once(page) == once(question)
    await boss.post("/admin/credit", **form, sure="1")
    assert 1_000_005 * DOLLAR == await shop.entries.balance(ada.id)


@pytest.mark.asyncio
async def test_what_was_booked_is_taken_back_once(boss, shop, ada):
    """By its opposite, as an act of its own; which is not taken back in turn."""
    page = await boss.get("/admin/credit")
    form = {"user": "ada", "amount": "250", "once": once(page), "sure": "1"}
    await boss.post("/admin/credit", **form)
    page = await boss.get("/admin/credit")
    (entry,) = re.findall(r'name="entry" value="(\d+)"', page.text)
    for said in ("-$250.00 were booked for ada, whose balance is $0.00.", "taken back already"):
        assert 303 == (await boss.post("/admin/credit/undo", entry=entry)).status_code
        page = await boss.get("/admin/credit")
        assert said in Seen(page.text).text
        assert 0 == await shop.entries.balance(ada.id)
        assert [] == re.findall(r'name="entry"', page.text)
    (back, _) = await shop.audit.of_user(ada.id)
    assert ("user_credit", '{"amount":"-250.00"}') == (back.kind, back.detail)


@pytest.mark.parametrize("entry", ["", "0", "x", "2"])
@pytest.mark.asyncio
async def test_only_what_was_booked_by_hand_is_taken_back(boss, shop, ada, entry):
    """Neither a payment nor what a request cost."""
    await shop.entries.book(ada.id, EntryKind.TOP_UP, 5 * DOLLAR, request_id="payment:1")
    await shop.entries.book(ada.id, EntryKind.USAGE, -DOLLAR, request_id="req_1")
    await boss.get("/admin/credit")
    await boss.post("/admin/credit/undo", entry=entry)
    assert 4 * DOLLAR == await shop.entries.balance(ada.id)


@pytest.mark.asyncio
async def test_a_form_that_is_sent_twice_counts_once(boss, shop, ada):
    """Also when the second time says something else."""
    page = await boss.get("/admin/credit")
    form = {"user": "ada", "amount": "10", "note": "", "once": once(page), "sure": "1"}
    for _ in range(2):
        assert 303 == (await boss.post("/admin/credit", **form)).status_code
    answer = await boss.post("/admin/credit", **{**form, "amount": "11"})
    assert (422, 10 * DOLLAR) == (answer.status_code, await shop.entries.balance(ada.id))
    assert "Nothing was booked" in Seen(answer.text).text


@pytest.mark.asyncio
async def test_a_negative_amount_takes_some_back(boss, shop, ada, database):
    """As an adjustment."""
    page = await boss.get("/admin/credit")
    await boss.post("/admin/credit", user="ada", amount="-3", once=once(page), sure="1")
    assert -3 * DOLLAR == await shop.entries.balance(ada.id)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"amount": "0"}, "as digits"),
        ({"amount": "x"}, "as digits"),
        ({"amount": ""}, "Please"),
        ({"user": "nobody"}, "no user of this name"),
        ({"user": ""}, "Please"),
        ({"once": ""}, "too old"),
        ({"once": "short"}, "too old"),
        ({"amount": "1000000001"}, "as digits"),
    ],
)
@pytest.mark.asyncio
async def test_a_wrong_field_books_nothing(boss, shop, ada, fields, said):
    """And keeps what was typed."""
    page = await boss.get("/admin/credit")
    form = {"user": "ada", "amount": "10", "once": once(page), "sure": "1"} | fields
    answer = await boss.post("/admin/credit", **form)
    assert (422, 0) == (answer.status_code, await shop.entries.balance(ada.id))
    assert said in Seen(answer.text).text


@pytest.mark.asyncio
async def test_users_may_not(payer, shop, ada):
    """Neither see the form nor send it."""
    assert 403 == (await payer.get("/admin/credit")).status_code
    await payer.get("/topup")
    form = {"user": "ada", "amount": "10", "once": "a" * 22}
    assert 403 == (await payer.post("/admin/credit", **form)).status_code
    assert 403 == (await payer.post("/admin/credit/undo", entry="1")).status_code
    assert 0 == await shop.entries.balance(ada.id)


@pytest.mark.asyncio
async def test_an_administrator_proves_lately_who_they_are(boss, shop, ada):
    """An unlocked screen is not enough."""
    page = await boss.get("/admin/credit")
    shop.clock.advance(601)
    form = {"user": "ada", "amount": "10", "once": once(page)}
    for answer in (await boss.get("/admin/credit"), await boss.post("/admin/credit", **form)):
        assert 303 == answer.status_code
        assert answer.headers["location"].startswith("/login/confirm?for=")
    assert 0 == await shop.entries.balance(ada.id)
