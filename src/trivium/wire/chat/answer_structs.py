"""What is read of a chat answer's JSON: a whole one, and what a stream's watch looks at."""

from typing import Annotated, Any, Final, TypeAlias

import msgspec

from trivium.wire.answer_structs import Counts
from trivium.wire.chat.chunk import ChunkChoice, KnownChoice

_ABSENT: Final = msgspec.Raw()
_Nothing: TypeAlias = Annotated[list[msgspec.Raw], msgspec.Meta(max_length=0)] | None


class OutsideUsage(msgspec.Struct, gc=False):
    """Where some servers report what others do in ``usage``."""

    choices: msgspec.Raw = _ABSENT
    x_groq: msgspec.Raw = _ABSENT


class Whole(msgspec.Struct, gc=False):
    """The members that are read of a whole chat completion."""

    choices: list[ChunkChoice] | None = None
    usage: msgspec.Raw = _ABSENT
    error: Any = None
    service_tier: str | None = None
    id: str | None = None
    model: str | None = None


class KnownWhole(Whole, gc=False, forbid_unknown_fields=True):
    """One that holds nothing of which anybody would have to be told."""

    choices: list[KnownChoice] | None = None  # type: ignore[assignment]  # the same, and one more
    object: msgspec.Raw = _ABSENT
    created: msgspec.Raw = _ABSENT
    system_fingerprint: msgspec.Raw = _ABSENT
    obfuscation: msgspec.Raw = _ABSENT


class PlainWords(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A message of nothing but words."""

    content: Annotated[str, msgspec.Meta(min_length=1)]
    role: str | None = None
    refusal: None = None
    annotations: _Nothing = None
    reasoning_content: None = None
    reasoning: None = None
    reasoning_details: _Nothing = None
    tool_calls: _Nothing = None
    function_call: None = None
    audio: None = None
    images: _Nothing = None


class PlainChoice(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A choice of nothing but words."""

    message: PlainWords
    finish_reason: str
    index: int | None = None
    delta: None = None
    logprobs: None = None
    error: None = None
    stop_reason: None = None
    token_ids: None = None


class Plain(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """An answer of one text and nothing that anybody would have to be told of: most are."""

    choices: tuple[PlainChoice]
    id: str
    model: str
    usage: msgspec.Raw = _ABSENT
    object: str | None = None
    created: float | None = None
    service_tier: str | None = None
    system_fingerprint: str | None = None
    error: None = None
    kv_transfer_params: None = None
    prompt_logprobs: None = None
    prompt_token_ids: None = None


class Watched(OutsideUsage, gc=False):
    """The members of a chunk that tell a stream's fate."""

    usage: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


class UsageChunk(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A chunk that tells nothing but usage."""

    choices: tuple[()]
    usage: Counts
    id: msgspec.Raw = _ABSENT
    object: msgspec.Raw = _ABSENT
    created: msgspec.Raw = _ABSENT
    model: msgspec.Raw = _ABSENT
    service_tier: msgspec.Raw = _ABSENT
    system_fingerprint: msgspec.Raw = _ABSENT
    obfuscation: msgspec.Raw = _ABSENT
    provider: msgspec.Raw = _ABSENT
    """Of OpenRouter, on every chunk."""
    timings: msgspec.Raw = _ABSENT
    """Of llama.cpp, beside the usage it belongs to."""
