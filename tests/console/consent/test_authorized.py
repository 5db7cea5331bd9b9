"""The applications a user let in, as pages."""

import pytest

from console.visiting import Seen
from trivium.oauth.consent.decision import Decision
from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens.model import CodeGrant, RefreshGrant

pytestmark = pytest.mark.asyncio
HOME = "/account/applications"


async def let_in(asking, *, automatic=False):
    """Tokens that ada agreed to."""
    page = (await asking.page()).removeprefix("/authorize/")
    await asking.oauth.consents.weigh(page, asking.ada.id, is_framed=False)
    decision = Decision.AUTOMATIC if automatic else Decision.ASK
    location = await asking.oauth.consents.approve(page, asking.ada.id, decision)
    code = location.partition("&code=")[2].partition("&")[0]
    grant = CodeGrant(code=code, redirect_uri=asking.app.redirect_uri, verifier=None)
    return await asking.oauth.tokens.exchange(asking.app, grant)


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
