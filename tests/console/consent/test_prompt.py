"""The consent page: what it says, what its answers do, and who may give them."""

import itertools
import re

import pytest

from console.consent.asking import Asking, came_back
from console.visiting import Seen
from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens.model import CodeGrant, RefreshGrant
from trivium.settings.section import OAuthSettings as Rules

pytestmark = pytest.mark.asyncio


async def agreed(asking, **changes):
    """Tokens' code after pressing Allow."""
    page = await asking.page(**changes)
    await asking.visitor.get(page)
    return came_back(await asking.visitor.post(page, answer="allow"))


async def test_whoever_is_not_logged_in_logs_in_first(asking):
    """By a sealed id: neither the request's nor any address stands in the query."""
    page = await asking.page()
    answer = await asking.visitor.get(page)
    location = answer.headers["location"]
    assert (303, True) == (answer.status_code, location.startswith("/login?for="))
    assert "gwar_" not in location
    assert "shop" not in location


async def test_the_page_says_who_asks_for_what_in_whose_name(asking):
    """Name, description, owner, host, scopes, account; nothing of it is markup."""
    await asking.visitor.log_in(asking.ada)
    answer = await asking.visitor.get(await asking.page())
    seen = Seen(answer.text)
    for words in (
        "Let Shop & Co in?",
        "Sells <b>things</b>.",
        "owner",
        "shop.example",
        "Who you are",
        "Your balance",
        "ada@example.org",
    ):
        assert words in seen.text, words
    assert "<b>things" not in answer.text
    assert [] == [a for tag, a in seen.elements if tag == "a" and "shop" in a.get("href", "")]
    buttons = [a.get("value") for tag, a in seen.elements if tag == "button"]
    assert {"allow", "deny", "switch"} <= set(buttons)
    assert [] == [a for _, a in seen.elements if "autofocus" in a]


async def test_only_what_is_asked_for_is_said(asking):
    """One scope, one line."""
    await asking.visitor.log_in(asking.ada)
    seen = Seen((await asking.visitor.get(await asking.page(scope="balance"))).text)
    assert ("Your balance" in seen.text, "Who you are" in seen.text) == (True, False)


async def test_the_form_may_lead_to_the_application_and_nowhere_else(asking):
    """Browsers apply the policy to the redirect after the form; nobody may frame the page."""
    await asking.visitor.log_in(asking.ada)
    answer = await asking.visitor.get(await asking.page())
    policy = answer.headers["content-security-policy"]
    assert "form-action 'self' https://shop.example;" in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "base-uri 'none'" in policy
    assert "DENY" == answer.headers["x-frame-options"]
    assert "no-store" == answer.headers["cache-control"]
    assert "no-referrer" == answer.headers["referrer-policy"]


async def test_agreement_takes_the_code_back(asking):
    """303, so that no browser posts the form again; with the state, without `iss`."""
    await asking.visitor.log_in(asking.ada)
    said = await agreed(asking)
    assert {"code", "state"} == set(said)
    assert re.fullmatch("gwac_[A-Za-z0-9_-]{43}", said["code"])
    assert "s-1" == said["state"]


@pytest.mark.parametrize(
    "state", ["a+b", "a b", "a%20b", "a&b=c", "ünïcödé 👋", "x" * 2048, "\r\nX: y"]
)
async def test_state_comes_back_as_it_went(asking, state):
    """Byte for byte, over the login, the page and the form."""
    await asking.visitor.log_in(asking.ada)
    assert state == (await agreed(asking, state=state))["state"]


async def test_the_issuer_is_told_to_who_wants_it(asking):
    """RFC 9207, for each application."""
    await asking.oauth.apps.edit(
        asking.owner.id,
        asking.app.id,
        name="Shop",
        description="",
        redirect_uri=asking.app.redirect_uri,
        grants=asking.app.grants,
        rotate_refresh=True,
        send_iss=True,
    )
    await asking.visitor.log_in(asking.ada)
    assert "https://gateway.example" == (await agreed(asking))["iss"]


async def test_disagreement_is_told_too(asking):
    """access_denied; the page asks again next time."""
    await asking.visitor.log_in(asking.ada)
    page = await asking.page()
    await asking.visitor.get(page)
    said = came_back(await asking.visitor.post(page, answer="deny"))
    assert ("access_denied", "s-1") == (said["error"], said["state"])
    assert 200 == (await asking.visitor.get(await asking.page())).status_code


async def test_a_disabled_account_gives_nothing(asking):
    """Its session is over: the login page comes, and does not let it in (row 11 of the table)."""
    await asking.visitor.log_in(asking.ada)
    page = await asking.page()
    await asking.visitor.get(page)
    await asking.console.identity.disable_user("ada")
    answer = await asking.visitor.post(page, answer="allow")
    assert answer.headers["location"].startswith("/login?for=")


async def test_an_answer_counts_once(asking):
    """Going back and pressing again leads nowhere."""
    await asking.visitor.log_in(asking.ada)
    page = await asking.page()
    await asking.visitor.get(page)
    came_back(await asking.visitor.post(page, answer="allow"))
    answer = await asking.visitor.post(page, answer="allow")
    assert (400, False) == (answer.status_code, "location" in answer.headers)
    assert "request_unknown" in (await asking.visitor.get(page)).text


async def test_a_request_waits_ten_minutes(asking):
    """Then the page says so."""
    await asking.visitor.log_in(asking.ada)
    page = await asking.page()
    asking.console.clock.advance(600)
    answer = await asking.visitor.get(page)
    assert (400, True) == (answer.status_code, "request_unknown" in answer.text)


async def test_another_account_cannot_answer(asking):
    """Also when it is logged in within the same browser later."""
    await asking.visitor.log_in(asking.ada)
    page = await asking.page()
    await asking.visitor.get(page)
    await asking.visitor.log_in(asking.owner)
    answer = await asking.visitor.get(page)
    assert (400, True) == (answer.status_code, "request_unknown" in answer.text)


async def test_the_account_can_be_switched(asking):
    """The session ends, and the request waits for whoever logs in."""
    await asking.visitor.log_in(asking.ada)
    page = await asking.page()
    await asking.visitor.get(page)
    answer = await asking.visitor.post(page, answer="switch")
    assert (303, True) == (answer.status_code, answer.headers["location"].startswith("/login?for="))
    assert '__Host-gw_session="";' in answer.headers["set-cookie"]
    assert [] == await asking.console.accounts.sessions.of_user(asking.ada.id)
    await asking.visitor.log_in(asking.owner)
    seen = Seen((await asking.visitor.get(page)).text)
    assert "owner@example.org" in seen.text


@pytest.mark.parametrize(
    "forged",
    [
        {"csrf": ""},
        {"csrf": "x"},
        {"headers": {"sec-fetch-site": "cross-site"}},
        {"headers": {"sec-fetch-site": "same-site"}},
        {"headers": {"sec-fetch-site": None, "origin": "https://shop.example"}},
    ],
)
async def test_an_answer_from_elsewhere_does_not_count(asking, forged):
    """Neither without the form's token nor from another site; nothing is agreed to."""
    await asking.visitor.log_in(asking.ada)
    page = await asking.page()
    await asking.visitor.get(page)
    answer = await asking.visitor.post(page, answer="allow", **forged)
    assert (403, False) == (answer.status_code, "location" in answer.headers)
    assert [] == await asking.oauth.consents.authorized(asking.ada.id)


async def test_the_form_decides_nothing_but_the_answer(asking):
    """Application, address and scopes are those that were checked."""
    await asking.visitor.log_in(asking.ada)
    page = await asking.page(scope="profile")
    await asking.visitor.get(page)
    more = {"redirect_uri": "https://evil.example/", "scope": "balance", "client_id": "x"}
    came_back(await asking.visitor.post(page, answer="allow", **more))
    (shown,) = await asking.oauth.consents.authorized(asking.ada.id)
    assert {"profile"} == shown.grant.scopes
    assert 400 == (await asking.visitor.post(page, answer="maybe")).status_code


async def test_who_agreed_is_not_asked_again(asking):
    """Until more is asked for."""
    await asking.visitor.log_in(asking.ada)
    await agreed(asking, scope="profile")
    answer = await asking.visitor.get(await asking.page(scope="profile"))
    assert "code" in came_back(answer)
    assert 200 == (await asking.visitor.get(await asking.page())).status_code


async def test_looking_is_no_answer(asking):
    """HEAD takes no code."""
    await asking.visitor.log_in(asking.ada)
    await agreed(asking)
    page = await asking.page()
    assert 200 == (await asking.visitor.client.head(page)).status_code
    assert "code" in came_back(await asking.visitor.get(page))


MATRIX = list(itertools.product((False, True), repeat=3))


@pytest.mark.parametrize(("login", "prior", "trusted"), MATRIX)
async def test_auto_authorize_follows_its_rule(asking, login, prior, trusted):
    """Consent before, a login here, or trust; and whoever took consent back is asked again."""
    if trusted:
        await asking.oauth.apps.operate(asking.app.client_id, trusted=True)
    await asking.visitor.log_in(asking.ada)
    if prior:
        await agreed(asking)
    page = await asking.page(auto_authorize="true")
    if login:
        await asking.oauth.consents.logged_in(page.removeprefix("/authorize/"), asking.ada.id)
    answer = await asking.visitor.get(page)
    assert (303 if login or prior or trusted else 200) == answer.status_code
    if answer.status_code == 303:
        came_back(answer)
        await asking.oauth.consents.revoke_all(asking.ada.id)
        page = await asking.page(auto_authorize="true")
        await asking.oauth.consents.logged_in(page.removeprefix("/authorize/"), asking.ada.id)
        assert 200 == (await asking.visitor.get(page)).status_code


@pytest.mark.parametrize("where", ["iframe", "frame", "embed", "object"])
async def test_within_another_page_nothing_goes_by_itself(asking, where):
    """Not even what was agreed to before; and that page is not shown there."""
    await asking.visitor.log_in(asking.ada)
    await agreed(asking)
    page = await asking.page(auto_authorize="true")
    answer = await asking.visitor.get(page, sec_fetch_dest=where)
    assert (200, "DENY") == (answer.status_code, answer.headers["x-frame-options"])


async def test_the_page_speaks_chinese(asking):
    """As every page does."""
    await asking.visitor.log_in(asking.ada)
    answer = await asking.visitor.get(await asking.page(), accept_language="zh-CN")
    seen = Seen(answer.text)
    assert "将前往" in seen.text
    assert "您的余额" in seen.text


async def test_a_theft_is_told_in_the_language_of_the_page(asking):
    """No page of the user's causes that letter."""
    told = []
    asking.oauth.tokens.alarm = lambda user_id, language: told.append((user_id, language))
    await asking.visitor.log_in(asking.ada)
    asking.visitor.client.headers["accept-language"] = "zh-CN"
    code = (await agreed(asking))["code"]
    grant = CodeGrant(code=code, redirect_uri=asking.app.redirect_uri, verifier=None)
    issued = await asking.oauth.tokens.exchange(asking.app, grant)
    given = RefreshGrant(refresh_token=issued.refresh_token, scopes=None)
    await asking.oauth.tokens.refresh(asking.app, given)
    asking.console.clock.advance(61)
    with pytest.raises(OAuthError):
        await asking.oauth.tokens.refresh(asking.app, given)
    assert [(asking.ada.id, "zh")] == told


async def test_acts_know_where_they_came_from(database):
    """Consent and code, with address and program."""
    async with Asking.over(database, oauth=Rules()) as asking:
        await asking.visitor.log_in(asking.ada)
        await agreed(asking)
        told = [act for act in await asking.console.audit.everything() if "code" in act.kind]
        assert [("code_issued", "198.51.100.7")] == [(act.kind, act.address) for act in told]


async def spending(database):
    """A browser that an application sends to a gateway that lets applications spend."""
    return Asking.over(database, oauth=Rules(spend=True))


async def test_spending_is_unknown_unless_it_is_switched_on(asking):
    """The application is told so, as of any scope that does not exist."""
    answer = await asking.sent(scope="profile spend")
    assert "invalid_scope" == came_back(answer)["error"]


async def test_a_cap_is_asked_for_and_kept(database):
    """In dollars a month; the code then carries the scope."""
    async with await spending(database) as asking:
        await asking.visitor.log_in(asking.ada)
        page = await asking.page(scope="profile balance spend")
        seen = Seen((await asking.visitor.get(page)).text).text
        for words in ("Spend from your balance", "Most it may spend a month"):
            assert words in seen, words
        assert "It cannot spend any" not in seen
        said = came_back(await asking.visitor.post(page, answer="allow", cap="12.50"))
        assert "code" in said
        (consent,) = await asking.oauth.consents.authorized(asking.ada.id)
        assert {"profile", "balance", "spend"} == consent.grant.scopes
        assert {consent.grant.id: 12_500_000_000} == await asking.oauth.spending.caps(asking.ada.id)


async def test_without_a_cap_the_rest_is_granted(database):
    """Whoever leaves the field empty has not agreed to spending."""
    async with await spending(database) as asking:
        await asking.visitor.log_in(asking.ada)
        page = await asking.page(scope="profile spend")
        await asking.visitor.get(page)
        assert "code" in came_back(await asking.visitor.post(page, answer="allow", cap=""))
        (consent,) = await asking.oauth.consents.authorized(asking.ada.id)
        assert ({"profile"}, {}) == (
            consent.grant.scopes,
            await asking.oauth.spending.caps(asking.ada.id),
        )


@pytest.mark.parametrize("cap", ["0", "-5", "ten", "1e3", "10000.01", "9" * 50])
async def test_a_cap_that_is_none_is_told_beside_its_field(database, cap):
    """And the request still waits for its answer."""
    async with await spending(database) as asking:
        await asking.visitor.log_in(asking.ada)
        page = await asking.page(scope="profile spend")
        await asking.visitor.get(page)
        answer = await asking.visitor.post(page, answer="allow", cap=cap)
        assert (422, []) == (
            answer.status_code,
            await asking.oauth.consents.authorized(asking.ada.id),
        )
        assert "from 0.01 to 10000" in Seen(answer.text).text
        assert "code" in came_back(await asking.visitor.post(page, answer="allow", cap="5"))


async def test_a_cap_nobody_asked_for_is_not_set(asking):
    """A field that somebody adds to the form."""
    await asking.visitor.log_in(asking.ada)
    page = await asking.page()
    await asking.visitor.get(page)
    came_back(await asking.visitor.post(page, answer="allow", cap="100"))
    assert {} == await asking.oauth.spending.caps(asking.ada.id)


async def test_nobody_spends_without_a_question(database):
    """Neither with `auto_authorize` after a login nor for a trusted application."""
    async with await spending(database) as asking:
        await asking.oauth.apps.operate(asking.app.client_id, trusted=True)
        asking.console.clock.advance(1)
        await asking.visitor.log_in(asking.ada)
        answer = await asking.visitor.get(
            await asking.page(scope="profile spend", auto_authorize="true")
        )
        assert (200, True) == (answer.status_code, "Most it may spend" in Seen(answer.text).text)
