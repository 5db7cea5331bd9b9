"""Keys over the admin API."""

import pytest

from console.api.admin.calling import KEYS, USERS
from trivium.identity import keys as issued
from trivium.identity import store
from trivium.identity.model import Key
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits

pytestmark = pytest.mark.asyncio
TERMS = {
    "name": "ci",
    "models": ["gpt-*", "m"],
    "expires_at": 4_000_000_000,
    "strict": True,
    "header_only": True,
    "limits": {"requests": 5, "tokens": None, "concurrency": 2},
    "budgets": [{"amount": "1.50", "period": "day"}, {"amount": "20.00", "period": "total"}],
    "networks": ["10.0.0.0/8"],
}
NOTHING = {
    "name": "default",
    "models": [],
    "expires_at": None,
    "strict": False,
    "header_only": False,
    "limits": None,
    "budgets": [],
    "networks": [],
}


def path(script):
    return f"{USERS}/{script.ada.id}/keys"


def terms(shown):
    """What a key that was shown may do."""
    return {name: shown[name] for name in TERMS}


async def made(script, body=None):
    return await script.done("POST", path(script), body or {})


@pytest.mark.parametrize(("body", "expected"), [({}, NOTHING), (TERMS, TERMS)])
async def test_a_key_is_made_and_shown_once(script, body, expected):
    """With every term; told as the administrator's act."""
    key = await made(script, body)
    secret = key.pop("key")
    found = await script.console.identity.find_key(secret)
    assert (key["id"], script.ada.id, secret[-4:]) == (found.id, key["user_id"], key["hint"])
    assert expected == terms(key)
    assert key == await script.done("GET", f"{KEYS}/{key['id']}")
    assert {"keys": [key], "after": None} == await script.done("GET", path(script))
    assert [("key_created", script.root.id, script.ada.id, f"key:{key['id']}")] == (
        await script.acts()
    )
    assert issued.parse(secret)


async def test_a_key_is_stored_as_it_was_asked_for(script):
    """Money as nano-dollars."""
    key = await made(script, TERMS)
    found = await script.console.directory.key(key["id"])
    assert RateLimits(5, None, 2) == found.limits
    day = Budget(amount_nanos=1_500_000_000, period=Period.DAY)
    assert (day, Budget(amount_nanos=20_000_000_000, period=Period.TOTAL)) == found.budgets


@pytest.mark.parametrize("name", list(TERMS))
async def test_a_term_is_changed_alone_and_taken_away(script, name):
    """The others stay; it is told which it was."""
    key = await made(script)
    where = f"{KEYS}/{key['id']}"
    changed = await script.done("PATCH", where, {name: TERMS[name]})
    assert NOTHING | {name: TERMS[name]} == terms(changed)
    assert changed == await script.done("GET", where)
    (act, *_) = await script.console.audit.everything()
    assert ("key_changed", True) == (act.kind, f'"changed":"{name}"' in act.detail)
    assert NOTHING == terms(await script.done("PATCH", where, {name: NOTHING[name]}))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"name": ""}, "name"),
        ({"models": ["a*b"]}, "models"),
        ({"models": "gpt"}, "$.models"),
        ({"expires_at": 1}, "expires_at"),
        ({"expires_at": 10**30}, "$.expires_at"),
        ({"expires_at": "2027-01-01"}, "$.expires_at"),
        ({"strict": None}, "$.strict"),
        ({"limits": {"requests": 0}}, "limits"),
        ({"limits": {"requests": 10**30}}, "limits"),
        ({"limits": {"rpm": 5}}, "`rpm`"),
        ({"budgets": [{"amount": "0", "period": "day"}]}, "budgets"),
        ({"budgets": [{"amount": 1.5, "period": "day"}]}, "amount"),
        ({"budgets": [{"amount": "x", "period": "day"}]}, "budgets"),
        ({"budgets": [{"amount": "1", "period": "year"}]}, "period"),
        ({"budgets": [{"amount": "1", "period": "day"}] * 2}, "budgets"),
        ({"networks": ["10.0.0.0/99"]}, "networks"),
        ({"disabled": True}, "`disabled`"),
    ],
)
async def test_terms_that_cannot_be_are_refused(script, body, said):
    """400 for a new key and for one that is there; the message names the member."""
    key = await made(script)
    before = await script.done("GET", path(script))
    for method, where in (("POST", path(script)), ("PATCH", f"{KEYS}/{key['id']}")):
        status, message = await script.refused(method, where, body)
        assert (400, True) == (status, said in message), message
    assert before == await script.done("GET", path(script))


async def test_a_new_key_is_not_paused(script):
    """Nor is anything else said of it that is no term."""
    status, message = await script.refused("POST", path(script), {"paused": True})
    assert (400, True) == (status, "`paused`" in message)


async def test_a_key_is_paused_and_resumed(script):
    """Told each time, and not when nothing has changed."""
    key = await made(script)
    where = f"{KEYS}/{key['id']}"
    for paused in (True, True, False, False):
        assert paused is (await script.done("PATCH", where, {"paused": paused}))["paused"]
        assert paused is (await script.console.directory.key(key["id"])).paused
    acts = [act[0] for act in await script.acts()]
    assert ["key_created", "key_paused", "key_resumed"] == acts


async def test_terms_and_a_pause_go_together(script):
    """And terms that cannot be leave the key as it is."""
    where = f"{KEYS}/{(await made(script))['id']}"
    assert 400 == (await script.refused("PATCH", where, {"name": "", "paused": True}))[0]
    assert False is (await script.done("GET", where))["paused"]
    changed = await script.done("PATCH", where, {"name": "new", "paused": True})
    assert ("new", True) == (changed["name"], changed["paused"])
    assert 400 == (await script.refused("PATCH", where, {}))[0]


async def test_a_key_is_revoked_for_good(script):
    """Asked once more it is the same, told once; it cannot be changed any more."""
    where = f"{KEYS}/{(await made(script))['id']}"
    for _ in range(2):
        assert True is (await script.done("DELETE", where))["revoked"]
    assert True is (await script.done("GET", where))["revoked"]
    assert 409 == (await script.refused("PATCH", where, {"paused": False}))[0]
    assert ["key_created", "key_revoked"] == [act[0] for act in await script.acts()]


@pytest.mark.parametrize("key", ["999", "0", "x", "9" * 400])
async def test_a_key_that_is_not_there_is_a_404(script, key):
    """Whatever is asked of it."""
    for method, body in (("GET", None), ("PATCH", {"paused": True}), ("DELETE", None)):
        assert 404 == (await script.refused(method, f"{KEYS}/{key}", body))[0]


async def test_keys_of_applications_are_not_among_them(script):
    """Consent gives and ends those."""
    key = await made(script)
    async with script.console.database.write() as conn:
        raised = await store.bump(conn)
        given = Key(id=0, user_id=script.ada.id, name="shop's", hint="abcd", grant_id=7)
        given_id = await store.insert_key(conn, given, b"digest", raised)
    assert [key["id"]] == [each["id"] for each in (await script.done("GET", path(script)))["keys"]]
    for method, body in (("GET", None), ("PATCH", {"paused": True}), ("DELETE", None)):
        assert 404 == (await script.refused(method, f"{KEYS}/{given_id}", body))[0]


async def test_limits_of_each_end_user_are_terms_like_any_other(script):
    """Set, shown, changed and taken away."""
    path = f"/api/admin/users/{script.ada.id}/keys"
    cap = {"amount": "0.50", "period": "day"}
    made = await script.done("POST", path, {"end_user_requests": 5, "end_user_budgets": [cap]})
    assert (5, [cap]) == (made["end_user_requests"], made["end_user_budgets"])
    changed = {"end_user_requests": None, "end_user_budgets": []}
    after = await script.done("PATCH", f"/api/admin/keys/{made['id']}", changed)
    assert changed.items() <= after.items()
    cap["period"] = "total"
    refused = await script.refused("POST", path, {"end_user_budgets": [cap]})
    assert (400, True) == (refused[0], "for a period that ends" in refused[1])


async def test_a_users_keys_come_by_the_page(script):
    """In the order they were made; revoked ones alone, or others alone, and of all users as well."""
    made_ids = [(await made(script, {"name": f"k{i}"}))["id"] for i in range(3)]
    await script.done("DELETE", f"{KEYS}/{made_ids[1]}")

    async def listed(where, query):
        data = await script.done("GET", f"{where}?{query}")
        return [key["id"] for key in data["keys"]], data["after"]

    assert (made_ids[:2], made_ids[1]) == await listed(path(script), "limit=2")
    assert (made_ids[2:], None) == await listed(path(script), f"limit=2&after={made_ids[1]}")
    for where in (path(script), KEYS):
        assert ([made_ids[1]], None) == await listed(where, "revoked=true")
        assert (made_ids[::2], None) == await listed(where, "revoked=false")
        status, said = await script.refused("GET", f"{where}?revoked=yes")
        assert (400, "revoked: must be true or false") == (status, said)
