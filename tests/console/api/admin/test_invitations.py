"""Links that make an account each, over the API."""

import pytest
import pytest_asyncio

from console.api.admin.calling import Script
from trivium.settings.workloads import AdminScope

PATH = "/api/admin/invitations"

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def inviting(database):
    """A gateway that lets people in by invitation."""
    async with Script.over(database, signup="invitation") as made:
        yield made


async def test_a_link_is_made_listed_and_withdrawn(inviting):
    """It is shown this once; each page has its own."""
    made = await inviting.done("POST", PATH, {"email": "grace@example.org", "days": 2})
    url = made.pop("url")
    assert (True, 2 * 86_400) == ("/invitation/" in url, made["expires_at"] - made["created_at"])
    other = await inviting.done("POST", PATH, {})
    page = await inviting.done("GET", f"{PATH}?limit=1")
    assert ([made], made["id"]) == (page["invitations"], page["after"])
    page = await inviting.done("GET", f"{PATH}?after={made['id']}")
    assert [other["id"]] == [each["id"] for each in page["invitations"]]
    assert await inviting.done("DELETE", f"{PATH}/{made['id']}") is None
    assert 404 == (await inviting.refused("DELETE", f"{PATH}/{made['id']}"))[0]
    acts = [act.kind for act in await inviting.console.audit.everything()]
    assert ["invitation_withdrawn", "invitation", "invitation"] == acts[:3]


async def test_a_letter_has_the_link_alone(inviting):
    """Whoever invites must not be able to use it instead."""
    made = await inviting.done("POST", PATH, {"email": "grace@example.org", "mail": True})
    assert made["url"] is None


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"mail": True}, 400, "email: a letter goes to somebody"),
        ({"email": "nobody"}, 400, "email: is no address"),
        ({"email": "ada@example.org"}, 409, "email: belongs to a user already"),
        ({"days": 0}, 400, "$.days"),
        ({"days": 366}, 400, "$.days"),
        ({"role": "root"}, 400, "$.role"),
    ],
)
async def test_what_is_wrong_is_named(inviting, body, status, said):
    """With the member."""
    found = await inviting.refused("POST", PATH, body)
    assert (status, True) == (found[0], said in found[1]), found


async def test_a_machine_invites_no_administrator(inviting):
    """It would be one by the link."""
    make = inviting.console.oauth.machines.create
    _, secret = await make("m", frozenset(AdminScope), inviting.log, user_id=inviting.root.id)
    refused = await inviting.refused("POST", PATH, {"role": "admin"}, token=secret)
    assert (403, "role: an administrator does that, not a token for machines") == refused
    assert 200 == (await inviting.ask("POST", PATH, {}, token=secret)).status_code


async def test_nobody_is_invited_where_nobody_gets_in(script):
    """The link would lead nowhere."""
    assert 409 == (await script.refused("POST", PATH, {}))[0]
