"""The statements of lists of videos: what they may read, and by which index."""

import pytest
from sqlalchemy import text

from trivium.jobs.listing import store
from trivium.jobs.listing.model import VideoFilter
from trivium.wire.videos.answer import VideoStatus

pytestmark = pytest.mark.asyncio


async def plan(database, wanted):
    """How the engine answers a page."""
    query = store.page_query(wanted, (5, "video_" + "a" * 48), 51, 20_000)
    async with database.read() as conn:
        compiled = query.compile(conn.sync_connection, compile_kwargs={"literal_binds": True})
        if not database.is_sqlite:
            await conn.execute(text("SET LOCAL enable_seqscan = off"))
            await conn.execute(text("SET LOCAL enable_sort = off"))
        explain = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
        return str((await conn.execute(text(explain + str(compiled)))).all())


async def test_a_page_is_read_along_an_index(database):
    """Of a user by theirs, of all by time; whatever else is asked for is tried on these."""
    failed = VideoStatus.FAILED
    assert "ix_jobs_user_id_created_at_id" in await plan(
        database, VideoFilter(user_id=3, status=failed)
    )
    assert "ix_jobs_created_at_id" in await plan(database, VideoFilter(status=failed, model="m"))


async def test_no_prompt_is_read(database):
    """Nor what leads to the vendor's account."""
    names = {column.name for column in store.page_query(VideoFilter(), None, 1, 1).subquery().c}
    assert not names & {"prompt", "credential", "upstream_id", "file", "assets"}
