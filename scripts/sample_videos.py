"""Videos of the sample gateway's pictures: one is being made, some are, one has failed."""

from trivium.conversation.usage import Usage
from trivium.jobs import store as jobs
from trivium.jobs.model import ArchiveState, Job, JobAccount
from trivium.ledger import store as ledger
from trivium.ledger.model import NANOS, Entry, EntryKind
from trivium.observe import store as records
from trivium.observe.record import Record
from trivium.storage.database import Database
from trivium.wire.operation import Operation
from trivium.wire.videos.answer import VideoStatus
from trivium.wire.videos.resource import VideoError

ACCOUNT = JobAccount(channel="main", credential="", operation=Operation.VIDEOS, model="sora-2")
MADE = (
    (VideoStatus.IN_PROGRESS, 0.03, "1280x720", 8),
    (VideoStatus.COMPLETED, 2, "1280x720", 12),
    (VideoStatus.FAILED, 5, "720x1280", 4),
    (VideoStatus.COMPLETED, 29, "720x1280", 4),
    (VideoStatus.COMPLETED, 30, "1280x720", 8),
)
"""State, hours since it was asked for, size and seconds."""


async def videos(database: Database, user: int, key: int, end: float) -> None:
    """A user's videos, with their requests and entries."""
    for number, (status, hours, size, seconds) in enumerate(MADE):
        at = int(end - hours * 3600)
        is_made = status is VideoStatus.COMPLETED
        name = f"req_video_{number}"
        job = Job(
            id=f"video_{number:048x}",
            user_id=user,
            key_id=key,
            request_id=name,
            model="sora-2",
            account=ACCOUNT,
            size=size,
            seconds=seconds,
            prompt="",
            upstream_id=f"up_{number}",
            status=status,
            progress={VideoStatus.IN_PROGRESS: 42, VideoStatus.FAILED: 0}.get(status, 100),
            error=VideoError(code="content_policy", message="It cannot be made.")
            if status is VideoStatus.FAILED
            else None,
            created_at=at,
            completed_at=at + 90 if is_made else None,
            expires_at=at + 86_400 if is_made else None,
            kept=ArchiveState.NO,
            looked_at=at,
        )
        record = Record(
            request_id=name,
            at=at,
            key_id=key,
            user_id=user,
            operation="videos",
            model=job.model,
            channel=ACCOUNT.channel,
            upstream_model=ACCOUNT.model,
            status=200,
            attempts=1,
            total_ms=840,
            usage=Usage(),
        )
        entry = Entry(
            id=0,
            user_id=user,
            kind=EntryKind.USAGE,
            amount_nanos=-seconds * NANOS // 10,
            note="",
            request_id=name,
            created_at=at + 90,
            detail="",
        )
        async with database.write() as conn:
            await jobs.insert(conn, job, b"sealed")
            await records.insert(conn, [records.row_of(record, int)])
            if is_made:
                await ledger.insert_entry(conn, entry)
                await ledger.add_to_account(conn, entry)
