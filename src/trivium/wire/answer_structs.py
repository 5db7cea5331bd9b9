"""What is read of an answer's JSON, and the frames in which a stream of it comes."""

from typing import Annotated, Any, Final

import msgspec

_ABSENT: Final = msgspec.Raw()

Count = Annotated[int, msgspec.Meta(ge=0)]


class CountDetails(msgspec.Struct, gc=False):
    """What a count is made of."""

    cached_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    audio_tokens: Count | None = None
    image_tokens: Count | None = None
    reasoning_tokens: Count | None = None


class Counts(msgspec.Struct, gc=False):
    """A usage object, of whatever shape; decoded laxly: some relays write 5.0 or "5"."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    total_tokens: Count | None = None
    prompt_cache_hit_tokens: Count | None = None
    cached_tokens: Count | None = None
    reasoning_tokens: Count | None = None
    prompt_tokens_details: CountDetails | None = None
    completion_tokens_details: CountDetails | None = None
    input_tokens_details: CountDetails | None = None
    output_tokens_details: CountDetails | None = None


class Elsewhere(msgspec.Struct, gc=False):
    """A choice, or ``x_groq``, where some vendors report usage."""

    usage: msgspec.Raw = _ABSENT


class Fate(msgspec.Struct, gc=False):
    """The members that tell an answer's fate; a good one has one of the last but ``x_groq``."""

    error: msgspec.Raw = _ABSENT
    choices: msgspec.Raw = _ABSENT
    output: msgspec.Raw = _ABSENT
    data: msgspec.Raw = _ABSENT
    results: msgspec.Raw = _ABSENT
    x_groq: msgspec.Raw = _ABSENT


class AnswerView(Fate, gc=False):
    """An answer with its usage."""

    usage: Counts | None = None


class LooseView(Fate, gc=False):
    """An answer whose usage may be anything."""

    usage: msgspec.Raw = _ABSENT


class Counted(msgspec.Struct, gc=False):
    """An answer that is a number of tokens, in any shape."""

    input_tokens: Any = None
    totalTokens: Any = None  # noqa: N815 - the vendor's spelling, here and below
    inputTokens: Any = None  # noqa: N815
    error: msgspec.Raw = _ABSENT


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One event: its ``event:`` name (empty when absent) and its joined ``data:`` lines."""

    event: bytes
    data: bytes


class TypeOnly(msgspec.Struct, gc=False):
    """Of an item or an event only its kind."""

    type: str | None = None


class Rival(msgspec.Struct, gc=False):
    """A token that could have stood there, to be written."""

    token: str
    logprob: float
    bytes: tuple[int, ...]


class Chosen(Rival, gc=False):
    """The token that stands there, to be written."""

    top_logprobs: list[Rival]


class TokenEntry(msgspec.Struct, gc=False):
    """A token as it is read."""

    token: str = ""
    logprob: float = 0.0
    bytes: list[int] | None = None
    top_logprobs: "list[TokenEntry] | None" = None


class WrittenMembers(msgspec.Struct, gc=False):
    """The members that tell what was written: a counter beside them may be beyond any number."""

    type: Any = None
    choices: Any = None
    delta: Any = None
    message: Any = None
    content_block: Any = None
    content: Any = None
    candidates: Any = None
    item: Any = None
    output: Any = None
    text: Any = None
    arguments: Any = None
    refusal: Any = None
    input: Any = None
    code: Any = None


class WrittenAnswer(msgspec.Struct, gc=False):
    """An event with an answer in it."""

    response: WrittenMembers | None = None
