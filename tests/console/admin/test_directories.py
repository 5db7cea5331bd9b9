"""Tokens of directories are made for an organisation, shown once and revoked on a page."""

import re

import pytest
import pytest_asyncio

from console.visiting import console_over, user_of, visiting
from trivium.console.admin import directories
from trivium.identity.model import UserRole

SECRET = re.compile(r"gwscim_[0-9A-Za-z_-]{43}")
AT = "/admin/directories"


@pytest_asyncio.fixture
async def boss(database, clock):
    console = console_over(database, clock)
    async with visiting(database, console) as visitor:
        await visitor.log_in(await user_of(console, "eve", UserRole.ADMIN))
        visitor.acme = await console.teams.create("acme")
        await visitor.get(AT)
        yield visitor


@pytest.mark.asyncio
async def test_a_token_is_made_and_revoked(boss):
    """Its secret is on the page that made it alone, beside the address that a directory asks for."""
    made = await boss.post(
        AT, team="acme", name="okta", domains="Example.com, two.example", days="30"
    )
    secret = SECRET.search(made.text)[0]
    assert "https://gateway.example/scim/v2" in made.text
    (token,) = await boss.console.scim.tokens.all()
    assert ("okta", ("example.com", "two.example")) == (token.name, token.domains)
    assert 30 * 86_400 == token.expires_at - token.created_at
    assert boss.acme.id == (await boss.console.scim.tokens.authenticate(secret)).team_id
    page = await boss.get(AT)
    assert secret not in page.text
    assert "example.com, two.example" in page.text
    assert 303 == (await boss.post(f"{AT}/{token.id}/revoke")).status_code
    assert "revoked" in (await boss.get(AT)).text
    assert await boss.console.scim.tokens.authenticate(secret) is None
    assert 404 == (await boss.post(f"{AT}/{token.id}/revoke")).status_code
    acts = {each.kind for each in await boss.console.audit.everything()}
    assert {"scim_token_created", "scim_token_revoked"} <= acts


@pytest.mark.asyncio
async def test_what_is_wrong_stands_beside_its_field(boss):
    """A team that there is not, and what is no domain."""
    for fields, said in (
        ({"team": "nobody"}, "There is no team of this name."),
        ({"team": "acme", "domains": "example.com not_one"}, "One of these is no domain"),
        ({"team": "acme", "days": "7"}, "Please choose one of what is offered."),
    ):
        answer = await boss.post(AT, **fields)
        assert (422, True) == (answer.status_code, said in answer.text), fields
    assert [] == await boss.console.scim.tokens.all()


@pytest.mark.asyncio
async def test_tokens_come_by_the_page(boss, monkeypatch):
    """The newest first."""
    monkeypatch.setattr(directories, "PAGE", 1)
    for name in ("first", "second"):
        await boss.post(AT, team="acme", name=name)
    page = await boss.get(AT)
    assert ("second" in page.text, ">first" in page.text) == (True, False)
    (more,) = re.findall(rf'href="({AT}\?before=[0-9]+)"', page.text)
    assert ">first" in (await boss.get(more)).text
