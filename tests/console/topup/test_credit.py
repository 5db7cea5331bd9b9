"""Administrators book by hand, once a form, and it is told who did."""

import re

import pytest

from console.visiting import Seen

DOLLAR = 10**9


def once(page):
    """The value that makes a form count once."""
    return re.search(r'name="once" value="([^"]+)"', page.text)[1]


@pytest.mark.asyncio
async def test_an_administrator_books_balance(boss, shop, ada):
    """As a top-up with the note, told as the administrator's act."""
    page = await boss.get("/admin/credit")
    answer = await boss.post(
        "/admin/credit", user="ada@example.com", amount="12.50", note="spring", once=once(page)
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
async def test_a_form_that_is_sent_twice_counts_once(boss, shop, ada):
    """Also when the second time says something else."""
    page = await boss.get("/admin/credit")
    form = {"user": "ada", "amount": "10", "note": "", "once": once(page)}
    for _ in range(2):
        assert 303 == (await boss.post("/admin/credit", **form)).status_code
    answer = await boss.post("/admin/credit", **{**form, "amount": "11"})
    assert (422, 10 * DOLLAR) == (answer.status_code, await shop.entries.balance(ada.id))
    assert "Nothing was booked" in Seen(answer.text).text


@pytest.mark.asyncio
async def test_a_negative_amount_takes_some_back(boss, shop, ada, database):
    """As an adjustment."""
    page = await boss.get("/admin/credit")
    await boss.post("/admin/credit", user="ada", amount="-3", once=once(page))
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
    form = {"user": "ada", "amount": "10", "once": once(page)} | fields
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
