"""Users over the admin API."""

import pytest

from console.api.admin.calling import USERS
from trivium.identity.model import UserRole
from trivium.ledger import store as ledger_store
from trivium.ledger.model import NANOS, EntryKind
from trivium.storage.errors import StorageDown

pytestmark = pytest.mark.asyncio


async def test_a_user_is_made(script):
    """With what was asked for, as the administrator's act."""
    body = {"name": "eve", "email": "Eve@Example.org", "role": "admin", "unlimited": True}
    made = await script.done("POST", USERS, body)
    assert {
        "id": made["id"],
        "name": "eve",
        "email": "eve@example.org",
        "role": "admin",
        "disabled": False,
        "unlimited": True,
        "group": "",
        "limits": None,
        "balance": "0.00",
        "budget_letters": True,
        "created_at": int(script.console.clock.at),
    } == made
    assert made == await script.done("GET", f"{USERS}/{made['id']}")
    assert [("user_created", script.root.id, made["id"], "")] == await script.acts()


async def test_a_user_begins_with_credit(script):
    """Booked and told."""
    body = {"name": "eve", "email": "eve@example.org", "credit": "12.5"}
    made = await script.done("POST", USERS, body)
    assert ("12.50", "user") == (made["balance"], made["role"])
    assert 12_500_000_000 == await script.console.entries.balance(made["id"])
    assert ("user_credit", script.root.id, made["id"], "entry:1") == (await script.acts())[-1]


async def test_a_user_and_their_credit_are_made_together_or_not_at_all(script, monkeypatch):
    """So a call whose answer was lost can be repeated: 409 says that all of it was done."""

    async def down(*_):
        raise StorageDown("gone")

    body = {"name": "eve", "email": "eve@example.org", "credit": "12.5"}
    before = await script.console.identity.list_users(), await script.acts()
    with monkeypatch.context() as patched:
        patched.setattr(ledger_store, "add_to_account", down)
        assert 503 == (await script.refused("POST", USERS, body))[0]
    assert before == (await script.console.identity.list_users(), await script.acts())
    made = await script.done("POST", USERS, body)
    assert "12.50" == made["balance"]
    assert 409 == (await script.refused("POST", USERS, body))[0]
    assert 12_500_000_000 == await script.console.entries.balance(made["id"])


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"name": "ada"}, 409, "name"),
        ({"email": "ADA@example.org"}, 409, "email"),
        ({"name": " "}, 400, "name"),
        ({"name": "e@x"}, 400, "name"),
        ({"email": "nobody"}, 400, "email"),
        ({"credit": "0"}, 400, "credit"),
        ({"credit": "-1"}, 400, "credit"),
        ({"credit": "1e3"}, 400, "credit"),
        ({"credit": 5}, 400, "$.credit"),
        ({"credit": "5", "unlimited": True}, 400, "credit"),
    ],
)
async def test_a_user_that_cannot_be_is_not_made(script, change, status, said):
    """The message names the member; nobody is made, nothing booked."""
    body = {"name": "eve", "email": "eve@example.org"} | change
    before = await script.console.identity.list_users()
    found, message = await script.refused("POST", USERS, body)
    assert (status, True) == (found, said in message), message
    assert before == await script.console.identity.list_users()


async def test_everybody_is_listed_in_pages(script):
    """In the order they were made; `after` leads on, and is null on the last."""
    names, after, pages = [], 0, 0
    while after is not None:
        page = await script.done("GET", f"{USERS}?limit=2&after={after}")
        names += [user["name"] for user in page["users"]]
        after, pages = page["after"], pages + 1
    assert (["owner", "ada", "root"], 2) == (names, pages)


async def test_a_search_looks_into_names_and_addresses(script):
    """With balances; in any case."""
    await script.console.entries.book(script.ada.id, EntryKind.TOP_UP, 3 * NANOS)
    page = await script.done("GET", f"{USERS}?q=ADA%40")
    assert [("ada", "3.00")] == [(user["name"], user["balance"]) for user in page["users"]]
    assert [] == (await script.done("GET", f"{USERS}?q=%25"))["users"]


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=201", "limit=x", "limit=", "after=-1", "after=x", "q=%00"]
)
async def test_a_page_that_cannot_be_is_a_400(script, query):
    """It names the parameter."""
    status, message = await script.refused("GET", f"{USERS}?{query}")
    assert (400, True) == (status, message.startswith(query.partition("=")[0]))


async def test_a_user_is_disabled_and_enabled(script):
    """Told each time, and not when nothing has changed."""
    path = f"{USERS}/{script.ada.id}"
    for disabled in (True, True, False, False):
        assert disabled is (await script.done("PATCH", path, {"disabled": disabled}))["disabled"]
        user = await script.console.directory.one(script.ada.id)
        assert disabled is user.disabled
    what = f"user:{script.ada.id}"
    assert [
        ("user_disabled", script.root.id, script.ada.id, what),
        ("user_enabled", script.root.id, script.ada.id, what),
    ] == await script.acts()


async def test_a_user_is_given_a_role(script):
    """Together with being enabled or not, too."""
    path = f"{USERS}/{script.ada.id}"
    found = await script.done("PATCH", path, {"role": "admin", "disabled": True})
    assert ("admin", True) == (found["role"], found["disabled"])
    user = await script.console.directory.one(script.ada.id)
    assert (UserRole.ADMIN, True) == (user.role, user.disabled)
    assert ["user_disabled", "user_role"] == [act[0] for act in await script.acts()]


@pytest.mark.parametrize("body", [{"disabled": True}, {"role": "user"}])
async def test_nobody_puts_themselves_out(script, body):
    """409: so there is always an administrator. What changes nothing is no such thing."""
    path = f"{USERS}/{script.root.id}"
    assert 409 == (await script.refused("PATCH", path, body))[0]
    assert script.root == await script.console.directory.one(script.root.id)
    await script.done("PATCH", path, {"disabled": False, "role": "admin"})
    assert [] == await script.acts()


async def test_a_change_says_what(script):
    """400 without a member, with null, and with one that cannot be changed."""
    path = f"{USERS}/{script.ada.id}"
    for body in ({}, {"disabled": None}, {"name": "eve"}):
        assert 400 == (await script.refused("PATCH", path, body))[0], body


@pytest.mark.parametrize("user", ["999", "0", "x", "9" * 400, "-1"])
async def test_a_user_who_is_not_there_is_a_404(script, user):
    """Whatever is asked of them."""
    credit = {"amount": "1", "reason": "r", "idempotency_id": "i" * 8}
    for method, below, body in (
        ("GET", "", None),
        ("PATCH", "", {"disabled": True}),
        ("GET", "/keys", None),
        ("POST", "/keys", {}),
        ("POST", "/credit", credit),
    ):
        assert 404 == (await script.refused(method, f"{USERS}/{user}{below}", body))[0]


@pytest.mark.asyncio
async def test_letters_about_budgets_are_switched(script):
    """And shown."""
    path = f"/api/admin/users/{script.ada.id}"
    assert (await script.done("GET", path))["budget_letters"]
    assert not (await script.done("PATCH", path, {"budget_letters": False}))["budget_letters"]
    assert not (await script.done("GET", path))["budget_letters"]
