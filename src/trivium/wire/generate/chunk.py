"""What one GenerateContentResponse says about itself: usage, end, error.

The same object is a whole answer, an event of a stream and an element of the array form.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.wire.generate.chunk_structs import (
    CandidateEnd,
    ChunkBody,
    Good,
    Reply,
    UncountedBody,
    WatchedChunk,
)
from trivium.wire.generate.read_usage import merged, usage
from trivium.wire.lenient import decoded, error_of

_decode: Final = msgspec.json.Decoder(ChunkBody).decode
_decode_uncounted: Final = msgspec.json.Decoder(UncountedBody).decode
_decode_good: Final = msgspec.json.Decoder(list[Good]).decode


def read(data: bytes | bytearray) -> WatchedChunk | None:
    """The object's facts; ``None`` when it is not a JSON object of that kind."""
    try:
        body = _decode(data)
    except (ValueError, RecursionError):  # msgspec's own and UnicodeDecodeError are ValueErrors
        return _uncounted(data)
    return told(body, error_of(body.error) if body.error else None)


def _uncounted(data: bytes | bytearray) -> WatchedChunk | None:
    if (found := decoded(_decode_uncounted, data)) is None:
        return None
    body = ChunkBody(candidates=found.candidates, promptFeedback=found.promptFeedback)
    return told(body, error_of(found.error) if found.error else None)


def read_all(array: bytes) -> list[Good] | None:
    """The objects of a JSON array; ``None`` where one has an error, or is no such object."""
    return decoded(_decode_good, array)


def told(body: Reply, error: bytes | None = None) -> WatchedChunk:
    """The facts of a response object whose error is ``error``."""
    reported = body.usageMetadata
    candidates, feedback = body.candidates, body.promptFeedback
    return WatchedChunk(
        finished=_ended(candidates)
        or (not candidates and isinstance(feedback, dict) and bool(feedback.get("blockReason"))),
        usage=reported if isinstance(reported, dict) else None,
        error=error,
        answers=not (candidates is None and feedback is None and reported is None),
    )


def _ended(candidates: list[CandidateEnd | None] | None) -> bool:
    for candidate in candidates or ():
        if candidate is not None:
            reason = candidate.finishReason
            if reason and reason != "FINISH_REASON_UNSPECIFIED":
                return True
    return False


class ReplyWatch:
    """What is known of one answer that goes by, whatever frames it comes in."""

    __slots__ = ("_counters", "_ended", "error", "finished")

    def __init__(self) -> None:
        self.finished = False
        self.error: bytes | None = None
        self._counters: Mapping[str, Any] = {}
        self._ended = False

    @property
    def usage(self) -> Usage | None:
        """The totals so far; worked out when asked, since each object replaces the last."""
        return usage(self._counters)

    @property
    def stopped(self) -> bool:
        """Whether a candidate has said why it ended, or why there is none."""
        return self._ended

    def _note(self, chunk: WatchedChunk) -> None:
        self._ended = self._ended or chunk.finished
        if chunk.usage is not None:
            self._counters = merged(self._counters, chunk.usage)
