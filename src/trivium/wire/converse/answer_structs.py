"""What is read of an answer's JSON: the whole, its blocks, and the events of a stream."""

from typing import Any, Final, Literal

import msgspec

_ABSENT: Final = msgspec.Raw()


class ConverseMessage(msgspec.Struct, gc=False):
    """The message of an answer: its blocks as they came."""

    content: list[msgspec.Raw] | None = None


class ConverseOutput(msgspec.Struct, gc=False):
    """``output``, which is a message."""

    message: ConverseMessage | None = None


class ConverseUncounted(msgspec.Struct, gc=False):
    """A whole answer, but for counters beyond any number."""

    output: ConverseOutput | None = None
    stopReason: Any = None  # noqa: N815 - the vendor's spelling, as below
    additionalModelResponseFields: Any = None  # noqa: N815
    serviceTier: Any = None  # noqa: N815


class ConverseAnswer(ConverseUncounted, gc=False):
    """The members that are read of a whole answer."""

    usage: Any = None


class ConverseSource(msgspec.Struct, gc=False):
    """The bytes of a medium, in base64."""

    bytes: Any = None


class ConverseMedium(msgspec.Struct, gc=False):
    """A picture or a sound."""

    format: Any = None
    source: ConverseSource | None = None


class ConverseToolUse(msgspec.Struct, gc=False):
    """A call; of a stream without its input."""

    toolUseId: Any = None  # noqa: N815
    name: Any = None
    input: msgspec.Raw = _ABSENT
    type: Any = None


class ConverseReasoningText(msgspec.Struct, gc=False):
    """Readable reasoning with its signature."""

    text: Any = None
    signature: Any = None


class ConverseReasoning(msgspec.Struct, gc=False):
    """Reasoning, readable or not."""

    reasoningText: ConverseReasoningText | None = None  # noqa: N815
    redactedContent: Any = None  # noqa: N815


class ConverseCited(msgspec.Struct, gc=False):
    """A text in pieces, with its sources."""

    content: Any = None
    citations: msgspec.Raw = _ABSENT


class ConverseBlock(msgspec.Struct, gc=False):
    """Any block of an answer: one of the members is there."""

    text: Any = None
    image: ConverseMedium | None = None
    audio: ConverseMedium | None = None
    toolUse: ConverseToolUse | None = None  # noqa: N815
    reasoningContent: ConverseReasoning | None = None  # noqa: N815
    citationsContent: ConverseCited | None = None  # noqa: N815


class ConverseCitation(msgspec.Struct, gc=False):
    """A source of a text, of which any member may be anything."""

    title: Any = None
    source: Any = None
    sourceContent: Any = None  # noqa: N815
    location: Any = None


class ConverseWords(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A delta of a text and of nothing else, as most are."""

    text: str


class ConverseWordsEvent(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """An event with such a delta."""

    delta: ConverseWords
    contentBlockIndex: int = 0  # noqa: N815
    p: str = ""


class ConverseInputPiece(msgspec.Struct, gc=False):
    """A piece of a call's input."""

    input: Any = None


class ConverseThought(msgspec.Struct, gc=False):
    """A piece of reasoning, or its signature."""

    text: Any = None
    signature: Any = None
    redactedContent: Any = None  # noqa: N815


class ConverseDelta(msgspec.Struct, gc=False):
    """Any delta: one of the members is there."""

    text: Any = None
    toolUse: ConverseInputPiece | None = None  # noqa: N815
    toolResult: msgspec.Raw = _ABSENT  # noqa: N815
    reasoningContent: ConverseThought | None = None  # noqa: N815
    citation: msgspec.Raw = _ABSENT
    image: ConverseMedium | None = None


class ConverseDeltaEvent(msgspec.Struct, gc=False):
    """A ``contentBlockDelta``: more of the block at a place."""

    contentBlockIndex: int = 0  # noqa: N815
    delta: msgspec.Raw = _ABSENT


class ConverseStart(msgspec.Struct, gc=False):
    """What a block begins with: one of the members is there."""

    toolUse: ConverseToolUse | None = None  # noqa: N815
    toolResult: msgspec.Raw = _ABSENT  # noqa: N815
    image: ConverseMedium | None = None


class ConverseStartEvent(msgspec.Struct, gc=False):
    """A ``contentBlockStart``: what the block at a place is."""

    contentBlockIndex: int = 0  # noqa: N815
    start: msgspec.Raw = _ABSENT


class ConverseStopEvent(msgspec.Struct, gc=False):
    """A ``contentBlockStop``: the block at a place is whole."""

    contentBlockIndex: int = 0  # noqa: N815


class ConverseEndEvent(msgspec.Struct, gc=False):
    """A ``messageStop``: why the model ended."""

    stopReason: Any = None  # noqa: N815
    additionalModelResponseFields: Any = None  # noqa: N815


class ConverseMetadataEvent(msgspec.Struct, gc=False):
    """A ``metadata``: what was counted, and the tier that served."""

    usage: msgspec.Raw = _ABSENT
    serviceTier: Any = None  # noqa: N815


class _PlainText(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    text: str


class _PlainMessage(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    content: tuple[_PlainText]
    role: Literal["assistant"] = "assistant"


class _PlainOutput(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    message: _PlainMessage


class ConversePlain(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """An answer of one text and nothing that anybody would have to be told of: most are."""

    output: _PlainOutput
    stopReason: str  # noqa: N815
    usage: dict[str, Any]
    metrics: msgspec.Raw = _ABSENT


class WatchedConverseAnswer(msgspec.Struct, gc=False):
    """A whole answer as far as the pass-through lane reads it."""

    output: msgspec.Raw = _ABSENT
    usage: msgspec.Raw = _ABSENT
    """Not yet looked at: a number that is none must not cost the answer."""
