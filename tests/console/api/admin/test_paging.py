"""What narrows a list: read as it is meant, or refused by name."""

import pytest

from console.api.admin.calling import USERS

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("limit=0", "limit: must be 1 to 200"),
        ("limit=201", "limit: must be 1 to 200"),
        ("limit=x", "limit: must be 1 to 200"),
        ("limit=", "limit: must be 1 to 200"),
        ("before=-1", "before: must be the id of a payment"),
        ("user=ada", "user: must be the id of a user"),
        ("user=1&user=2", "the parameter `user` occurs twice"),
        ("state=lost", "state: must be one of open, processing, paid, failed, expired, held"),
        ("page=2", "there is no parameter `page` here"),
    ],
)
async def test_what_is_wrong_is_named(script, query, said):
    """400, with the parameter and what would be right."""
    assert (400, said) == await script.refused("GET", f"/api/admin/payments?{query}")


async def test_pages_follow_one_another(script):
    """Each begins where the one before ended; the last says so."""
    for amount in ("1", "2", "3"):
        body = {"amount": amount, "reason": "x", "idempotency_id": f"id-{amount}-000"}
        await script.done("POST", f"{USERS}/{script.ada.id}/credit", body)
    path = f"{USERS}/{script.ada.id}/entries?limit=2"
    first = await script.done("GET", path)
    second = await script.done("GET", f"{path}&before={first['before']}")
    assert ["3.00", "2.00"] == [each["amount"] for each in first["entries"]]
    assert (["1.00"], None) == ([each["amount"] for each in second["entries"]], second["before"])
