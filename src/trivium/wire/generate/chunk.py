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


class _Body(msgspec.Struct, gc=False):
    candidates: list[_Candidate | None] | None = None
    promptFeedback: Any = None  # noqa: N815 - the vendor's spelling
    usageMetadata: Any = None  # noqa: N815 - the vendor's spelling
    error: msgspec.Raw = msgspec.Raw()


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


def read(data: bytes | bytearray) -> Chunk | None:
    """The object's facts; ``None`` when it is not a JSON object of that kind."""
    try:
        body = _decode(data)
    except (ValueError, RecursionError):  # msgspec's own and UnicodeDecodeError are ValueErrors
        return None
    reported = body.usageMetadata
    candidates = body.candidates
    return Chunk(
        finished=_ended(candidates) or _blocked(body.promptFeedback, candidates),
        usage=reported if isinstance(reported, Mapping) else None,
        error=error_of(body.error),
        answers=not (candidates is None and body.promptFeedback is None and reported is None),
    )


def _ended(candidates: list[_Candidate | None] | None) -> bool:
    return candidates is not None and any(
        candidate is not None
        and candidate.finishReason
        and candidate.finishReason != "FINISH_REASON_UNSPECIFIED"
        for candidate in candidates
    )


def _blocked(feedback: Any, candidates: list[_Candidate | None] | None) -> bool:
    return not candidates and isinstance(feedback, Mapping) and bool(feedback.get("blockReason"))


def cut_short() -> Fault:
    """The fault of an answer whose body ended before it said that it was complete."""
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer ended before it was complete.")
