"""What videos are looked for, and what a list says of one. Pure."""

import msgspec

from trivium.wire.videos.answer import VideoStatus


class VideoFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Conditions that all hold; those that are absent narrow nothing."""

    user_id: int | None = None
    key_id: int | None = None
    model: str = ""
    """The public name."""
    channel: str = ""
    status: VideoStatus | None = None
    since: int | None = None
    """Seconds since the epoch; included."""
    until: int | None = None
    """Not included."""


class ListedVideo(msgspec.Struct, frozen=True, kw_only=True):
    """A video without its prompt, which is its owner's to read. Times are Unix seconds."""

    id: str
    user_id: int
    key_id: int
    request_id: str
    """Of the request that asked for it."""
    has_record: bool
    """Whether the record of that request is still kept."""
    model: str
    channel: str
    upstream_model: str
    size: str
    seconds: int
    status: VideoStatus
    progress: int
    """Per cent."""
    error_code: str
    """Empty: it has not failed."""
    error_message: str
    remixed_from: str | None
    created_at: int
    completed_at: int | None
    expires_at: int | None
    """When its files are gone; ``None``: nobody said."""
    is_kept: bool
    """Whether our own store has its files."""
    cost_nanos: int | None
    """``None`` while it is not booked, or never will be: one that failed costs nothing."""
    held_nanos: int | None
    """What is set aside for it while it is made; ``None``: nothing."""
    entry_id: int | None
    """Of the account; ``None`` where there is none."""


class FoundVideos(msgspec.Struct, frozen=True, kw_only=True):
    """A page of videos, newest first."""

    videos: tuple[ListedVideo, ...]
    before: str | None
    """Where the next page begins; ``None`` on the last."""
    looked_to: int | None = None
    """How far back was looked, where that was not enough to fill the page."""
