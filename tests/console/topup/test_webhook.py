"""Events are believed for their signature and for nothing else."""

import pytest

import stripes
from console.visiting import visiting
from trivium.storage.errors import StorageDown


async def sent(visitor, body, headers, provider="stripe"):
    """The answer to an event: status and body."""
    answer = await visitor.client.post(f"/webhooks/{provider}", content=body, headers=headers)
    return answer.status_code, answer.json()


@pytest.fixture
def paid(payer, double):
    """Begins a payment; returns the event that it was made."""

    async def make():
        await payer.get("/topup")
        await payer.post("/topup", offered="25.00", amount="")
        return double.pay("cs_test_1")

    return make


@pytest.mark.asyncio
async def test_an_event_needs_no_session_and_no_token(database, shop, paid, ada):
    """A provider is no browser."""
    event = await paid()
    async with visiting(database, shop, address="203.0.113.9") as provider:
        assert (200, {"outcome": "credited"}) == await sent(provider, *event)
        assert (200, {"outcome": "duplicate"}) == await sent(provider, *event)
    assert 25 * 10**9 == await shop.entries.balance(ada.id)


@pytest.mark.asyncio
async def test_a_forgery_is_refused(payer, shop, paid, ada):
    """Whoever is logged in: the provider sees 400 and its operator finds it in the dashboard."""
    body, _ = await paid()
    assert (400, {"error": "forged"}) == await sent(payer, body, {"stripe-signature": "t=1,v1=0"})
    assert (400, {"error": "forged"}) == await sent(payer, body, {})
    assert (400, {"error": "forged"}) == await sent(payer, body + b" ", stripes.signed(body))
    assert 0 == await shop.entries.balance(ada.id)


@pytest.mark.asyncio
async def test_the_body_is_taken_as_it_came(payer, paid):
    """Reformatted JSON has another signature: nothing may parse it before."""
    body, _ = await paid()
    spaced = b"\n" + body + b"\n  "
    assert (200, {"outcome": "credited"}) == await sent(payer, spaced, stripes.signed(spaced))


@pytest.mark.parametrize("provider", ["paypal", "STRIPE"])
@pytest.mark.asyncio
async def test_another_provider_is_not_there(payer, double, provider):
    """Only the configured one is heard."""
    event = double.event("account-updated", "account.updated", {})
    assert (404, {"error": "not_configured"}) == await sent(payer, *event, provider=provider)


@pytest.mark.asyncio
async def test_without_payments_nothing_is_heard(database, double):
    """A gateway without a provider believes nobody."""
    event = double.event("account-updated", "account.updated", {})
    async with visiting(database) as visitor:
        assert (404, {"error": "not_configured"}) == await sent(visitor, *event)


@pytest.mark.asyncio
async def test_a_database_that_is_away_asks_for_the_event_again(payer, shop, paid, monkeypatch):
    """Providers repeat what was not answered with success."""
    event = await paid()

    async def down(*_):
        raise StorageDown("away")

    monkeypatch.setattr(shop.payments, "hear", down)
    answer = await payer.client.post(
        "/webhooks/stripe", content=event[0], headers=event[1] | {"accept": "*/*"}
    )
    assert 503 == answer.status_code


@pytest.mark.asyncio
async def test_only_posts_are_events(payer):
    """For a browser there is nothing at the address."""
    assert 404 == (await payer.get("/webhooks/stripe")).status_code
