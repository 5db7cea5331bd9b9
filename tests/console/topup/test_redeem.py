"""A code becomes balance at once; guessing does not."""

import pytest

from console.visiting import Seen
from trivium.console.topup.redeem import GUESSES_MAX, GUESSES_S
from trivium.ledger.codes.model import issue

DOLLAR = 10**9


async def made(shop, **more):
    """A code over five dollars."""
    _, (code,) = await shop.codes.create(5 * DOLLAR, 1, **more)
    return code


@pytest.mark.asyncio
async def test_a_code_is_booked_at_once(payer, shop, ada):
    """However it was written down; the new balance is on the next page."""
    code = await made(shop)
    await payer.get("/topup")
    answer = await payer.post("/topup/code", code=f"  {code.lower().replace('-', ' ')} ")
    assert (303, "/topup") == (answer.status_code, answer.headers["location"])
    text = Seen((await payer.get("/topup")).text).text
    assert "$5.00 were added." in text
    assert 5 * DOLLAR == await shop.entries.balance(ada.id)
    (act,) = await shop.audit.of_user(ada.id)
    assert ("redeemed", ada.id, '{"amount":"5.00"}') == (act.kind, act.actor_id, act.detail)
    assert code not in str(act)


@pytest.mark.asyncio
async def test_every_refusal_is_told_in_words(payer, shop):
    """Beside the field."""
    used, late, gone = (
        await made(shop),
        await made(shop, expires_at=int(shop.clock.now()) + 9),
        await made(shop),
    )
    await payer.get("/topup")
    await payer.post("/topup/code", code=used)
    await shop.codes.revoke(gone)
    shop.clock.advance(10)
    said = {
        used: "has been redeemed already",
        late: "has expired",
        gone: "has been revoked",
        issue(lambda n: b"\x01" * n): "no such code",
        "hello": "a character is wrong",
        "": "Please",
    }
    for code, words in said.items():
        answer = await payer.post("/topup/code", code=code)
        assert (422, True) == (answer.status_code, words in Seen(answer.text).text), code


@pytest.mark.asyncio
async def test_guessing_is_stopped(payer, shop, ada):
    """Even the right code, until the hour is over; nobody else is stopped."""
    code = await made(shop)
    await payer.get("/topup")
    for _ in range(GUESSES_MAX):
        assert 422 == (await payer.post("/topup/code", code="guess")).status_code
    answer = await payer.post("/topup/code", code=code)
    assert (429, 0) == (answer.status_code, await shop.entries.balance(ada.id))
    assert "Too many codes were wrong" in Seen(answer.text).text
    bob = await shop.identity.create_user("bob", "bob@example.com")
    await payer.log_in(bob)
    await payer.get("/topup")
    assert 422 == (await payer.post("/topup/code", code="guess")).status_code
    await payer.log_in(ada)
    shop.clock.advance(GUESSES_S + 1)
    await payer.log_in(ada)
    await payer.get("/topup")
    assert 303 == (await payer.post("/topup/code", code=code)).status_code


@pytest.mark.asyncio
async def test_codes_work_without_a_provider_too(payer, shop):
    """They are the operator's own."""
    assert "Redeem a code" in Seen((await payer.get("/topup")).text).text


@pytest.mark.asyncio
async def test_a_code_needs_the_forms_token(payer, shop, ada):
    """Else a page elsewhere could spend somebody's code on another account."""
    code = await made(shop)
    await payer.get("/topup")
    assert 403 == (await payer.post("/topup/code", csrf="", code=code)).status_code
    assert 0 == await shop.entries.balance(ada.id)
