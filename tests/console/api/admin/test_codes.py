"""Redemption codes over the API: made, seen without their secrets, revoked, redeemed once."""

import pytest

from console.api.admin.calling import USERS

CODES = "/api/admin/codes"
BATCHES = f"{CODES}/batches"

pytestmark = pytest.mark.asyncio


async def made(script, **more):
    """A new batch with its codes."""
    return await script.done("POST", BATCHES, {"amount": "10.00", "count": 3, **more})


async def test_codes_are_made_and_shown_once(script):
    """In lists they have ids and last characters."""
    batch = await made(script, note="spring")
    secrets = batch.pop("secrets")
    assert (3, "10.00", "spring", 0, 0) == (
        len(secrets), batch["amount"], batch["note"], batch["redeemed"], batch["revoked"],
    )  # fmt: skip
    assert [batch] == (await script.done("GET", BATCHES))["batches"]
    assert batch == await script.done("GET", f"{BATCHES}/{batch['id']}")
    answer = await script.ask("GET", f"{BATCHES}/{batch['id']}/codes?limit=2")
    page = answer.json()["data"]
    assert not any(secret in answer.text for secret in secrets)
    assert [secret[-3:] for secret in secrets[:2]] == [code["hint"] for code in page["codes"]]
    rest = await script.done("GET", f"{BATCHES}/{batch['id']}/codes?after={page['after']}")
    assert (1, None) == (len(rest["codes"]), rest["after"])


async def test_batches_come_in_pages(script):
    """The newest first."""
    first, second = (await made(script))["id"], (await made(script))["id"]
    page = await script.done("GET", f"{BATCHES}?limit=1")
    assert ([second], second) == ([each["id"] for each in page["batches"]], page["before"])
    page = await script.done("GET", f"{BATCHES}?limit=1&before={second}")
    assert ([first], None) == ([each["id"] for each in page["batches"]], page["before"])


async def test_a_code_is_redeemed_once(script):
    """By case and hyphens that do not count; then 409, for whoever tries it."""
    secret = (await made(script))["secrets"][0]
    path = f"{USERS}/{script.ada.id}/redeem"
    data = await script.done("POST", path, {"code": secret.lower().replace("-", " ")})
    assert ("10.00", "10.00") == (data["amount"], data["balance"])
    for user in (script.ada, script.root):
        refused = await script.refused("POST", f"{USERS}/{user.id}/redeem", {"code": secret})
        assert (409, "code: this code has been redeemed already") == refused
    wrong = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    assert 400 == (await script.refused("POST", path, {"code": wrong}))[0]
    code = (await script.done("GET", f"{BATCHES}/1/codes"))["codes"][0]
    assert ("redeemed", "ada") == (code["state"], code["user"])


async def test_codes_are_revoked(script):
    """By id, by themselves, by their batch; repeated, the same answer; one act for each."""
    batch = await made(script)
    first, second, third = batch["secrets"]
    assert "revoked" == (await script.done("POST", f"{CODES}/revoke", {"code": first}))["state"]
    for _ in range(2):
        assert "revoked" == (await script.done("DELETE", f"{CODES}/2"))["state"]
    path = f"{BATCHES}/{batch['id']}"
    gone = [(await script.done("DELETE", path))["revoked_now"] for _ in range(2)]
    assert [1, 0] == gone
    for secret in (first, second, third):
        refused = await script.refused("POST", f"{USERS}/{script.ada.id}/redeem", {"code": secret})
        assert (409, "code: this code has been revoked") == refused
    acts = [act.what for act in await script.console.audit.everything()]
    assert ["batch:1", "id:2", "id:1", "batch:1"] == acts[:4]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"amount": "0"}, "worth more than zero"),
        ({"amount": "ten"}, "amount: "),
        ({"amount": "1", "count": 0}, "$.count"),
        ({"amount": "1", "count": 1001}, "$.count"),
        ({"amount": "1", "expires_at": 1}, "expired already"),
        ({"amount": "1", "note": "a\nb"}, "note"),
        ({}, "amount"),
    ],
)
async def test_what_is_wrong_is_named(script, body, said):
    """400, and nothing is made."""
    status, message = await script.refused("POST", BATCHES, body)
    assert (400, True) == (status, said in message), message
    assert [] == (await script.done("GET", BATCHES))["batches"]


async def test_what_is_not_there_is_a_404(script):
    """Batches, codes, and a code that nobody made."""
    for method, path in (
        ("GET", f"{BATCHES}/7"),
        ("DELETE", f"{BATCHES}/7"),
        ("GET", f"{BATCHES}/7/codes"),
        ("GET", f"{CODES}/7"),
        ("DELETE", f"{CODES}/7"),
        ("GET", f"{CODES}/x"),
    ):
        assert 404 == (await script.refused(method, path))[0]
    assert 404 == (await script.refused("POST", f"{CODES}/revoke", {"code": "nothing"}))[0]
