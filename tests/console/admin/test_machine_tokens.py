"""Tokens for machines are made, shown once, rotated and revoked on a page."""

import re

import msgspec
import pytest
import pytest_asyncio

from console.visiting import console_over, user_of, visiting
from trivium.console.admin import machine_tokens
from trivium.identity.model import UserRole
from trivium.settings.workloads import AdminScope, WorkloadEntry

SECRET = re.compile(r"gwadm_[0-9A-Za-z_-]{20,}")
AT = "/admin/tokens"


@pytest_asyncio.fixture
async def boss(database, clock):
    console = console_over(database, clock)
    workload = WorkloadEntry(
        name="deploy",
        issuer="https://issuer.example",
        audience="trivium",
        scopes=("read",),
        claims={"sub": "repo:acme/infra:*"},
    )
    settings = msgspec.structs.replace(console.settings, workloads=(workload,))
    console = msgspec.structs.replace(console, settings=settings)
    async with visiting(database, console) as visitor:
        visitor.eve = await user_of(console, "eve", UserRole.ADMIN)
        await visitor.log_in(visitor.eve)
        await visitor.get(AT)
        yield visitor


@pytest.mark.asyncio
async def test_a_token_is_made_rotated_and_revoked(boss):
    """Its secret is on the page that made it alone."""
    made = await boss.post(AT, name="nightly", scope="money", days="30", own="1")
    secret = SECRET.search(made.text)[0]
    (token,) = await boss.console.oauth.machines.everything()
    assert ("nightly", {AdminScope.MONEY}, boss.eve.id) == (token.name, token.scopes, token.user_id)
    page = await boss.get(AT)
    assert secret not in page.text
    assert "nightly" in page.text
    assert "repo:acme/infra:*" in page.text
    rotated = await boss.post(f"{AT}/{token.id}/rotate", overlap="3600")
    assert SECRET.search(rotated.text)[0] != secret
    assert "works until" in rotated.text
    assert 303 == (await boss.post(f"{AT}/{token.id}/revoke")).status_code
    assert "revoked" in (await boss.get(AT)).text
    await boss.post(f"{AT}/{token.id}/rotate")
    assert "has ended: make another" in (await boss.get(AT)).text
    assert 404 == (await boss.post(f"{AT}/999/revoke")).status_code


@pytest.mark.asyncio
async def test_what_is_wrong_stands_beside_its_field(boss):
    """A token without a scope, or without a name."""
    answer = await boss.post(AT, name="x")
    assert 422 == answer.status_code
    assert "choose what it may do" in answer.text
    assert 422 == (await boss.post(AT, name="", scope="read")).status_code
    assert 422 == (await boss.post(AT, name="x", scope="everything")).status_code
    assert [] == await boss.console.oauth.machines.everything()


@pytest.mark.asyncio
async def test_tokens_come_by_the_page(boss, monkeypatch):
    """The newest first."""
    monkeypatch.setattr(machine_tokens, "PAGE", 1)
    for name in ("first", "second"):
        await boss.post(AT, name=name, scope="read")
    page = await boss.get(AT)
    assert ("second" in page.text, ">first" in page.text) == (True, False)
    (more,) = re.findall(r'href="(/admin/tokens\?before=[0-9]+)"', page.text)
    assert ">first" in (await boss.get(more)).text
