"""Keys of a team and its service accounts."""

import re

import pytest

from console.visiting import Seen
from trivium.console.teams import keys
from trivium.identity.model import UserKind

SECRET = re.compile(r"sk-gateway-[0-9A-Za-z]{20,}")


@pytest.mark.asyncio
async def test_a_member_s_key_is_seen_by_them_and_by_managers(company):
    """Managers revoke it; nobody else finds it."""
    made, _ = await company.console.identity.create_key("meg", "notebook", team="acme/research")
    await company.console.teams.put_member(
        company.research.id, company.people["out"].id, keys_role()
    )
    path = company.path("/keys")
    for name, sees in (("meg", True), ("mia", True), ("eve", True), ("out", False)):
        page = await (await company.browser(name)).get(path)
        assert ("notebook" in page.text) is sees, name
    out = await company.browser("out")
    await out.post(f"{path}/revoke", key=str(made.id))
    assert not (await company.console.directory.key(made.id)).disabled
    mia = await company.browser("mia")
    assert 303 == (await mia.post(f"{path}/revoke", key=str(made.id))).status_code
    assert (await company.console.directory.key(made.id)).disabled


def keys_role():
    from trivium.identity.teams.model import TeamRole

    return TeamRole.MEMBER


@pytest.mark.asyncio
async def test_a_key_of_another_team_is_not_revoked_here(company):
    """Though it is one's own to manage elsewhere."""
    made, _ = await company.console.identity.create_key("ola", team="acme")
    mia = await company.browser("mia")
    await mia.post(company.path("/keys/revoke"), key=str(made.id))
    assert not (await company.console.directory.key(made.id)).disabled
    assert "no such key" in (await mia.get(company.path("/keys"))).text


@pytest.mark.asyncio
async def test_a_service_account_gets_keys_that_are_shown_once(company):
    """Made, changed, rotated and revoked by managers; disabled and enabled again."""
    mia = await company.browser("mia")
    made = await mia.post(company.path("/services"), title="nightly")
    at = made.headers["location"]
    page = await mia.get(at)
    assert "acme/research/nightly" in page.text
    await mia.get(f"{at}/keys/new")
    shown = await mia.post(f"{at}/keys/new", name="ci", models="gpt-*", budget="5", period="5h")
    assert 200 == shown.status_code
    first = SECRET.search(shown.text)[0]
    (key,) = await company.console.teams.keys(company.research.id)
    assert ("ci", ("gpt-*",)) == (key.name, key.models)
    assert first not in (await mia.get(at)).text
    rotated = await mia.post(f"{at}/keys/{key.id}/rotate", overlap="3600")
    assert SECRET.search(rotated.text)[0] != first
    assert "works until" in rotated.text
    assert 303 == (await mia.post(f"{at}/keys/pause", key=str(key.id))).status_code
    assert 303 == (await mia.post(f"{at}/keys/revoke", key=str(key.id))).status_code
    service = int(at.rpartition("/")[2])
    for disabled in (True, False):
        assert 303 == (await mia.post(f"{at}/switch")).status_code
        assert disabled is (await company.console.directory.one(service)).disabled
    meg = await company.browser("meg")
    for refused in (await meg.get(at), await meg.post(f"{at}/switch")):
        assert 403 == refused.status_code


@pytest.mark.asyncio
async def test_only_service_accounts_of_the_team_are_there(company):
    """Neither people nor those of other teams."""
    other = await company.console.teams.create_service(company.acme.id, "build")
    assert UserKind.SERVICE is other.kind
    eve = await company.browser("eve")
    for number in (other.id, company.people["meg"].id, 999_999):
        assert 404 == (await eve.get(company.path(f"/services/{number}"))).status_code
    bad = await eve.post(company.path("/services"), title="a/b")
    assert 422 == bad.status_code
    assert "neither / nor @" in bad.text


@pytest.mark.asyncio
async def test_keys_and_service_accounts_come_by_the_page(company, monkeypatch):
    """Each list has its own next page."""
    monkeypatch.setattr(keys, "PAGE", 1)
    for name in ("one", "two"):
        await company.console.identity.create_key("meg", name, team="acme/research")
        await company.console.teams.create_service(company.research.id, f"robot-{name}")
    mia = await company.browser("mia")
    first = Seen((await mia.get(company.path("/keys"))).text)
    assert ("one" in first.words, "two" in first.words) == (True, False)
    links = [of["href"] for name, of in first.elements if name == "a" and "?" in of.get("href", "")]
    (more,) = [link for link in links if "after=" in link]
    assert "two" in Seen((await mia.get(more)).text).words
    (services,) = [link for link in links if "service=" in link]
    assert "robot-two" in (await mia.get(services)).text
