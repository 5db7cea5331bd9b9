"""What is read of the JSON of an answer of generate-content on its way through."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

_NOTHING: Final = msgspec.Raw()


class CandidateEnd(msgspec.Struct, gc=False):
    """A candidate, as far as it says why it ended."""

    finishReason: Any = None  # noqa: N815 - the vendor's spelling


class UncountedChunkBody(msgspec.Struct, gc=False):
    """The members that tell how far an answer is."""

    candidates: list[CandidateEnd | None] | None = None
    promptFeedback: Any = None  # noqa: N815 - the vendor's spelling


class Reply(UncountedChunkBody, gc=False):
    """The same, and its counters."""

    usageMetadata: Any = None  # noqa: N815 - the vendor's spelling


class UncountedBody(UncountedChunkBody, gc=False):
    """One response object whose counters are beyond any number."""

    error: msgspec.Raw = _NOTHING


class ChunkBody(Reply, gc=False):
    """One response object, whatever it holds."""

    error: msgspec.Raw = _NOTHING


class Good(Reply, gc=False):
    """One response object, as it came, that has no error."""

    error: None = None


class WatchedChunk(msgspec.Struct, frozen=True, gc=False):
    """One response object, as far as the gateway reads it."""

    finished: bool
    """Whether a candidate says why it ended, or the prompt was blocked."""
    usage: Mapping[str, Any] | None
    """``usageMetadata`` as reported."""
    error: bytes | None
    """The raw ``error`` member."""
    answers: bool
    """Whether it has any member of an answer at all."""


class Embedded(msgspec.Struct, gc=False):
    """An answer with embeddings."""

    embedding: msgspec.Raw = _NOTHING
    embeddings: msgspec.Raw = _NOTHING
    usageMetadata: Any = None  # noqa: N815 - the vendor's spelling
    error: msgspec.Raw = _NOTHING
