"""What is looked for among everybody's requests. Pure."""

import msgspec


class RequestFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for; all of it must fit."""

    request_id: str = ""
    user_id: int | None = None
    key_id: int | None = None
    team_id: int | None = None
    """Requests with its keys, as they are now."""
    model: str = ""
    channel: str = ""
    status: tuple[int, int] | None = None
    """The least and the greatest."""
    fault: str = ""
    failed: bool = False
    """Whatever did not end well."""
    since_ms: int | None = None
    until_ms: int | None = None
    """The first moment that is too late."""
