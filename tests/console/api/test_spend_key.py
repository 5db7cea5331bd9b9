"""An access token becomes a key of the gateway, for its own application's server only."""

import pytest
import pytest_asyncio

from console.api.calling import Caller, said
from console.visiting import console_over
from trivium.clock import FixedClock
from trivium.identity.keys import digest
from trivium.identity.snapshot import Snapshot
from trivium.oauth.spend.model import LIVE_MAX
from trivium.settings.section import OAuthSettings as Rules

pytestmark = pytest.mark.asyncio
PATH = "/api/oauth2/spend_key"
CAP = 5 * 10**9


@pytest_asyncio.fixture
async def spender(database):
    """An application's server, where applications may spend."""
    rules = Rules(spend=True, token_per_minute=1000)
    console = console_over(database, FixedClock(), oauth=rules, api_url="https://api.example")
    async with Caller.over(console) as made:
        yield made


async def asked(caller, token, *, auth=None, **fields):
    """POST to the endpoint."""
    return await caller.client.post(
        PATH, data={"access_token": token, **fields}, auth=auth or caller.basic
    )


async def may_spend(caller):
    """An access token that may."""
    return (await caller.issued(scope=b"profile spend", cap_nanos=CAP)).access_token


async def test_a_token_becomes_a_key_that_ends_with_it(spender):
    """With where it is good, how long, and the cap; nobody stores the answer."""
    answer = await asked(spender, await may_spend(spender))
    body = answer.json()
    key = body.pop("key")
    assert (
        200,
        {"expires_in": 7200, "base_url": "https://api.example", "monthly_cap": "5.00"},
    ) == (
        answer.status_code,
        body,
    )
    assert "no-store" == answer.headers["cache-control"]
    snapshot = Snapshot(spender.console.database, spender.console.clock)
    await snapshot.load()
    assert spender.ada.id == snapshot.get(digest(key)).user_id


async def test_the_form_does_as_well_as_the_header(spender):
    """client_secret_post."""
    fields = {"access_token": await may_spend(spender), **spender.post_fields}
    assert 200 == (await spender.client.post(PATH, data=fields)).status_code


async def test_a_token_that_somebody_found_is_not_enough(spender):
    """Neither without credentials, nor with a wrong secret, nor as a bearer token."""
    token = await may_spend(spender)
    bearer = {"authorization": f"Bearer {token}"}
    answers = [
        await spender.client.post(PATH, data={"access_token": token}),
        await asked(spender, token, auth=(spender.app.client_id, "gws_wrong")),
        await spender.client.post(PATH, headers=bearer, data={"access_token": token}),
    ]
    assert [(401, "invalid_client")] * 3 == [said(answer) for answer in answers]
    assert {'Basic realm="oauth2"'} == {a.headers["www-authenticate"] for a in answers}


async def test_another_applications_token_is_worth_nothing(spender):
    """An application sees and spends its own."""
    token = await may_spend(spender)
    rival, secret = await spender.oauth.apps.create(spender.owner.id, "R", "", "https://r.example/")
    answer = await asked(spender, token, auth=(rival.client_id, secret))
    assert (400, "invalid_grant") == said(answer)


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("", (400, "invalid_request")),
        ("gwat_" + "x" * 43, (400, "invalid_grant")),
        ("nonsense", (400, "invalid_grant")),
        ("sk-gateway-" + "x" * 49, (400, "invalid_grant")),
    ],
)
async def test_what_is_no_token_is_refused(spender, token, expected):
    """Missing, unknown, or of another kind."""
    assert expected == said(await asked(spender, token))


async def test_a_token_without_the_scope_is_refused(spender):
    """403: asking again changes nothing."""
    token = (await spender.issued()).access_token
    assert (403, "insufficient_scope") == said(await asked(spender, token))


async def test_a_token_in_the_address_is_refused(spender):
    """It would be logged on its way."""
    token = await may_spend(spender)
    answer = await spender.client.post(f"{PATH}?access_token={token}", data={}, auth=spender.basic)
    assert (400, "invalid_request") == said(answer)


async def test_too_many_keys_are_told_how_long_to_wait(spender):
    """429 with Retry-After."""
    token = await may_spend(spender)
    for _ in range(LIVE_MAX):
        assert 200 == (await asked(spender, token)).status_code
    answer = await asked(spender, token)
    assert (429, "temporarily_unavailable", "7200") == (
        *said(answer),
        answer.headers["retry-after"],
    )


async def test_switched_off_there_is_no_key(caller):
    """Not even for a token that has the scope."""
    token = await may_spend(caller)
    assert (400, "unsupported_grant_type") == said(await asked(caller, token))
    assert 405 == (await caller.client.get(PATH)).status_code
