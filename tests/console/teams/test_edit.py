"""A team's settings: each role changes what it decides about, and nothing else."""

import pytest

FORM = {"models": "gpt-*", "requests": "60", "has_wallet": "1", "unlimited": "1", "claim": "g"}


async def now(company, team=None):
    return (await company.console.teams.all()).get((team or company.research).id)


@pytest.mark.asyncio
async def test_an_owner_above_funds_and_an_administrator_operates(company):
    """What is sent besides is not looked at."""
    ola = await company.browser("ola")
    path = company.path("/settings")
    assert "Price group" not in (await ola.get(path)).text
    assert 303 == (await ola.post(path, **FORM)).status_code
    team = await now(company)
    assert (("gpt-*",), 60, True) == (team.models, team.limits.requests, team.has_wallet)
    assert (False, None) == (team.unlimited, team.claim)
    eve = await company.browser("eve")
    await eve.get(path)
    assert 303 == (await eve.post(path, **FORM)).status_code
    team = await now(company)
    assert (True, "g") == (team.unlimited, team.claim)
    wrong = await eve.post(path, **{**FORM, "group": "nowhere"})
    assert "no such price group" in wrong.text
    assert 422 == (await eve.post(path, models="a*b")).status_code


@pytest.mark.asyncio
async def test_an_owner_switches_their_own_team_off_and_no_more(company):
    """Its money is decided above it."""
    ola = await company.browser("ola")
    path = company.path("/settings", company.acme)
    assert "decided above it" in (await ola.get(path)).text
    assert 303 == (await ola.post(path, **FORM, disabled="1")).status_code
    team = await now(company, company.acme)
    assert (True, (), None) == (team.disabled, team.models, team.limits)
    mia = await company.browser("mia")
    assert 403 == (await mia.get(company.path("/settings"))).status_code
    assert 403 == (await mia.post(company.path("/settings"))).status_code


@pytest.mark.asyncio
async def test_an_administrator_lets_a_balance_go_below_zero(company):
    """Of a team with one of its own; what is no amount is said, and nothing else is saved."""
    eve = await company.browser("eve")
    path = company.path("/settings", company.acme)
    assert 303 == (await eve.post(path, has_wallet="1", overdraft="$50")).status_code
    entries = company.console.entries
    assert 50_000_000_000 == await entries.overdraft(company.acme.id)
    assert 'value="50.00"' in (await eve.get(path)).text
    wrong = await eve.post(path, has_wallet="1", overdraft="-1", disabled="1")
    assert (422, False) == (wrong.status_code, (await now(company, company.acme)).disabled)
    assert 'name="overdraft"' not in (await eve.get(company.path("/settings"))).text
    ola = await company.browser("ola")
    await ola.post(path, overdraft="9999")
    assert 50_000_000_000 == await entries.overdraft(company.acme.id)
