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
    is_whole: bool
    """Whether its size is told with it; else it is streamed."""


class Change(msgspec.Struct, frozen=True):
    """What a worker writes about one answer."""

    place: Place
    claim: int
    state: str
    """``""``: it failed, and is forgotten."""
    size_bytes: int
    pieces: list[tuple[int, bytes]]
    """Number and sealed bytes of those that are new."""


class StoredAnswer(msgspec.Struct, frozen=True):
    """What was found of an answer."""

    claim: int
    request_id: str
    state: str
    is_silent: bool
    """Whether its worker has said nothing for so long that another may take it over."""
    pieces: list[tuple[int, bytes]]
    """Those asked for, sealed, without a gap."""
