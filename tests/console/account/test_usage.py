"""A user's requests."""

import pytest

from console.visiting import Seen, user_of, visiting
from trivium.conversation.usage import Usage
from trivium.observe import store
from trivium.observe.record import Record


async def made(visitor, count=60, **more):
    """A logged-in user, a key, and requests by it."""
    user = await user_of(visitor.console)
    await visitor.log_in(user)
    key, _ = await visitor.console.identity.create_key("ada", "laptop")
    rows = [
        Record(
            request_id=f"req_{n:03}", at=visitor.console.clock.now() - 60 * n, user_id=user.id,
            key_id=key.id, operation="chat", model=f"model-{n:03}", status=429 if n % 10 else 200,
            total_ms=1530.0, usage=Usage(fresh=12_345, output=678), **more,
        )
        for n in range(count)
    ]  # fmt: skip
    async with visitor.console.database.write() as conn:
        await store.insert(conn, [store.row_of(row, int) for row in rows])
    return user, key


@pytest.mark.asyncio
async def test_requests_are_listed_page_by_page(database):
    """Fifty at a time, newest first, and back to the newest."""
    async with visiting(database) as visitor:
        await made(visitor)
        page = await visitor.get("/account/usage")
        words = Seen(page.text).words
        assert ({"model-000", "model-049", "12,345", "1.5 s", "laptop"} <= set(words)) is True
        assert "model-050" not in words
        (older,) = [
            a["href"] for tag, a in Seen(page.text).elements if "before=" in a.get("href", "")
        ]
        page = await visitor.get(older)
        assert {"model-050", "model-059", "Newest"} <= set(Seen(page.text).words)
        assert "Older" not in Seen(page.text).words


@pytest.mark.asyncio
async def test_requests_may_be_chosen_by_key_and_outcome(database):
    """And the choice holds on the next page; a key that is not theirs is none."""
    async with visiting(database) as visitor:
        _, key = await made(visitor)
        page = await visitor.get(f"/account/usage?key={key.id}&failed=1")
        words = Seen(page.text).words
        assert "model-001" in words
        assert "model-000" not in words
        links = [a.get("href", "") for _, a in Seen(page.text).elements]
        assert any(f"key={key.id}&failed=1&before=" in link for link in links)
        assert "model-000" in (await visitor.get("/account/usage?key=999&before=x")).text


@pytest.mark.asyncio
async def test_one_request_is_shown_with_what_was_changed(database):
    """To whoever made it, and to nobody else."""
    async with visiting(database) as visitor:
        await made(visitor, 1, dropped="logprobs", fault="upstream_busy")
        page = await visitor.get("/account/usage/req_000")
        assert "Answered by" not in page.text
        assert {"logprobs", "model-000", "It did not end well: upstream busy"} <= set(
            Seen(page.text).words
        )
        await visitor.log_in(await user_of(visitor.console, "eve"))
        assert 404 == (await visitor.get("/account/usage/req_000")).status_code


@pytest.mark.asyncio
async def test_a_model_that_stood_in_is_named_beside_the_one_asked_for(database):
    """Where the same one answered there is nothing to name."""
    async with visiting(database) as visitor:
        await made(visitor, 1, asked_model="wanted")
        words = Seen((await visitor.get("/account/usage/req_000")).text).words
        assert ("wanted", "model-000") == (
            words[words.index("Model") + 1], words[words.index("Answered by") + 1],
        )  # fmt: skip


@pytest.mark.asyncio
async def test_without_requests_the_page_says_so(database):
    """An empty table tells nobody anything."""
    async with visiting(database) as visitor:
        await made(visitor, 0)
        assert "No requests" in (await visitor.get("/account/usage")).text
