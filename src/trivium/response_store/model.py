"""Stored responses: what is noted when one passes, what is kept, and what a request recalls."""

from collections.abc import Mapping
from typing import Any

import msgspec

from trivium.uploads.spool import Spool
from trivium.wire.peek import Members


class Note(msgspec.Struct, kw_only=True, gc=False):
    """An answer that has just passed, unread: reading is done off the hot path."""

    user_id: int
    key_id: int
    model: str
    """The public name asked for."""
    channel: str
    """The channel that answered."""
    said: bytes
    """The whole body, or the bytes of a stream's last read."""
    stream: bool
    created_at: int
    """Seconds since the epoch."""
    input: bytes | msgspec.Raw | Spool | None
    """All input as it came, a JSON array or string, or the file that has it; ``None``: the channel
    itself keeps the answer and we only note where it is."""
    recalled: int = 0
    """How many of the input's first items were recalled from an earlier response."""


class StoredResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A stored response that a request may refer to."""

    user_id: int
    """Its owner."""
    id: str
    key_id: int
    model: str
    channel: str
    status: str
    """``completed``, ``incomplete`` or ``failed``, as the answer said."""
    created_at: int
    expires_at: int
    """Seconds since the epoch."""
    response: bytes | None
    """The response object as JSON; ``None``: the channel has it."""
    input: tuple[bytes, ...] = ()
    """Everything the model was given as items, each as JSON."""
    items: tuple[str, ...] = ()
    """Ids of items that this response brought into the world."""


class SealedResponse(StoredResponse, frozen=True, kw_only=True):
    """One with a large input that is not stored yet: what was asked and answered is in ``body``."""

    body: bytes | bytearray
    """As it will be stored: compressed and sealed."""


class Recollection(msgspec.Struct, frozen=True, kw_only=True):
    """A request together with what it refers to."""

    asked: Members
    """The request with its history spelled out."""
    body: bytes
    """The same as bytes."""
    stored: bool
    """Whether the answer is to be kept."""
    recalled: int = 0
    """How many input items came from an earlier response."""
    spelled: bool = False
    """Whether anything was put in place of a reference: items of ours mean nothing upstream."""
    channel: str | None = None
    """The one channel that can answer, because it keeps what the request refers to."""
    param: str = ""
    """The member that ties the request to the channel."""
    spool: Spool | None = None
    """The input, in a file, where the request itself is forgotten before its answer comes."""
    thoughts: Mapping[str, str | None] = msgspec.field(default_factory=dict)
    """Members that name reasoning without having it, each with the channel that keeps it for
    this user; ``None``: none does."""


class ResponseMembers(msgspec.Struct, frozen=True):
    """The members of a response object that are stored beside it."""

    id: str
    status: str
    output: tuple[msgspec.Raw, ...]
    """Its items, which refer to ``raw``."""
    raw: bytes
    """The whole object."""


class References(msgspec.Struct, frozen=True):
    """The items of an ``input`` that only name something, by index."""

    items: Mapping[int, str]
    """Items that stand for another: ``item_reference``, or an id alone."""
    thoughts: Mapping[int, str]
    """Reasoning whose hidden part only an upstream that kept it can look up."""


class Resolved(msgspec.Struct, frozen=True):
    """What a request's references stand for, before its body is changed."""

    changes: dict[str, bytes | None]
    """Members with their new values; ``None``: gone."""
    recalled: int
    spelled: bool
    channel: str | None
    param: str
    """The last four as in ``Recollection``."""


class Skim(msgspec.Struct, gc=False):
    """The members of an item, in the responses shape's JSON, that tell what it is."""

    type: Any = None
    id: Any = None
    role: Any = None
    status: Any = None
    encrypted_content: msgspec.Raw = msgspec.Raw()


class Response(msgspec.Struct, gc=False):
    """A response object: its id, its status, and its output unread."""

    id: str
    status: str = "completed"
    output: list[msgspec.Raw] = []


class Event(msgspec.Struct, gc=False):
    """An event of a stream."""

    type: str | None = None
    response: msgspec.Raw = msgspec.Raw()
