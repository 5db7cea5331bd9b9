"""What is known of a key: whose it is, who answers it, and how its answer begins."""

from enum import Enum, unique
from typing import Final, NamedTuple

import msgspec

RUNNING: Final = "running"
DONE: Final = "done"
DROPPED: Final = "dropped"
"""States of a row. Dropped: its answer is not kept to its end, and whoever asks again is answered
anew."""


class Place(NamedTuple):
    """Where an answer is kept: nobody finds another owner's."""

    user_id: int
    digest: str
    """Of the key and its scope, in hexadecimal."""


class ClaimRequest(msgspec.Struct, frozen=True):
    """A request that wants to be the one that is answered."""

    place: Place
    body_digest: str
    request_id: str
    """Its own, which it goes by unless it repeats one that was interrupted."""
    last_beat: int | None = None
    """By the database's clock: what its worker said last, after which whoever asks has waited for
    long enough, whatever the clocks say; ``None``: it has not."""


@unique
class ClaimVerdict(Enum):
    """What becomes of a request with a key."""

    MINE = "mine"
    """It is to be answered here."""
    RUNNING = RUNNING
    """Another worker answers it."""
    DONE = DONE
    """Its answer is kept."""
    OTHER_BODY = "other_body"
    """The key was used for another request."""


class Claimed(msgspec.Struct, frozen=True):
    """How a claim went."""

    verdict: ClaimVerdict
    claim: int
    """Its number, which its pieces go by."""
    request_id: str
    """Of the request that is answered, or was."""
    drops: int = 0
    """How often an answer under this key was not kept."""


class AnswerHead(msgspec.Struct, frozen=True, array_like=True):
    """How an answer begins."""

    status: int
    content_type: bytes
    headers: list[tuple[bytes, bytes]]
    """Those of this answer alone."""
    length: int | None
    """Bytes of its body, where they are told with it; ``None``: it is streamed."""


class Change(msgspec.Struct, frozen=True):
    """What a worker writes about one answer."""

    place: Place
    claim: int
    state: str
    """``""``: it failed, and is forgotten."""
    size_bytes: int
    pieces: list[tuple[int, bytes]]
    """Number and sealed bytes of those that are new."""


class LookRequest(msgspec.Struct, frozen=True):
    """What a follower has of an answer, and so what it looks for."""

    place: Place
    after: int
    """Number of the first piece that it has not."""
    size_bytes: int
    """Of those that it has; with so many stored there is nothing new."""


class StoredAnswer(msgspec.Struct, frozen=True):
    """What was found of an answer."""

    claim: int
    state: str
    beat_at: int
    """When its worker said last that it answers."""
    pieces: list[tuple[int, bytes]]
    """Those asked for, sealed, without a gap."""
    is_all: bool
    """Whether no more of it is stored by now."""
