"""What an upstream says of a video, whatever way it says it."""

import re
from enum import Enum, unique
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.lenient import decoded


@unique
class VideoStatus(Enum):
    """Where a video is on its way. The last two are final."""

    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"


FINAL: Final = frozenset({VideoStatus.COMPLETED, VideoStatus.FAILED})

_STATUS: Final = {
    "queued": VideoStatus.QUEUED,
    "completed": VideoStatus.COMPLETED,
    "failed": VideoStatus.FAILED,
    "cancelled": VideoStatus.FAILED,
    "canceled": VideoStatus.FAILED,
    "succeeded": VideoStatus.COMPLETED,
    "error": VideoStatus.FAILED,
    "expired": VideoStatus.FAILED,
}
"""Any other status is one of a video that is being made: some servers have names of their own."""


class SeenVideo(msgspec.Struct, frozen=True, kw_only=True):
    """A video as its upstream describes it."""

    id: str
    """The upstream's own."""
    status: VideoStatus
    progress: int = 0
    """Percent."""
    error_code: str = ""
    error_message: str = ""
    """The upstream's words, not cleaned yet."""
    file: str = ""
    """Where the file is, if it is not found by the id."""
    expires_at: int | None = None
    """Seconds since the epoch; ``None``: not said."""


class _Video(msgspec.Struct):
    id: str
    status: Any = None
    progress: Any = None
    error: Any = None
    expires_at: Any = None


_ID: Final = re.compile(r"[\x21-\x7e]{1,500}")
"""It becomes a part of addresses, and of a row."""
_decode: Final = msgspec.json.Decoder(_Video).decode


def read(body: bytes) -> SeenVideo:
    """The OpenAI-shaped resource. Raises ``Fault`` (UPSTREAM_BROKE) when it is none."""
    if (found := decoded(_decode, body)) is None:
        raise broken()
    if not _ID.fullmatch(found.id):
        raise broken()
    error = found.error if isinstance(found.error, dict) else {"message": found.error}
    code, message = error.get("code"), error.get("message")
    named = found.status if isinstance(found.status, str) else ""
    status = _STATUS.get(named, VideoStatus.IN_PROGRESS)
    return SeenVideo(
        id=found.id,
        status=status,
        progress=100 if status is VideoStatus.COMPLETED else whole(found.progress, 99),
        error_code=code if isinstance(code, str) else "",
        error_message=message if isinstance(message, str) else "",
        expires_at=whole(found.expires_at, 2**40) or None,
    )


def whole(value: object, most: int) -> int:
    """A number from 0 to ``most``; 0 for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(min(max(0, value), most))


def broken() -> Fault:
    """The fault of an upstream whose answer is no video."""
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer does not describe a video.")
