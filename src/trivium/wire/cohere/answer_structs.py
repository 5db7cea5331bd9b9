"""What is read of the JSON of Cohere's answers and of the events of a stream."""

from typing import Any, Final

import msgspec

_ABSENT: Final = msgspec.Raw()


class SaidMessage(msgspec.Struct, gc=False):
    """The message of an answer, or what an event adds to it."""

    content: msgspec.Raw = _ABSENT
    tool_plan: Any = None
    tool_calls: msgspec.Raw = _ABSENT
    citations: msgspec.Raw = _ABSENT


class WholeChat(msgspec.Struct, gc=False):
    """A whole answer: its message, why it ended, and what it cost."""

    id: Any = None
    finish_reason: Any = None
    message: msgspec.Raw = _ABSENT
    usage: msgspec.Raw = _ABSENT
    logprobs: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


class SaidBlock(msgspec.Struct, gc=False):
    """One entry of a message's content."""

    type: Any = None
    text: Any = None
    thinking: Any = None


class CalledFunction(msgspec.Struct, gc=False):
    """What a call calls."""

    name: Any = None
    arguments: Any = None


class SaidCall(msgspec.Struct, gc=False):
    """One call, or a piece of one."""

    id: Any = None
    function: CalledFunction | None = None


class LikelyText(msgspec.Struct, gc=False):
    """A piece of text with the probabilities of its tokens."""

    text: str = ""
    logprobs: list[float] | None = None


class EventDelta(msgspec.Struct, gc=False):
    """What an event says."""

    message: SaidMessage | None = None
    finish_reason: Any = None
    error: Any = None
    usage: msgspec.Raw = _ABSENT


class TypedEvent(msgspec.Struct, gc=False):
    """One event; of each kind only what it is read for."""

    type: str = ""
    index: int | None = None
    id: Any = None
    delta: EventDelta | None = None
    logprobs: msgspec.Raw = _ABSENT
    message: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


class EventKind(msgspec.Struct, gc=False):
    """Of an event only its kind."""

    type: Any = None


class ChatFate(msgspec.Struct, gc=False):
    """What tells the fate of an answer that is passed on."""

    finish_reason: Any = None
    message: msgspec.Raw = _ABSENT
    embeddings: msgspec.Raw = _ABSENT
    usage: msgspec.Raw = _ABSENT
    meta: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT
