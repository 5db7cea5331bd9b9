"""The request record: one row a request, enough to explain the outcome and the bill."""

import msgspec

from trivium.conversation.usage import Usage


class Record(msgspec.Struct, gc=False):
    """The outcome of one request. Prompts and answers are never part of it."""

    request_id: str
    at: float
    """Seconds since the epoch when the request was whole."""
    key_id: int | None = None
    user_id: int | None = None
    operation: str = ""
    model: str = ""
    """The public name of the model that answered or is paid; where none is, the one asked for. At
    most 200 characters, as the next.
    """
    asked_model: str = ""
    """The public name asked for, where a fallback of it answered; empty where it did itself."""
    channel: str = ""
    """The channel that answered, or the last one tried; empty when none was."""
    upstream_model: str = ""
    status: int = 0
    """HTTP status sent; 499 when the caller left before any."""
    fault: str = ""
    """``Kind`` value when it did not end well."""
    stream: bool = False
    attempts: int = 0
    first_byte_ms: float | None = None
    """From ``at`` to the first byte sent to the caller."""
    total_ms: float = 0.0
    bytes_in: int = 0
    bytes_out: int = 0
    usage: Usage | None = None
    end_user: str = ""
    """For whom the caller says it asked, or a hash of that; never trusted."""
    dropped: str = ""
    """Names of the members that a translation left out or changed; empty when none was."""
    repaired: str = ""
    """Kinds of repairs to the history, with how often; empty when there were none."""
    session: str = ""
    """Of which conversation or run the caller says it is a part, or a hash of that."""
    tags: tuple[str, ...] = ()
    """What the caller says it is for."""
    failed: tuple[tuple[str, str], ...] = ()
    """The attempts that did not serve it, in the order in which they ended: channel, and why."""
