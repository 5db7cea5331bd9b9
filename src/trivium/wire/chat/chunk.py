"""A chunk of a chat stream, as loosely as servers write them; a whole answer's message likewise.

Only what is read is listed, so all else is skimmed. Where servers are known to differ from the
specification, the type is wider than it: content as a list (Mistral), arguments as an object,
a call without ``index``. Source: OpenAI's API reference, chat completions, read 2026-11-21.
"""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec


class Logprobs(msgspec.Struct, gc=False):
    """``choices[].logprobs``: the probabilities of content and of a refusal."""

    content: msgspec.Raw = msgspec.Raw()


class Function(msgspec.Struct, gc=False):
    """Name and arguments of a call, or pieces of them."""

    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class Custom(msgspec.Struct, gc=False):
    """Name and input of a call of a free-text tool."""

    name: str | None = None
    input: str | None = None


class ChunkCall(msgspec.Struct, gc=False):
    """One entry of ``tool_calls``."""

    index: int | None = None
    id: str | None = None
    function: Function | None = None
    custom: Custom | None = None
    extra_content: dict[str, Any] | None = None


class ChunkMessage(msgspec.Struct, gc=False):
    """A ``delta`` or a ``message``."""

    content: str | list[Any] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[ChunkCall] | None = None
    function_call: Function | None = None
    annotations: list[Any] | None = None
    audio: dict[str, Any] | None = None
    images: list[Any] | None = None


class ChunkChoice(msgspec.Struct, gc=False):
    """One choice; ``message`` in a whole answer."""

    index: int | None = None
    delta: ChunkMessage | None = None
    message: ChunkMessage | None = None
    finish_reason: str | None = None
    logprobs: Logprobs | None = None
    error: Any = None
    usage: Any = None


class Chunk(msgspec.Struct, gc=False):
    """A frame of a stream."""

    choices: list[ChunkChoice] | None = None
    usage: Any = None
    error: Any = None
    service_tier: str | None = None
    x_groq: Any = None

    def reported(self) -> Any:
        """What it counts, in any of three places (``wire/openai_shapes.py``)."""
        if self.usage:
            return self.usage
        if isinstance(self.x_groq, dict) and (found := self.x_groq.get("usage")):
            return found
        return next((one.usage for one in self.choices or () if one.usage), None)


class OpeningChunk(Chunk, gc=False):
    """The first frame of a stream, or a whole answer: says who answers."""

    id: str | None = None
    model: str | None = None


class UncountedChunk(msgspec.Struct, gc=False):
    """The same of a frame whose counters cannot be read."""

    choices: list[ChunkChoice] | None = None
    error: Any = None
    service_tier: str | None = None
    id: str | None = None
    model: str | None = None


class _KnownFunction(Function, gc=False, forbid_unknown_fields=True):
    """A function with nothing else in it."""


class _KnownCustom(Custom, gc=False, forbid_unknown_fields=True):
    """The same of a free-text tool."""


class _KnownCall(ChunkCall, gc=False, forbid_unknown_fields=True):
    function: _KnownFunction | None = None
    custom: _KnownCustom | None = None
    type: msgspec.Raw = msgspec.Raw()


class _KnownMessage(ChunkMessage, gc=False, forbid_unknown_fields=True):
    tool_calls: list[_KnownCall] | None = None  # type: ignore[assignment]  # the same, and one more
    function_call: _KnownFunction | None = None
    role: msgspec.Raw = msgspec.Raw()


class _KnownLogprobs(Logprobs, gc=False, forbid_unknown_fields=True):
    refusal: None = None


class KnownChoice(ChunkChoice, gc=False, forbid_unknown_fields=True):
    """A choice of which all is read."""

    delta: _KnownMessage | None = None
    message: _KnownMessage | None = None
    logprobs: _KnownLogprobs | None = None
    usage: None = None


class KnownChunk(OpeningChunk, gc=False, forbid_unknown_fields=True):
    """A frame, or a whole answer, that holds nothing of which anybody would have to be told."""

    choices: list[KnownChoice] | None = None  # type: ignore[assignment]  # likewise
    x_groq: None = None
    object: msgspec.Raw = msgspec.Raw()
    created: msgspec.Raw = msgspec.Raw()
    system_fingerprint: msgspec.Raw = msgspec.Raw()
    obfuscation: msgspec.Raw = msgspec.Raw()


_Skipped: TypeAlias = str | int | None
"""Of a member that every frame repeats, and nobody reads again."""


class _Words(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    content: Annotated[str, msgspec.Meta(min_length=1)]
    role: msgspec.Raw = msgspec.Raw()
    refusal: None = None
    reasoning_content: None = None
    reasoning: None = None
    tool_calls: None = None
    function_call: None = None


class _PlainChoice(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    delta: _Words
    index: Literal[0] = 0
    logprobs: None = None
    finish_reason: None = None


class PlainChunk(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A frame that brings one more piece of the only text and nothing else: nine of ten do."""

    choices: tuple[_PlainChoice]
    id: _Skipped = None
    object: _Skipped = None
    created: _Skipped = None
    model: _Skipped = None
    service_tier: _Skipped = None
    system_fingerprint: _Skipped = None
    obfuscation: _Skipped = None
    provider: _Skipped = None
    usage: None = None
    error: None = None
