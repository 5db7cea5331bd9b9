"""Other applications over the API: found, trusted, blocked, transferred."""

import pytest
import pytest_asyncio

PATH = "/api/admin/apps"

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def shop(script):
    """An application of ada's."""
    create = script.console.oauth.apps.create
    return (await create(script.ada.id, "Store", "", "https://store.example/cb"))[0]


async def test_applications_are_found(script, shop):
    """By owner and state, in pages."""
    other, _ = await script.console.oauth.apps.create(
        script.root.id, "Lab", "", "https://lab.example/cb"
    )

    async def names(query):
        found = await script.done("GET", f"{PATH}{query}")
        return [app["name"] for app in found["apps"]], found["after"]

    assert (["Shop", "Store", "Lab"], None) == await names("")
    assert (["Shop", "Store"], shop.id) == await names("?limit=2")
    assert (["Lab"], None) == await names(f"?after={shop.id}")
    assert (["Lab"], None) == await names(f"?owner={script.root.id}")
    assert ([], None) == await names("?status=blocked")
    shown = await script.done("GET", f"{PATH}/{other.client_id}")
    assert (other.client_id, script.root.id, False) == (
        shown["client_id"], shown["owner_id"], shown["trusted"],
    )  # fmt: skip


async def test_the_operator_decides(script, shop):
    """Each decision once, told as the administrator's; a repeated one is not told again."""
    path = f"{PATH}/{shop.client_id}"
    for _ in range(2):
        changed = await script.done("PATCH", path, {"trusted": True, "status": "blocked"})
        assert (True, "blocked") == (changed["trusted"], changed["status"])
    assert "active" == (await script.done("PATCH", path, {"status": "active"}))["status"]
    for _ in range(2):
        moved = await script.done("PATCH", path, {"owner_id": script.root.id})
        assert script.root.id == moved["owner_id"]
    acts = [(act.kind, act.actor_id) for act in await script.console.audit.everything()][:5]
    root = script.root.id
    assert [
        ("app_transferred", root), ("app_transferred", root), ("app_resumed", root),
        ("app_changed", root), ("app_suspended", root),
    ] == acts  # fmt: skip


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({}, 400, "nothing to change"),
        ({"status": "suspended"}, 400, "$.status"),
        ({"trusted": "yes"}, 400, "$.trusted"),
        ({"owner_id": 9999}, 404, "user"),
    ],
)
async def test_what_is_wrong_is_named(script, shop, body, status, said):
    """And nothing is changed."""
    found = await script.refused("PATCH", f"{PATH}/{shop.client_id}", body)
    assert (status, True) == (found[0], said in found[1]), found
    acts = {act.kind for act in await script.console.audit.everything()}
    assert not acts & {"app_changed", "app_suspended", "app_transferred"}


async def test_a_disabled_owner_is_none(script, shop):
    """409, with the member."""
    await script.console.identity.create_user("eve", "eve@example.org")
    eve = await script.console.identity.disable_user("eve")
    found = await script.refused("PATCH", f"{PATH}/{shop.client_id}", {"owner_id": eve.id})
    assert (409, "owner_id: this account is disabled") == found


async def test_there_is_no_such_application(script):
    """404, also for what cannot be a client id."""
    for name in ("gwc_" + "x" * 22, "7"):
        assert 404 == (await script.refused("GET", f"{PATH}/{name}"))[0]
        assert 404 == (await script.refused("PATCH", f"{PATH}/{name}", {"trusted": True}))[0]
