"""What administrators search the requests of everybody for."""

import msgspec


class RequestSearch(msgspec.Struct, frozen=True, kw_only=True):
    """What requests are searched for; ``None``: whatever it is. Times in ms since the epoch."""

    since_ms: int | None = None
    until_ms: int | None = None
    """Not included."""
    user_id: int | None = None
    key_id: int | None = None
    team_id: int | None = None
    model: str | None = None
    """That answered or is paid, or was asked for."""
    channel: str | None = None
    status: int | None = None
    fault: str | None = None
    is_failed: bool | None = None
    """Whether it was answered with an error."""
