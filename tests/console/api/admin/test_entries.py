"""Somebody's books over the API: read in pages, explained, and taken back where booked by hand."""

import pytest

from console.api.admin.calling import USERS
from trivium.ledger.model import EntryKind

pytestmark = pytest.mark.asyncio


async def credit(script, amount="12.50", name="invoice-7"):
    """The entry of a new credit."""
    body = {"amount": amount, "reason": "invoice", "idempotency_id": name}
    return (await script.done("POST", f"{USERS}/{script.ada.id}/credit", body))["entry"]


async def test_entries_are_listed_by_kind(script):
    """And one is shown, with no lines where nothing was metered."""
    entry = await credit(script)
    await script.console.entries.book(script.ada.id, EntryKind.USAGE, -5, request_id="r-1")
    path = f"{USERS}/{script.ada.id}/entries"
    kinds = [each["kind"] for each in (await script.done("GET", path))["entries"]]
    assert ["usage", "top_up"] == kinds
    (only,) = (await script.done("GET", f"{path}?kind=top_up"))["entries"]
    assert entry.items() <= only.items()
    assert {**only, "lines": []} == await script.done("GET", f"{path}/{entry['id']}")


async def test_a_credit_is_taken_back_once(script):
    """Asked again, also side by side with nothing else, the same entry; it cannot be taken back."""
    entry = await credit(script)
    path = f"{USERS}/{script.ada.id}/entries"
    first = await script.done("POST", f"{path}/{entry['id']}/undo")
    assert ("adjustment", "-12.50", "0.00") == (
        first["entry"]["kind"], first["entry"]["amount"], first["balance"],
    )  # fmt: skip
    assert first == await script.done("POST", f"{path}/{entry['id']}/undo")
    refused = await script.refused("POST", f"{path}/{first['entry']['id']}/undo")
    assert (409, "only what was booked by hand is taken back, and that once") == refused
    assert 2 == len(await script.acts())


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (EntryKind.USAGE, "request-1"),
        (EntryKind.TOP_UP, "stripe:session"),
        (EntryKind.REDEMPTION, "code:1"),
        (EntryKind.REFUND, "stripe:session:refund:1"),
    ],
)
async def test_what_others_booked_stays(script, kind, name):
    """A provider takes its own back; what was used was used."""
    entry = await script.console.entries.book(script.ada.id, kind, 5, request_id=name)
    path = f"{USERS}/{script.ada.id}/entries/{entry.id}/undo"
    assert 409 == (await script.refused("POST", path))[0]


async def test_an_entry_of_somebody_else_is_not_there(script):
    """Not read, not taken back."""
    entry = await credit(script)
    path = f"{USERS}/{script.root.id}/entries/{entry['id']}"
    assert 404 == (await script.refused("GET", path))[0]
    assert 404 == (await script.refused("POST", f"{path}/undo"))[0]


async def test_an_overdraft_is_set(script):
    """To an amount; told once; zero ends it; less is refused."""
    path = f"{USERS}/{script.ada.id}/overdraft"
    assert "0.00" == (await script.done("GET", path))["amount"]
    for _ in range(2):
        assert "5.00" == (await script.done("PUT", path, {"amount": "5"}))["amount"]
    assert "0.00" == (await script.done("PUT", path, {"amount": "0"}))["amount"]
    refused = await script.refused("PUT", path, {"amount": "-1"})
    assert (400, "amount: must be zero or more") == refused
    assert ["user_overdraft"] * 2 == [act[0] for act in await script.acts()]
