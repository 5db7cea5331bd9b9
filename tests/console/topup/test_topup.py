"""A user buys balance: for the account that is shown, at the provider, booked by its signed event."""

from urllib.parse import urlencode

import pytest
import pytest_asyncio

import stripe_double
from console.visiting import ORIGIN, Seen, visiting
from trivium.console.topup.topup import PATIENCE_S
from trivium.oauth import account
from trivium.oauth.apps.model import AppStatus
from trivium.oauth.tokens.model import Access
from trivium.storage.errors import StorageDown

DOLLAR = 10**9


async def deliver(payer, event):
    """The provider's event reaches the webhook."""
    body, headers = event
    return await payer.client.post("/webhooks/stripe", content=body, headers=headers)


async def begun(payer, **fields):
    """A payment that was begun; the path of its page."""
    await payer.get("/topup")
    answer = await payer.post("/topup", **fields)
    assert 303 == answer.status_code, answer.text
    (payment, *_) = await payer.console.payments.newest()
    return answer, f"/topup/{payment.reference}"


@pytest.mark.asyncio
async def test_the_account_is_shown_before_anybody_pays(payer, shop, ada):
    """By name, address and balance: whoever is logged in as another notices."""
    await shop.codes.redeem(ada.id, (await shop.codes.create(7 * DOLLAR, 1))[1][0])
    page = await payer.get("/topup")
    text = Seen(page.text).text
    assert 200 == page.status_code
    assert [] == [w for w in ("ada", "ada@example.com", "$7.00", "$25.00") if w not in text]


@pytest.mark.asyncio
async def test_a_visitor_logs_in_first(database, shop):
    """And comes back to the same address by a sealed id."""
    async with visiting(database, shop) as visitor:
        answer = await visitor.get("/topup?app=x&t=y")
        assert 303 == answer.status_code
        assert answer.headers["location"].startswith("/login?for=")
        assert "topup" not in answer.headers["location"]


@pytest.mark.asyncio
async def test_an_offered_amount_leads_to_the_provider(payer, double, ada):
    """With the user's address filled in, and back to a page of ours from the settings' origin."""
    answer, path = await begun(payer, offered="50.00", amount="")
    assert f"{double.url}/pay/cs_test_1" == answer.headers["location"]
    ((_, _, form),) = double.requests
    assert ("5000", "ada@example.com", f"{ORIGIN}{path}", f"{ORIGIN}/topup") == (
        form["line_items[0][price_data][unit_amount]"],
        form["customer_email"],
        form["success_url"],
        form["cancel_url"],
    )


@pytest.mark.asyncio
async def test_a_typed_amount_goes_before_the_offer(payer, double):
    """Which is only what was chosen at first."""
    await begun(payer, offered="10.00", amount="12.50")
    assert "1250" == double.requests[0][2]["line_items[0][price_data][unit_amount]"]


@pytest.mark.asyncio
async def test_the_form_may_lead_to_the_provider_and_nowhere_else(payer, double):
    """Browsers apply the policy to the redirect after a form."""
    policy = (await payer.get("/topup")).headers["content-security-policy"]
    (action,) = [part.strip() for part in policy.split(";") if "form-action" in part]
    assert f"form-action 'self' {double.url}" == action


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("4.99", "from $5.00 to $500.00"),
        ("500.01", "from $5.00 to $500.00"),
        ("10.001", "from $5.00 to $500.00"),
        ("-10", "from $5.00 to $500.00"),
        ("1e3", "as digits"),
        ("ten", "as digits"),
        ("10,50", "as digits"),
        ("9" * 40, "as digits"),
    ],
)
@pytest.mark.asyncio
async def test_a_wrong_amount_is_told_beside_its_field(payer, double, amount, said):
    """Nothing is begun."""
    await payer.get("/topup")
    answer = await payer.post("/topup", offered="10.00", amount=amount)
    assert (422, []) == (answer.status_code, double.requests)
    assert said in Seen(answer.text).text
    assert 'aria-invalid="true"' in answer.text


@pytest.mark.asyncio
async def test_nothing_chosen_is_no_amount(payer, double):
    """A form that was made by hand."""
    await payer.get("/topup")
    assert 422 == (await payer.post("/topup")).status_code
    assert [] == double.requests


@pytest.mark.parametrize("csrf", ["", "wrong"])
@pytest.mark.asyncio
async def test_another_site_cannot_begin_a_payment(payer, double, csrf):
    """Neither without the form's token nor from another origin."""
    await payer.get("/topup")
    assert 403 == (await payer.post("/topup", csrf=csrf, offered="10.00")).status_code
    answer = await payer.post("/topup", headers={"sec-fetch-site": "cross-site"}, offered="10.00")
    assert (403, []) == (answer.status_code, double.requests)


@pytest.mark.asyncio
async def test_a_provider_that_is_away_is_told(payer, double):
    """Nothing was charged, and the page is there to try again."""
    double.fail = [400]
    await payer.get("/topup")
    answer = await payer.post("/topup", offered="10.00", amount="")
    assert 503 == answer.status_code
    assert "cannot be reached. Nothing was charged" in Seen(answer.text).text


@pytest.mark.asyncio
async def test_too_many_payments_are_refused(payer):
    """Each is a page at the provider."""
    await payer.get("/topup")
    for _ in range(10):
        assert 303 == (await payer.post("/topup", offered="10.00", amount="")).status_code
    answer = await payer.post("/topup", offered="10.00", amount="")
    assert 422 == answer.status_code
    assert "several payments just now" in Seen(answer.text).text


@pytest.mark.asyncio
async def test_coming_back_books_nothing(payer, double):
    """The page waits for the provider's word, and looks again by itself."""
    _, path = await begun(payer, offered="25.00", amount="")
    page = await payer.get(path)
    assert "waiting for the payment provider" in Seen(page.text).text
    assert 'data-look="4"' in page.text
    assert "Look again" in Seen(page.text).text
    await deliver(payer, double.pay("cs_test_1"))
    page = await payer.get(path)
    assert "Your balance is now $25.00" in Seen(page.text).text
    assert "data-look" not in page.text


@pytest.mark.asyncio
async def test_the_page_does_not_look_for_ever(payer, shop):
    """A tab that was forgotten is left alone, with a link to look again."""
    _, path = await begun(payer, offered="25.00", amount="")
    shop.clock.advance(PATIENCE_S)
    page = await payer.get(path)
    assert "data-look" not in page.text
    assert "Look again" in Seen(page.text).text


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (lambda d: d.finish_later("cs_test_1"), "on its way"),
        (lambda d: d.later("cs_test_1", "expired"), "not made in time"),
        (lambda d: d.later("cs_test_1", "async_payment_failed"), "did not succeed"),
        (lambda d: d.pay("cs_test_1", amount_total=1), "Something else arrived"),
    ],
)
@pytest.mark.asyncio
async def test_every_end_is_told_in_words(payer, double, event, said):
    """On the payment's page; the list has the state."""
    _, path = await begun(payer, offered="25.00", amount="")
    assert 200 == (await deliver(payer, event(double))).status_code
    assert said in Seen((await payer.get(path)).text).text


@pytest.mark.asyncio
async def test_payments_are_listed_with_what_was_given_back(payer, double):
    """As a statement of what was bought."""
    await begun(payer, offered="25.00", amount="")
    await deliver(payer, double.pay("cs_test_1"))
    await deliver(payer, double.refund("cs_test_1", 500))
    text = Seen((await payer.get("/topup")).text).text
    assert "$20.00" in text
    assert "Paid $5.00 Details" in text


@pytest.mark.asyncio
async def test_nobody_sees_another_ones_payment(payer, database, shop):
    """The page answers as if there were none."""
    _, path = await begun(payer, offered="25.00", amount="")
    bob = await shop.identity.create_user("bob", "bob@example.com")
    async with visiting(database, shop) as other:
        await other.log_in(bob)
        assert (404, 404) == (
            (await other.get(path)).status_code,
            (await other.get("/topup/tp_none")).status_code,
        )


@pytest.mark.asyncio
async def test_without_a_provider_the_operator_is_named(database, ada):
    """And an administrator is shown the other way."""
    async with visiting(database) as visitor:
        await visitor.log_in(ada)
        page = await visitor.get("/topup")
        text = Seen(page.text).text
        assert "ask the operator" in text
        assert "Continue to payment" not in text
        answer = await visitor.post("/topup", offered="25.00", amount="")
        assert (422, True) == (
            answer.status_code,
            "Payments are not set up here" in Seen(answer.text).text
            or "ask the operator" in Seen(answer.text).text,
        )


@pytest.mark.asyncio
async def test_who_began_is_told_with_the_address(payer, shop, ada):
    """As the edge knows it, not as a header claims."""
    await payer.get("/topup")
    await payer.post("/topup", headers={"x-forwarded-for": "192.0.2.1"}, offered="25.00", amount="")
    (act,) = await shop.audit.of_user(ada.id)
    assert ("top_up_started", "198.51.100.7") == (act.kind, act.address)


@pytest.mark.asyncio
async def test_no_secret_of_the_provider_is_on_any_page(payer, double):
    """Not after a payment and not after a failure."""
    _, path = await begun(payer, offered="25.00", amount="")
    double.fail = [401]
    pages = [await payer.get(path), await payer.post("/topup", offered="25.00", amount="")]
    for page in pages:
        assert stripe_double.SECRET_KEY not in page.text
        assert stripe_double.WEBHOOK_SECRET not in page.text
        assert "cs_test_1" not in page.text


CALLBACK = "https://shop.example:8443/callback?next=/x"


@pytest_asyncio.fixture
async def app(shop, ada):
    """An application of somebody's."""
    owner = await shop.identity.create_user("owner", "owner@example.com")
    made, _ = await shop.oauth.apps.create(owner.id, "Shop <b>", "", CALLBACK)
    return made


def address(shop, app, user_id):
    """What `GET /api/oauth2/topup` gives, below our origin."""
    access = Access(
        user_id=user_id,
        app_id=app.id,
        client_id=app.client_id,
        grant_id=1,
        family_id=1,
        scopes=frozenset({"profile"}),
        expires_at=2**40,
        last_used_at=None,
    )
    return shop.oauth.topup_url(access).removeprefix(shop.origin)


def links(page):
    """Where the page's links lead outside."""
    return [
        a["href"]
        for tag, a in Seen(page.text).elements
        if tag == "a" and "://" in a.get("href", "")
    ]


@pytest.mark.asyncio
async def test_the_application_is_named_and_one_may_go_back(payer, shop, ada, app):
    """To the origin of its registered address, and nowhere else; its name is no markup."""
    page = await payer.get(address(shop, app, ada.id))
    assert "Shop <b> sent you here." in Seen(page.text).text
    assert ["https://shop.example:8443"] == links(page)
    assert "Shop <b>" not in page.text


@pytest.mark.asyncio
async def test_another_account_is_warned_of(payer, shop, ada, app):
    """The payment goes to whoever is logged in, and is not put down to the application."""
    bob = await shop.identity.create_user("bob", "bob@example.com")
    page = await payer.get(address(shop, app, bob.id))
    text = Seen(page.text).text
    assert "Another account was meant" in text
    assert "What you pay here goes to ada." in text
    assert "bob" not in text
    assert ([], True) == (links(page), 'action="/logout"' in page.text)
    await pay(payer, page)
    assert None is (await shop.payments.newest())[0].app_id


async def pay(payer, page):
    """Send the form with its hidden fields."""
    hidden = {
        a["name"]: a["value"]
        for tag, a in Seen(page.text).elements
        if tag == "input" and a.get("name") in ("app", "t")
    }
    answer = await payer.post("/topup", offered="25.00", amount="", **hidden)
    assert 303 == answer.status_code, answer.text


@pytest.mark.asyncio
async def test_a_payment_remembers_who_sent_its_payer(payer, shop, ada, app, double):
    """And its page leads back there, until the application is suspended."""
    await pay(payer, await payer.get(address(shop, app, ada.id)))
    (payment,) = await shop.payments.newest()
    assert app.id == payment.app_id
    path = f"/topup/{payment.reference}"
    assert ["https://shop.example:8443"] == links(await payer.get(path))
    await shop.oauth.apps.set_status(app.user_id, app.id, AppStatus.SUSPENDED)
    assert [] == links(await payer.get(path))
    await shop.oauth.apps.delete(app.user_id, app.id)
    assert [] == links(await payer.get(path))


@pytest.mark.parametrize(
    "change",
    [
        lambda q: q | {"t": q["t"][:-2]},
        lambda q: q | {"t": "A" + q["t"][1:]},
        lambda q: q | {"t": ""},
        lambda q: q | {"t": "\N{SNOWMAN}"},
        lambda q: q | {"app": "gwc_other"},
        lambda q: {"t": q["t"]},
        lambda q: {"app": q["app"]},
    ],
)
@pytest.mark.asyncio
async def test_a_link_that_is_not_whole_names_nobody(payer, shop, ada, app, change):
    """Nor leads anywhere; the page works all the same."""
    query = address(shop, app, ada.id).partition("?")[2]
    given = dict(pair.split("=", 1) for pair in query.split("&"))
    page = await payer.get(f"/topup?{urlencode(change(given))}")
    text = Seen(page.text).text
    assert (200, [], True, False) == (
        page.status_code,
        links(page),
        "too old, or not whole" in text,
        "Shop" in text,
    )


@pytest.mark.asyncio
async def test_a_link_grows_old(payer, shop, ada, app):
    """After a quarter of an hour; a form that was open so long pays without the application."""
    page = await payer.get(address(shop, app, ada.id))
    shop.clock.advance(account.LIFETIME_S)
    await payer.log_in(ada)
    old = await payer.get(address(shop, app, ada.id))
    assert "sent you here" in Seen(old.text).text
    await pay(payer, page)
    assert None is (await shop.payments.newest())[0].app_id


@pytest.mark.asyncio
async def test_a_suspended_application_is_not_named(payer, shop, ada, app):
    """Its links are as good as broken."""
    where = address(shop, app, ada.id)
    await shop.oauth.apps.set_status(app.user_id, app.id, AppStatus.SUSPENDED)
    assert "Shop" not in (await payer.get(where)).text


@pytest.mark.asyncio
async def test_the_link_logs_nobody_in(database, shop, ada, app):
    """There is no ticket in it."""
    async with visiting(database, shop) as stranger:
        answer = await stranger.get(address(shop, app, ada.id))
        assert (303, True) == (
            answer.status_code,
            answer.headers["location"].startswith("/login?for="),
        )


@pytest.mark.asyncio
async def test_no_address_of_the_visitors_own_becomes_a_link(payer, shop, ada, app):
    """A return address in the query is not even looked at."""
    where = address(shop, app, ada.id)
    page = await payer.get(f"{where}&back=https://evil.example&redirect_uri=https://evil.example")
    assert ["https://shop.example:8443"] == links(page)
    assert "evil" not in page.text


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
    assert (400, {"error": "forged"}) == await sent(payer, body + b" ", stripe_double.signed(body))
    assert 0 == await shop.entries.balance(ada.id)


@pytest.mark.asyncio
async def test_the_body_is_taken_as_it_came(payer, paid):
    """Reformatted JSON has another signature: nothing may parse it before."""
    body, _ = await paid()
    spaced = b"\n" + body + b"\n  "
    assert (200, {"outcome": "credited"}) == await sent(payer, spaced, stripe_double.signed(spaced))


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
