"""Credit over the admin API: booked once for each id, told once."""

import asyncio

import pytest

from console.api.admin.calling import USERS
from trivium.storage.errors import StorageError

pytestmark = pytest.mark.asyncio
BODY = {"amount": "12.50", "reason": "invoice 7", "idempotency_id": "invoice-7"}


def path(script, user=None):
    return f"{USERS}/{(user or script.ada).id}/credit"


async def test_money_is_booked(script):
    """As a top-up with the reason, told as the administrator's act."""
    data = await script.done("POST", path(script), BODY)
    assert {
        "entry": {
            "id": 1,
            "user_id": script.ada.id,
            "kind": "top_up",
            "amount": "12.50",
            "reason": "invoice 7",
            "created_at": int(script.console.clock.at),
        },
        "balance": "12.50",
    } == data
    (act,) = await script.console.audit.of_user(script.ada.id)
    assert ("user_credit", script.root.id, "entry:1", '{"amount":"12.50"}', "198.51.100.7") == (
        act.kind, act.actor_id, act.what, act.detail, act.address,
    )  # fmt: skip


async def test_some_is_taken_back(script):
    """As an adjustment."""
    data = await script.done("POST", path(script), BODY | {"amount": "-0.000000001"})
    assert ("adjustment", "-0.000000001") == (data["entry"]["kind"], data["balance"])


async def test_a_call_that_is_repeated_books_once(script):
    """The same entry each time, also side by side; one act; the balance as it is by then."""
    calls = [script.done("POST", path(script), BODY) for _ in range(4)]
    first, *others = await asyncio.gather(*calls)
    assert [first] * 3 == others
    await script.done("POST", path(script), BODY | {"idempotency_id": "invoice-8"})
    again = await script.done("POST", path(script), BODY)
    assert (first["entry"], "25.00") == (again["entry"], again["balance"])
    assert 2 == len(await script.acts())


@pytest.mark.parametrize("change", [{"amount": "13"}, {"amount": "-12.50"}, {"reason": "other"}])
async def test_the_same_id_for_something_else_is_a_409(script, change):
    """Nothing is booked; nor for another user."""
    await script.done("POST", path(script), BODY)
    status, message = await script.refused("POST", path(script), BODY | change)
    assert (409, True) == (status, message.startswith("idempotency_id: "))
    assert 409 == (await script.refused("POST", path(script, script.root), BODY))[0]
    balance = script.console.entries.balance
    assert (12_500_000_000, 0) == (await balance(script.ada.id), await balance(script.root.id))
    assert 1 == len(await script.acts())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"amount": "0"}, "amount"),
        ({"amount": "-0.00"}, "amount"),
        ({"amount": "1e3"}, "amount"),
        ({"amount": "1.0000000001"}, "amount"),
        ({"amount": "1000000001"}, "amount"),
        ({"amount": 12.5}, "$.amount"),
        ({"reason": ""}, "$.reason"),
        ({"reason": "  "}, "reason"),
        ({"reason": "a\nb"}, "reason"),
        ({"reason": "x" * 501}, "$.reason"),
        ({"idempotency_id": "short"}, "$.idempotency_id"),
        ({"idempotency_id": "with a space"}, "$.idempotency_id"),
        ({"idempotency_id": "ends-in-a-line\n"}, "$.idempotency_id"),
        ({"idempotency_id": "x" * 65}, "$.idempotency_id"),
        ({"idempotency_id": None}, "$.idempotency_id"),
        ({"note": "x"}, "`note`"),
    ],
)
async def test_what_cannot_be_booked_is_a_400(script, change, said):
    """The message names the member."""
    status, message = await script.refused("POST", path(script), BODY | change)
    assert (400, True) == (status, said in message), message
    assert 0 == await script.console.entries.balance(script.ada.id)


@pytest.mark.parametrize("name", list(BODY))
async def test_nothing_of_it_is_left_out(script, name):
    """Without the id a call that is repeated would book twice."""
    body = {other: value for other, value in BODY.items() if other != name}
    status, message = await script.refused("POST", path(script), body)
    assert (400, True) == (status, f"`{name}`" in message)


async def test_money_that_cannot_be_told_of_is_not_booked(script, monkeypatch):
    """Booking and act are one transaction."""

    async def fails(*_, **__):
        raise StorageError("the log's disk is full")

    monkeypatch.setattr(script.console.audit, "within", fails)
    assert 503 == (await script.refused("POST", path(script), BODY))[0]
    assert 0 == await script.console.entries.balance(script.ada.id)
