"""The page knows which application sent its visitor, and whether it meant this account."""

from urllib.parse import urlencode

import pytest
import pytest_asyncio

from console.visiting import Seen, visiting
from trivium.oauth import topup
from trivium.oauth.apps.model import Status
from trivium.oauth.tokens.model import Access

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
    await shop.oauth.apps.set_status(app.user_id, app.id, Status.SUSPENDED)
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
    shop.clock.advance(topup.LIFETIME_S)
    await payer.log_in(ada)
    old = await payer.get(address(shop, app, ada.id))
    assert "sent you here" in Seen(old.text).text
    await pay(payer, page)
    assert None is (await shop.payments.newest())[0].app_id


@pytest.mark.asyncio
async def test_a_suspended_application_is_not_named(payer, shop, ada, app):
    """Its links are as good as broken."""
    where = address(shop, app, ada.id)
    await shop.oauth.apps.set_status(app.user_id, app.id, Status.SUSPENDED)
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
