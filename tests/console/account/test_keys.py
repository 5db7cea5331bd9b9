"""A user's own keys."""

import re

import pytest

from console.visiting import Seen, user_of, visiting
from trivium.ledger.budgets.store import locked
from trivium.settings.budget import Budget, CounterId, Period
from trivium.settings.limits import RateLimits
from trivium.storage.schema.budgets import budget_counters

SECRET = re.compile(r"sk-gateway-[0-9A-Za-z]{49}")


async def owned(visitor):
    """A logged-in user and their keys."""
    user = await user_of(visitor.console)
    await visitor.log_in(user)
    return user


@pytest.mark.asyncio
async def test_a_key_is_made_with_its_limits_and_shown_once(database, clock):
    """On the page that answers the form, and nowhere after."""
    async with visiting(database) as visitor:
        user = await owned(visitor)
        await visitor.get("/account/keys/new")
        made = await visitor.post(
            "/account/keys/new",
            name="laptop",
            expires="30",
            models="gpt-*\r\nclaude-x, other",
            networks="203.0.113.9\r\n10.0.0.0/8",
            budget="$12.50",
            period="week",
            requests="60",
            tokens="100000",
            concurrency="4",
            strict="1",
            header_only="1",
        )
        assert 200 == made.status_code
        assert 1 == len(set(SECRET.findall(made.text)))
        (key,) = await visitor.console.own_keys.all(user.id)
        assert (
            "laptop", ("gpt-*", "claude-x", "other"), RateLimits(60, 100_000, 4),
            (Budget(amount_nanos=12_500_000_000, period=Period.WEEK),),
            ("203.0.113.9/32", "10.0.0.0/8"), True, True, int(clock.now()) + 30 * 86_400,
        ) == (
            key.name, key.models, key.limits, key.budgets, key.networks, key.strict, key.header_only,
            key.expires_at,
        )  # fmt: skip
        page = await visitor.get("/account/keys")
        assert [] == SECRET.findall(page.text)
        assert {"laptop", "$12.50 a week", "60 requests a minute"} <= set(Seen(page.text).words)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": ""}, "Please fill in this field."),
        ({"budget": "ten"}, "Please give an amount in dollars, such as 10.00."),
        ({"budget": "0"}, "Please give an amount above 0"),
        ({"budget": "-1"}, "Please give an amount above 0"),
        ({"networks": "home"}, "One of these is no network"),
        ({"models": "*x"}, "One of these is no model name"),
        ({"requests": "0"}, "Please give a whole number from 1 to"),
        ({"requests": "many"}, "Please give a whole number from 1 to"),
        ({"expires": "1"}, "Please choose one of what is offered."),
        ({"name": "x" * 101}, "Please use 1 to 100 printable characters."),
    ],
)
async def test_what_is_wrong_is_said_and_what_was_typed_is_kept(database, fields, said):
    """Nothing is made."""
    async with visiting(database) as visitor:
        user = await owned(visitor)
        await visitor.get("/account/keys/new")
        answer = await visitor.post(
            "/account/keys/new", **({"name": "laptop", "models": "kept-model"} | fields)
        )
        assert (422, True) == (answer.status_code, said in Seen(answer.text).text)
        assert ("kept-model" in answer.text) == ("models" not in fields)
        assert [] == await visitor.console.own_keys.all(user.id)


@pytest.mark.asyncio
async def test_budgets_are_shown_with_what_is_used(database):
    """Of keys that are not revoked, with the time at which each begins anew."""
    async with visiting(database) as visitor:
        user = await owned(visitor)
        assert "Begins anew" not in (await visitor.get("/account/keys")).text
        budgets = (
            Budget(amount_nanos=10_000_000_000, period=Period.MONTH),
            Budget(amount_nanos=100_000_000_000, period=Period.TOTAL),
        )
        key, _ = await visitor.console.identity.create_key(user.name, "laptop", budgets=budgets)
        async with database.write() as conn:
            (row,) = (await locked(conn, [CounterId(f"key:{key.id}", "total", 0)])).values()
            spent = budget_counters.update().where(budget_counters.c.id == row.id)
            await conn.execute(spent.values(spent_nanos=25_000_000_000))
        page = Seen((await visitor.get("/account/keys")).text)
        assert "Begins anew" in page.words
        assert "$25.00" in page.text
        assert "(25%)" in page.text
        assert "$75.00 left" in page.text
        await visitor.post("/account/keys/revoke", key=str(key.id))
        assert "Begins anew" not in (await visitor.get("/account/keys")).text


@pytest.mark.asyncio
async def test_each_end_user_of_a_key_is_bounded(database):
    """By requests and by budgets that end; what is wrong is said beside its field."""
    async with visiting(database) as visitor:
        user = await owned(visitor)
        await visitor.get("/account/keys/new")
        asked = {"name": "app", "end_user_requests": "5", "each_day": "0.50"}
        wrong = await visitor.post("/account/keys/new", **asked | {"each_day": "much"})
        assert (422, True) == (wrong.status_code, "an amount in dollars" in wrong.text)
        await visitor.post("/account/keys/new", **asked)
        (key,) = await visitor.console.own_keys.all(user.id)
        assert 5 == key.end_user_requests
        assert (Budget(amount_nanos=500_000_000, period=Period.DAY),) == key.end_user_budgets
