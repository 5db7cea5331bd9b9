"""What one GenerateContentResponse says about itself: usage, end, error.

The same object is a whole answer, an event of a stream and an element of the array form.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.whole import error_of


class _Candidate(msgspec.Struct, gc=False):
    finishReason: Any = None  # noqa: N815 - the vendor's spelling


class _Answer(msgspec.Struct, gc=False):
    candidates: list[_Candidate | None] | None = None
    promptFeedback: Any = None  # noqa: N815 - the vendor's spelling
    usageMetadata: Any = None  # noqa: N815 - the vendor's spelling


class _Body(_Answer, gc=False):
    error: msgspec.Raw = msgspec.Raw()


class Good(_Answer, gc=False):
    """One response object, as it came, that has no error."""

    error: None = None

    @property
    def chunk(self) -> "Chunk":
        """Its facts."""
        return _chunk(self, None)


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """One response object, as far as the gateway reads it."""

    finished: bool
    """Whether a candidate says why it ended, or the prompt was blocked."""
    usage: Mapping[str, Any] | None
    """``usageMetadata`` as reported."""
    error: bytes | None
    """The raw ``error`` member."""
    answers: bool
    """Whether it has any member of an answer at all."""


_decode: Final = msgspec.json.Decoder(_Body).decode
_decode_good: Final = msgspec.json.Decoder(list[Good]).decode


def read(data: bytes | bytearray) -> Chunk | None:
    """The object's facts; ``None`` when it is not a JSON object of that kind."""
    try:
        body = _decode(data)
    except (ValueError, RecursionError):  # msgspec's own and UnicodeDecodeError are ValueErrors
        return None
    return _chunk(body, error_of(body.error) if body.error else None)


def read_all(array: bytes) -> list[Good] | None:
    """The objects of a JSON array; ``None`` where one has an error, or is no such object."""
    try:
        return _decode_good(array)
    except (ValueError, RecursionError):
        return None


def _chunk(body: _Answer, error: bytes | None) -> Chunk:
    reported = body.usageMetadata
    candidates = body.candidates
    return Chunk(
        finished=_ended(candidates) or _blocked(body.promptFeedback, candidates),
        usage=reported if isinstance(reported, dict) else None,
        error=error,
        answers=not (candidates is None and body.promptFeedback is None and reported is None),
    )


def _ended(candidates: list[_Candidate | None] | None) -> bool:
    for candidate in candidates or ():
        if candidate is not None:
            reason = candidate.finishReason
            if reason and reason != "FINISH_REASON_UNSPECIFIED":
                return True
    return False


def _blocked(feedback: Any, candidates: list[_Candidate | None] | None) -> bool:
    return not candidates and isinstance(feedback, dict) and bool(feedback.get("blockReason"))


def cut_short() -> Fault:
    """The fault of an answer whose body ended before it said that it was complete."""
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer ended before it was complete.")
