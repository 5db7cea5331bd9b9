"""Who may ask over SCIM, and how refusals look."""

import pytest

from trivium.console.api.scim.base import NAMES_MAX
from trivium.oauth.developer.model import ADMIN

pytestmark = pytest.mark.asyncio
PATHS = ["/Users", "/Groups", "/Users/1", "/ServiceProviderConfig", "/Schemas", "/nothing"]


@pytest.mark.parametrize("path", PATHS)
async def test_nobody_learns_anything_without_a_token(idp, path):
    """Not even which paths there are; nor with a token of another kind, or one that is over."""
    user = idp.root.id
    developer = (await idp.console.oauth.developer.create(user, "x", permission=ADMIN))[1]
    made, ended = await idp.console.scim.tokens.create(idp.acme.id, "old")
    await idp.console.scim.tokens.revoke(made.id)
    for token in ("", developer, ended, "gwscim_" + "x" * 43):
        answer = await idp.ask("GET", path, token=token)
        assert (401, "Bearer") == (answer.status_code, answer.headers["www-authenticate"])
        assert "401" == answer.json()["status"]
        assert "no-store" == answer.headers["cache-control"]


async def test_a_token_ends_with_its_time_and_its_organisation(idp):
    """At once."""
    token = (await idp.console.scim.tokens.create(idp.acme.id, "short", days=1))[1]
    assert 200 == (await idp.ask("GET", "/Users", token=token)).status_code
    idp.console.clock.advance(86_400)
    assert 401 == (await idp.ask("GET", "/Users", token=token)).status_code
    assert 200 == (await idp.ask("GET", "/Users")).status_code
    await idp.console.teams.change(idp.acme.id, {"disabled": True})
    assert 401 == (await idp.ask("GET", "/Users")).status_code


async def test_guesses_are_counted(idp):
    """After some, whoever sends them waits."""
    for _ in range(100):
        answer = await idp.ask("GET", "/Users", token="gwscim_" + "y" * 43)
        if answer.status_code == 429:
            break
    assert 429 == answer.status_code
    assert int(answer.headers["retry-after"]) > 0


async def test_methods_and_paths_that_are_not_there(idp):
    """In SCIM's own form."""
    status, _, detail = await idp.refused("PATCH", "/Users", {})
    assert (405, "this path does not take PATCH") == (status, detail)
    answer = await idp.ask("DELETE", "/Groups")
    assert "GET, POST" == answer.headers["allow"]
    assert 404 == (await idp.refused("GET", "/nothing"))[0]
    assert 501 == (await idp.refused("GET", "/Me"))[0]
    assert 501 == (await idp.refused("POST", "/Bulk", {}))[0]


async def test_bodies_that_are_not_taken(idp):
    """Of another type, or too large."""
    path = "/Users"
    answer = await idp.caller.client.post(
        "/scim/v2/Users", content=b"{}", headers={"authorization": f"Bearer {idp.token}"}
    )
    assert 415 == answer.status_code
    assert (413, "tooMany") == (await idp.refused("POST", path, b" " * 1_048_577))[:2]


@pytest.mark.parametrize(
    "wanted",
    [
        "userName",
        "userName is 7",
        'userName eq "a',
        "userName eq ada",
        'userName eq "a" and',
        '(userName eq "a"',
        'shoeSize eq "a"',
        "userName eq 7",
        'active co "t"',
        'id gt "7"',
        'meta.created gt "yesterday"',
        "(" * 20 + 'userName eq "a"' + ")" * 20,
        " or ".join(['userName eq "a"'] * 60),
        "x" * 5000,
        'phones[type eq "work"]',
    ],
)
async def test_a_filter_that_cannot_be_read(idp, wanted):
    """Is refused as such, and says why."""
    answer = await idp.caller.client.get(
        "/scim/v2/Users",
        params={"filter": wanted},
        headers={"authorization": f"Bearer {idp.token}"},
    )
    assert (400, "invalidFilter") == (answer.status_code, answer.json()["scimType"])


async def test_names_of_attributes_are_bounded(idp):
    """As everything is."""
    names = ",".join(["userName"] * (NAMES_MAX + 1))
    assert (400, "invalidValue") == (await idp.refused("GET", f"/Users?attributes={names}"))[:2]
