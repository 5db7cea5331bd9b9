"""What is read of the JSON in Bedrock's frames, and of the events that go into them."""

from typing import Any

import msgspec

_ABSENT = msgspec.Raw()


class ChunkPayload(msgspec.Struct, gc=False):
    """Of a frame: the data of one event, as base64."""

    bytes: bytes


class NamedEvent(msgspec.Struct, gc=False):
    """Of an event: what it is."""

    type: str = ""


class StreamException(msgspec.Struct):
    """An exception's own words, spelled either way."""

    message: Any = None
    Message: Any = None


class ShownCounts(msgspec.Struct, gc=False):
    """Tokens that an event tells of; ``None``: it does not."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class BegunMessage(msgspec.Struct, gc=False):
    """The message of the first event."""

    usage: ShownCounts | None = None


class CountedEvent(msgspec.Struct, gc=False):
    """Of an event: what it counts."""

    message: BegunMessage | None = None
    usage: ShownCounts | None = None


class StreamedError(msgspec.Struct, gc=False):
    """An error in mid-stream."""

    type: str = ""
    message: str = ""


class ErrorEvent(msgspec.Struct, gc=False):
    """The event that it comes in."""

    error: StreamedError


class InvokedBody(msgspec.Struct, gc=False):
    """A body for InvokeModel, as base64."""

    body: bytes


class TokenInput(msgspec.Struct):
    """What Bedrock is asked to count: one of the two."""

    invokeModel: InvokedBody | None = None  # noqa: N815 - the vendor's spelling
    converse: msgspec.Raw = _ABSENT


class InvokedVectors(msgspec.Struct, gc=False):
    """Of an answer with vectors: which of them there are, unread, and what was counted."""

    embedding: msgspec.Raw = _ABSENT
    by_type: msgspec.Raw = msgspec.field(default=_ABSENT, name="embeddingsByType")
    embeddings: msgspec.Raw = _ABSENT
    meta: msgspec.Raw = _ABSENT
    counted: Any = msgspec.field(default=None, name="inputTextTokenCount")


class InvokedUsage(msgspec.Struct, gc=False):
    """Of a whole answer: what it used."""

    usage: ShownCounts | None = None


class CountedInput(msgspec.Struct, gc=False):
    """A count of tokens, in either spelling."""

    input_tokens: int | None = None
    inputTokens: int | None = None  # noqa: N815 - the vendor's spelling
