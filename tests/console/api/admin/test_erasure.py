"""Exports and erasures over the admin API; who may is in the matrix of ``test_teams.py``."""

import pytest

from console.api.admin.calling import USERS
from trivium.identity.model import UserRole
from trivium.oauth.developer.model import ADMIN

pytestmark = pytest.mark.asyncio


async def test_all_pages_together_are_what_is_known(script):
    """Told once, as the administrator's act."""
    path = f"{USERS}/{script.ada.id}/export"
    rows, after = [], ""
    while after is not None:
        page = await script.done("GET", f"{path}?limit=1&after={after}")
        rows, after = rows + page["rows"], page["after"]
    (user,) = [row for row in rows if row["table"] == "users"]
    assert ("ada", "ada@example.org") == (user["name"], user["email"])
    assert "password_hash" not in user
    (told,) = [act for act in await script.acts() if act[0] == "user_exported"]
    assert ("user_exported", script.root.id, script.ada.id, f"user:{script.ada.id}") == told


@pytest.mark.parametrize(
    ("query", "said"),
    [("limit=0", "limit"), ("limit=1001", "limit"), ("after=x", "after"), ("q=1", "no parameter")],
)
async def test_a_page_that_makes_no_sense(script, query, said):
    """Named."""
    status, message = await script.refused("GET", f"{USERS}/{script.ada.id}/export?{query}")
    assert 400 == status
    assert said in message


async def test_a_user_is_erased(script):
    """By an administrator, who says the name as well; with the next request they are nobody."""
    path, body = f"{USERS}/{script.ada.id}/erase", {"name": "ada"}
    token = await script.made_token(script.ada.id, "oauth_apps")
    done = await script.done("POST", path, body)
    assert (script.ada.id, f"erased:{script.ada.id}") == (done["id"], done["name"])
    assert done["rows"]["developer_tokens"] == 1
    shown = await script.done("GET", f"{USERS}/{script.ada.id}")
    assert (done["name"], "", True) == (shown["name"], shown["email"], shown["disabled"])
    assert 401 == (await script.refused("GET", "/api/admin/users", token=token))[0]
    acts = await script.acts()
    for kind in ("user_disabled", "user_erased"):
        assert (kind, script.root.id, script.ada.id, f"user:{script.ada.id}") in acts
    assert 409 == (await script.refused("POST", path, body))[0]
    assert {} == (await script.done("POST", path, {"name": done["name"]}))["rows"]
    assert (
        404 == (await script.refused("PATCH", f"{USERS}/{script.ada.id}", {"disabled": False}))[0]
    )


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({}, 400, "name"),
        ({"name": "eve"}, 409, "name: is not that of user"),
        ({"name": "ada", "sure": True}, 400, "sure"),
    ],
)
async def test_a_wrong_number_erases_nobody(script, body, status, said):
    """The name must be theirs."""
    found = await script.refused("POST", f"{USERS}/{script.ada.id}/erase", body)
    assert (status, True) == (found[0], said in found[1]), found
    assert not (await script.console.directory.one(script.ada.id)).disabled


async def test_who_is_needed_stays(script):
    """Oneself, and who is not there."""
    status, message = await script.refused(
        "POST", f"{USERS}/{script.root.id}/erase", {"name": "root"}
    )
    assert (409, True) == (status, "yourself" in message)
    assert 404 == (await script.refused("POST", f"{USERS}/99/erase", {"name": "x"}))[0]
    assert 404 == (await script.refused("GET", f"{USERS}/99/export"))[0]
    boss = await script.console.identity.create_user("boss", "b@example.org", UserRole.ADMIN)
    token = await script.made_token(boss.id, ADMIN)
    await script.done("POST", f"{USERS}/{boss.id}/erase", {"name": "boss"})
    path = f"{USERS}/{script.ada.id}/erase"
    assert 401 == (await script.refused("POST", path, {"name": "ada"}, token=token))[0]
