"""The account's entries."""

import pytest

from console.visiting import Seen, user_of, visiting
from trivium.ledger.model import NANOS, EntryKind


async def booked(visitor, count=3):
    user = await user_of(visitor.console)
    await visitor.log_in(user)
    entries = visitor.console.entries
    await entries.book(user.id, EntryKind.TOP_UP, 50 * NANOS, note="thank you")
    return user, [
        await entries.book(user.id, EntryKind.USAGE, -1_234_567, request_id=f"req_{n}")
        for n in range(count)
    ]


@pytest.mark.asyncio
async def test_the_statement_shows_every_entry_to_the_last_digit(database):
    """With the balance that they add up to."""
    async with visiting(database) as visitor:
        await booked(visitor)
        words = Seen((await visitor.get("/account/statement")).text).words
        assert {"$50.00", "+$50.00", "-$0.001234567", "thank you", "Top-up"} <= set(words)
        only = Seen((await visitor.get("/account/statement?show=payments")).text).words
        assert "thank you" in only
        assert "-$0.001234567" not in only


@pytest.mark.asyncio
async def test_the_statement_goes_back_page_by_page(database):
    """To the first entry there ever was."""
    async with visiting(database) as visitor:
        await booked(visitor, 55)
        page = await visitor.get("/account/statement")
        assert "thank you" not in page.text
        (older,) = [
            a["href"] for _, a in Seen(page.text).elements if "before=" in a.get("href", "")
        ]
        assert "thank you" in (await visitor.get(older)).text
        for nonsense in ("x", "-1", "9" * 30, "1.5"):
            page = await visitor.get(f"/account/statement?before={nonsense}")
            assert 200 == page.status_code


@pytest.mark.asyncio
async def test_an_entry_is_shown_to_its_owner_alone(database):
    """By its number, with the request it paid for."""
    async with visiting(database) as visitor:
        _, (entry, *_) = await booked(visitor)
        page = await visitor.get(f"/account/statement/{entry.id}")
        assert {"-$0.001234567", "req_0", "Usage"} <= set(Seen(page.text).words)
        await visitor.log_in(await user_of(visitor.console, "eve"))
        assert 404 == (await visitor.get(f"/account/statement/{entry.id}")).status_code
        assert "No entries" in (await visitor.get("/account/statement")).text
