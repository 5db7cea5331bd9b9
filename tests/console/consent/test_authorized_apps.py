"""The applications a user let in, as pages."""

import pytest
import pytest_asyncio

from console.consent.asking import Asking, let_in
from console.visiting import Seen
from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens.model import RefreshGrant
from trivium.settings.section import OAuthSettings as Rules

pytestmark = pytest.mark.asyncio
HOME = "/account/applications"


async def grant_of(asking):
    (shown,) = await asking.oauth.consents.authorized(asking.ada.id)
    return shown.grant.id


async def test_without_any_the_page_says_so(asking):
    """And offers nothing to revoke."""
    await asking.visitor.log_in(asking.ada)
    seen = Seen((await asking.visitor.get(HOME)).text)
    assert "No application has access" in seen.text
    assert "Revoke" not in seen.text


async def test_an_application_is_shown_with_what_it_may_and_did(asking):
    """Owner, host, scopes, use, tokens."""
    issued = await let_in(asking)
    await asking.visitor.log_in(asking.ada)
    words = Seen((await asking.visitor.get(HOME)).text).text
    for said in ("Shop & Co", "Made by owner · shop.example", "Who you are", "Your balance"):
        assert said in words
    assert "First used never Last used never Live tokens 2" in words
    await asking.oauth.tokens.access(issued.access_token)
    assert "never" not in Seen((await asking.visitor.get(HOME)).text).text


async def test_automatic_consent_and_theft_are_told(asking):
    """Nobody has to look for it."""
    issued = await let_in(asking, automatic=True)
    grant = RefreshGrant(refresh_token=issued.refresh_token, scopes=None)
    await asking.oauth.tokens.refresh(asking.app, grant)
    asking.console.clock.advance(61)
    with pytest.raises(OAuthError):
        await asking.oauth.tokens.refresh(asking.app, grant)
    await asking.visitor.log_in(asking.ada)
    words = Seen((await asking.visitor.get(HOME)).text).text
    assert "let in automatically" in words
    assert "how stolen tokens show" in words


async def test_revoking_is_in_force_with_the_next_call(asking):
    """userinfo 401, refresh invalid_grant."""
    issued = await let_in(asking)
    await asking.visitor.log_in(asking.ada)
    await asking.visitor.get(HOME)
    answer = await asking.visitor.post(f"{HOME}/{await grant_of(asking)}/revoke")
    assert (303, HOME) == (answer.status_code, answer.headers["location"])
    answer = await asking.visitor.client.get(
        "/api/oauth2/userinfo", headers={"authorization": f"Bearer {issued.access_token}"}
    )
    assert (401, "invalid_token") == (answer.status_code, answer.json()["error"])
    answer = await asking.visitor.client.post(
        "/api/oauth2/token",
        data={"grant_type": "refresh_token", "refresh_token": issued.refresh_token},
        auth=(asking.app.client_id, asking.secret),
    )
    assert (400, "invalid_grant") == (answer.status_code, answer.json()["error"])
    assert "no access any more" in (await asking.visitor.get(HOME)).text


async def test_all_are_revoked_at_once(asking):
    """Where there are several."""
    issued = await let_in(asking)
    asking.app, asking.secret = await asking.oauth.apps.create(
        asking.owner.id, "Rival", "", "https://rival.example/?x=1"
    )
    other = await let_in(asking)
    await asking.visitor.log_in(asking.ada)
    assert "Revoke all" in (await asking.visitor.get(HOME)).text
    await asking.visitor.post(f"{HOME}/revoke")
    for token in (issued.access_token, other.access_token):
        with pytest.raises(OAuthError):
            await asking.oauth.tokens.access(token)


async def test_nobody_revokes_anothers(asking):
    """404; and a form from elsewhere does nothing."""
    issued = await let_in(asking)
    path = f"{HOME}/{await grant_of(asking)}/revoke"
    await asking.visitor.log_in(asking.owner)
    await asking.visitor.get(HOME)
    assert 404 == (await asking.visitor.post(path)).status_code
    await asking.visitor.post(f"{HOME}/revoke")
    await asking.visitor.log_in(asking.ada)
    assert 403 == (await asking.visitor.post(path, csrf="x")).status_code
    await asking.oauth.tokens.access(issued.access_token)


@pytest_asyncio.fixture
async def spender(database):
    """Ada has let an application spend, and is logged in."""
    async with Asking.over(database, oauth=Rules(spend=True)) as made:
        await let_in(made, scope="profile spend", cap_nanos=10**10)
        await made.visitor.log_in(made.ada)
        yield made


async def test_a_cap_is_shown_with_what_was_spent_and_changed(spender):
    """By its user, at once."""
    page = await spender.visitor.get(HOME)
    assert "$0.00 spent this month." in Seen(page.text).text
    assert 'name="cap"' in page.text
    assert 'value="10.00"' in page.text
    grant_id = await grant_of(spender)
    answer = await spender.visitor.post(f"{HOME}/{grant_id}/cap", cap="2.50")
    assert (303, HOME) == (answer.status_code, answer.headers["location"])
    assert {grant_id: 2_500_000_000} == await spender.oauth.spending.caps(spender.ada.id)


@pytest.mark.parametrize("cap", ["", "0", "x", "10000.01"])
async def test_a_wrong_cap_changes_nothing(spender, cap):
    """And is told beside its field."""
    await spender.visitor.get(HOME)
    grant_id = await grant_of(spender)
    answer = await spender.visitor.post(f"{HOME}/{grant_id}/cap", cap=cap)
    assert (422, {grant_id: 10**10}) == (
        answer.status_code,
        await spender.oauth.spending.caps(spender.ada.id),
    )
    assert 'aria-invalid="true"' in answer.text


async def test_nobody_sets_anothers_cap(spender):
    """404, as of a consent that is not there."""
    path = f"{HOME}/{await grant_of(spender)}/cap"
    await spender.visitor.log_in(spender.owner)
    await spender.visitor.get(HOME)
    assert 404 == (await spender.visitor.post(path, cap="1")).status_code


async def test_an_application_that_may_not_spend_has_no_cap(asking):
    """The form is not there, and sending one is 404."""
    await let_in(asking)
    await asking.visitor.log_in(asking.ada)
    page = await asking.visitor.get(HOME)
    assert 'name="cap"' not in page.text
    path = f"{HOME}/{await grant_of(asking)}/cap"
    assert 404 == (await asking.visitor.post(path, cap="1")).status_code
