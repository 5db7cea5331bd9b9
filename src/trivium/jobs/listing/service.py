"""Lists of videos for people. A page costs no more than ``SCAN`` rows, whatever is asked for: it
says how far back it looked where so many hold too few that fit, and the next one goes on there.
"""

from typing import TYPE_CHECKING, Any, Final

from trivium.jobs.listing.model import FoundVideos, ListedVideo, VideoFilter
from trivium.jobs.model import ID, ArchiveState
from trivium.storage.late import LateModule
from trivium.storage.structs import struct_of
from trivium.wire.videos.answer import VideoStatus

if TYPE_CHECKING:
    from trivium.jobs.listing import store
    from trivium.storage.database import Database
else:
    store = LateModule("trivium.jobs.listing.store")

PAGE_MAX: Final = 200
SCAN: Final = 20_000
"""Videos that are looked at for a page."""
_DIGITS_MAX: Final = 15


class VideoLists:
    """Videos of one user or of all. Storage faults pass through as they are."""

    def __init__(self, db: "Database") -> None:
        self._db = db

    async def page(
        self, wanted: VideoFilter, before: str | None = None, limit: int = 50
    ) -> FoundVideos:
        """Return at most ``limit`` videos, newest first. ``before``: the end of the page that was
        seen; anything else is taken for the beginning.
        """
        limit = min(limit, PAGE_MAX)
        place = place_of(before)
        async with self._db.read() as conn:
            rows = await store.page(conn, wanted, place, limit + 1, SCAN)
            end = None
            if len(rows) <= limit:
                end = await store.end_of_scan(conn, wanted, place, SCAN)
        found = tuple(_entry(row) for row in rows[:limit])
        if len(rows) > limit:
            return FoundVideos(videos=found, before=f"{found[-1].created_at}.{found[-1].id}")
        if end is None:
            return FoundVideos(videos=found, before=None)
        return FoundVideos(videos=found, before=f"{end[0]}.{end[1]}", looked_to=end[0])

    async def one(self, video_id: str) -> ListedVideo | None:
        """Return one video; ``None`` when it is forgotten, or never was."""
        if not ID.fullmatch(video_id):
            return None
        async with self._db.read() as conn:
            rows = await store.one(conn, video_id)
        return _entry(rows[0]) if rows else None


def place_of(before: str | None) -> "tuple[int, str] | None":
    """The place that ``before`` names; ``None``: none, or what is none."""
    at, _, video_id = (before or "").partition(".")
    is_moment = at.isascii() and at.isdecimal() and len(at) <= _DIGITS_MAX
    return (int(at), video_id) if is_moment and ID.fullmatch(video_id) else None


def _entry(row: Any) -> ListedVideo:
    return struct_of(
        ListedVideo,
        row,
        status=VideoStatus(row.status),
        error_code=row.error_code or "",
        error_message=row.error_message or "",
        is_kept=row.kept == ArchiveState.YES.value,
        has_record=row.record_id is not None,
        cost_nanos=None if row.booked_nanos is None else -row.booked_nanos,
    )
