"""Developer tokens, as pages."""

import pytest

from console.developer.writing import HOME, TOKEN, logged_in
from console.visiting import Seen, user_of
from trivium.identity.model import UserRole
from trivium.oauth.developer.model import ADMIN, WRITE_APPS
from trivium.oauth.errors import OAuthError

pytestmark = pytest.mark.asyncio
NEW = f"{HOME}/tokens/new"


async def test_a_token_is_made_and_shown_once(owner):
    """It registers applications; the list has its last characters and its use."""
    await owner.visitor.get(NEW)
    answer = await owner.visitor.post(NEW, name="ci", days="30")
    (secret,) = set(TOKEN.findall(answer.text))
    token = await owner.oauth.developer.authenticate(secret, WRITE_APPS)
    assert owner.console.clock.at + 30 * 86_400 == token.expires_at
    answer = await owner.visitor.get(HOME)
    assert [] == TOKEN.findall(answer.text)
    assert f"gwdev_…{secret[-4:]}" in Seen(answer.text).text


@pytest.mark.parametrize(("name", "days"), [("", "30"), ("ci", "5000"), ("a\u202eb", "30")])
async def test_what_is_wrong_is_said(owner, name, days):
    """Nothing is made."""
    await owner.visitor.get(NEW)
    assert 422 == (await owner.visitor.post(NEW, name=name, days=days)).status_code
    assert [] == await owner.oauth.developer.owned_by(owner.owner.id)


async def test_making_one_needs_a_recent_login(owner):
    """Ten minutes."""
    owner.console.clock.advance(601)
    await owner.visitor.get(HOME)
    for answer in (await owner.visitor.get(NEW), await owner.visitor.post(NEW, name="ci")):
        assert answer.headers["location"].startswith("/login/confirm?for=")
    assert [] == await owner.oauth.developer.owned_by(owner.owner.id)


async def test_a_token_is_revoked(owner):
    """By its owner alone."""
    token, secret = await owner.oauth.developer.create(owner.owner.id, "ci")
    path = f"{HOME}/tokens/{token.id}/revoke"
    await logged_in(owner, owner.ada)
    await owner.visitor.get(HOME)
    assert 404 == (await owner.visitor.post(path)).status_code
    await owner.oauth.developer.authenticate(secret, WRITE_APPS)
    await logged_in(owner, owner.owner)
    await owner.visitor.get(HOME)
    assert 303 == (await owner.visitor.post(path)).status_code
    with pytest.raises(OAuthError):
        await owner.oauth.developer.authenticate(secret, WRITE_APPS)
    assert "revoked" in Seen((await owner.visitor.get(HOME)).text).text


async def test_a_form_from_elsewhere_does_nothing(owner):
    """403."""
    token, _ = await owner.oauth.developer.create(owner.owner.id, "ci")
    for path in (NEW, f"{HOME}/tokens/{token.id}/revoke"):
        assert 403 == (await owner.visitor.post(path, csrf="", name="x")).status_code
    (shown,) = await owner.oauth.developer.owned_by(owner.owner.id)
    assert None is shown.revoked_at


async def test_an_administrator_makes_one_for_administration(owner):
    """The choice is theirs alone, and the list says what it is."""
    boss = await user_of(owner.console, "boss", UserRole.ADMIN)
    await logged_in(owner, boss)
    page = await owner.visitor.get(NEW)
    assert 'value="admin"' in page.text
    answer = await owner.visitor.post(NEW, name="ops", days="7", permission="admin")
    (secret,) = set(TOKEN.findall(answer.text))
    assert "/api/admin/users" in answer.text
    found = await owner.oauth.developer.authenticate(secret, ADMIN)
    assert (boss.id, frozenset({ADMIN})) == (found.user_id, found.permissions)
    assert "administers" in Seen((await owner.visitor.get(HOME)).text).text


async def test_others_have_no_such_choice(owner):
    """Neither in the form nor by writing it into one."""
    page = await owner.visitor.get(NEW)
    assert (True, False) == ('value="teams:manage"' in page.text, 'value="admin"' in page.text)
    answer = await owner.visitor.post(NEW, name="ops", days="7", permission="admin")
    assert 422 == answer.status_code
    assert [] == await owner.oauth.developer.owned_by(owner.owner.id)
