"""Members are found, added, invited, appointed and removed, by whoever may."""

import pytest

from console.visiting import Seen
from trivium.console.teams import members
from trivium.identity.teams.model import TeamRole


async def roles(company, team=None):
    found = await company.console.teams.members((team or company.research).id)
    return {who.name: member.role.value for member, who in found}


@pytest.mark.asyncio
async def test_a_manager_adds_and_appoints(company):
    """Up to their own role; who is a member already is refused."""
    mia = await company.browser("mia")
    path = company.path("/members")
    await mia.get(path)
    assert 303 == (await mia.post(path, who="out@example.com", role="billing")).status_code
    assert "billing" == (await roles(company))["out"]
    again = await mia.post(path, who="out", role="member")
    assert 422 == again.status_code
    assert "a member already" in again.text
    owner = await mia.post(path, who="eve", role="owner")
    assert "does not let you give this one" in owner.text
    out = str(company.people["out"].id)
    assert 303 == (await mia.post(f"{path}/change", user=out, role="member")).status_code
    assert "member" == (await roles(company))["out"]
    await mia.post(f"{path}/change", user=out, role="owner")
    assert "member" == (await roles(company))["out"]
    await mia.post(f"{path}/change", user=out)
    assert "out" not in await roles(company)


@pytest.mark.asyncio
async def test_a_member_sees_members_and_changes_none(company):
    """There are no buttons, and nothing behind them."""
    meg = await company.browser("meg")
    path = company.path("/members")
    page = await meg.get(path)
    assert {"mia", "meg", "bill"} <= set(Seen(page.text).words)
    assert "Add somebody" not in page.text
    assert "Change role" not in page.text
    assert 403 == (await meg.post(path, who="out")).status_code
    mia = str(company.people["mia"].id)
    assert 403 == (await meg.post(f"{path}/change", user=mia)).status_code


@pytest.mark.asyncio
async def test_members_come_by_the_page(company, monkeypatch):
    """And are found by name or address."""
    monkeypatch.setattr(members, "PAGE", 2)
    mia = await company.browser("mia")
    path = company.path("/members")
    first = Seen((await mia.get(path)).text)
    (more,) = [
        of["href"] for name, of in first.elements if name == "a" and "after=" in of.get("href", "")
    ]
    second = Seen((await mia.get(more)).text)
    shown = [{"mia", "meg", "bill"} & set(page.words) for page in (first, second)]
    # her own name stands beside the navigation
    assert {"mia", "meg", "bill"} == shown[0] | shown[1]
    assert "bill@example.com" not in first.text
    found = await mia.get(f"{path}?search=BILL@")
    assert "bill@example.com" in found.text
    assert "meg@example.com" not in found.text


@pytest.mark.asyncio
async def test_somebody_is_invited_by_letter(company):
    """The link is in the letter alone; the invitation can be withdrawn."""
    mia = await company.browser("mia")
    path = company.path("/members")
    await mia.get(path)
    done = await mia.post(path, who="new@example.com", role="manager", invite="1")
    assert 303 == done.status_code
    page = await mia.get(path)
    assert "new@example.com" in page.text
    (made,) = await company.console.accounts.team_invitations.all(company.research.id)
    assert TeamRole.MANAGER is made.role
    wrong = await mia.post(path, who="no address", invite="1")
    assert "not an e-mail address" in wrong.text
    await mia.post(f"{path}/withdraw", invitation=str(made.id))
    assert [] == await company.console.accounts.team_invitations.all(company.research.id)
    assert 303 == (await mia.post(f"{path}/withdraw", invitation=str(made.id))).status_code
    assert "no such invitation" in (await mia.get(path)).text


@pytest.mark.asyncio
async def test_the_last_owner_stays(company):
    """Also for an administrator."""
    eve = await company.browser("eve")
    path = company.path("/members", company.acme)
    ola = str(company.people["ola"].id)
    for fields in ({"role": "member"}, {}):
        await eve.post(f"{path}/change", user=ola, **fields)
        assert "keeps its last owner" in (await eve.get(path)).text
    assert {"ola": "owner"} == await roles(company, company.acme)
