"""A user's videos."""

import pytest

from console.visiting import Seen, user_of, visiting
from trivium.jobs import store
from trivium.jobs.model import ArchiveState, Job, JobAccount
from trivium.observe import store as records
from trivium.observe.record import Record
from trivium.wire.operation import Operation
from trivium.wire.videos.answer import VideoStatus
from trivium.wire.videos.resource import VideoError

pytestmark = pytest.mark.asyncio
ACCOUNT = JobAccount(channel="main", credential="", operation=Operation.VIDEOS, model="own")


async def asked_for(console, user_id, number, key_id=1, **more):
    """A video, and the record of its request where its number is even."""
    at = int(console.clock.now()) - 60 * number
    given = {
        "id": f"video_{number:048x}",
        "user_id": user_id,
        "key_id": key_id,
        "request_id": f"req_{number}",
        "model": f"model-{number:03}",
        "account": ACCOUNT,
        "size": "1280x720",
        "seconds": 8,
        "prompt": "",
        "created_at": at,
        "looked_at": at,
        "kept": ArchiveState.NO,
    }
    async with console.database.write() as conn:
        await store.insert(conn, Job(**(given | more)), b"sealed")
        if number % 2 == 0:
            record = Record(request_id=f"req_{number}", at=at, user_id=user_id, operation="videos")
            await records.insert(conn, [records.row_of(record, int)])


async def test_videos_are_listed_page_by_page(database):
    """Fifty at a time, newest first, with the request where its record is kept."""
    async with visiting(database) as visitor:
        ada = await user_of(visitor.console)
        await visitor.log_in(ada)
        for number in range(55):
            await asked_for(visitor.console, ada.id, number)
        seen = Seen((await visitor.get("/account/videos")).text)
        assert {"model-000", "model-049", "queued"} <= set(seen.words)
        assert "model-050" not in seen.words
        links = [attrs.get("href", "") for _, attrs in seen.elements]
        assert "/account/usage/req_2" in links
        assert "/account/usage/req_3" not in links
        (older,) = [link for link in links if "before=" in link]
        seen = Seen((await visitor.get(older)).text)
        assert {"model-050", "model-054", "Newest"} <= set(seen.words)


async def test_videos_may_be_chosen_by_key_and_state(database):
    """And nobody sees another's, whatever the address says."""
    async with visiting(database) as visitor:
        ada, bob = await user_of(visitor.console), await user_of(visitor.console, "bob")
        await visitor.log_in(ada)
        key, _ = await visitor.console.identity.create_key("ada", "laptop")
        await asked_for(visitor.console, ada.id, 1, key.id)
        failed = {"status": VideoStatus.FAILED, "error": VideoError(code="too_dark", message="x")}
        await asked_for(visitor.console, ada.id, 2, key.id, **failed)
        await asked_for(visitor.console, bob.id, 3, **failed)
        for query, wanted in (
            ("", ["model-001", "model-002"]),
            ("?state=failed", ["model-002"]),
            (f"?key={key.id}&state=queued", ["model-001"]),
            ("?key=999&state=none&before=x", ["model-001", "model-002"]),
        ):
            words = Seen((await visitor.get(f"/account/videos{query}")).text).words
            assert wanted == sorted(word for word in words if word.startswith("model-")), query
        words = Seen((await visitor.get("/account/videos?state=failed")).text).words
        assert "too dark" in words
        assert (
            "No videos" in Seen((await visitor.get("/account/videos?state=completed")).text).words
        )
