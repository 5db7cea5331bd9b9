"""Counts of tokens between shapes: a whole request asked for a number.

A count's body is that of a request for an answer with a few members more or less, so the shape's
own codec reads and writes it; only the envelope around it is here. Sources: Anthropic's reference,
count_tokens; Google's, countTokens; openai-python 3.52.0, ``responses.input_tokens``; read
2026-11-21.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from trivium.conversation.request import Conversation, Sampling
from trivium.faults import Fault, Kind
from trivium.wire.answer_structs import Counted
from trivium.wire.generate.path import bare
from trivium.wire.lenient import NonsenseError, count, error_of
from trivium.wire.operation import Operation
from trivium.wire.peek import Members

_encode: Final = msgspec.json.Encoder().encode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

_IGNORED: Final = {
    Operation.MESSAGES_COUNT: frozenset({"stream", "metadata", "stop_sequences"}),
    Operation.RESPONSES_COUNT: frozenset({"stream", "background", "store"}),
}
"""Members that callers may send with a count and that nobody looks at."""

_WRITTEN: Final = {
    Operation.MESSAGES_COUNT: frozenset(
        {"model", "messages", "system", "tools", "tool_choice", "output_config"}
    ),
    Operation.RESPONSES_COUNT: frozenset(
        {"model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "text"}
    ),
}
"""Members of a request for an answer that its count takes too."""

_REQUEST: Final = ("generateContentRequest", "generate_content_request")


_answer: Final = msgspec.json.Decoder(Counted).decode


def request(operation: Operation, body: Members) -> dict[str, msgspec.Raw]:
    """The members that the shape's request reader is to read."""
    members = dict(body.pairs)
    if operation is Operation.GENERATE_COUNT:
        inner = next((name for name in _REQUEST if body.raw(name) is not None), None)
        return members if inner is None else _members(bytes(members[inner]))
    ignored = _IGNORED[operation]
    members = {name: raw for name, raw in members.items() if name not in ignored}
    if operation is Operation.MESSAGES_COUNT:
        # demanded of a request for an answer, which this becomes
        members["max_tokens"] = msgspec.Raw(b"1")
        members.pop("thinking", None)
    elif body.raw("input") is None:
        members["input"] = msgspec.Raw(b"[]")
    return members


def counted(conversation: Conversation) -> Conversation:
    """The conversation without what no count depends on: nothing is to be generated."""
    return msgspec.structs.replace(
        conversation,
        sampling=Sampling(),
        output_max=None,
        stop=(),
        reasoning=None,
        verbosity=None,
        modalities=(),
        audio=None,
        candidates=None,
        logprobs=None,
        top_logprobs=None,
        metadata=(),
        user=None,
        safety_id=None,
        cache_key=None,
        cache=None,
        service_tier=None,
        store=None,
        stream=False,
    )


def body(operation: Operation, written: bytes, model: str) -> bytes:
    """The upstream's count of a request for an answer that its shape's codec wrote."""
    members = _members(written)
    if operation is Operation.GENERATE_COUNT:
        members.pop("generationConfig", None)
        inner = {"model": f"models/{bare(model)}", **members}
        return _encode({_REQUEST[0]: inner})
    kept = _WRITTEN[operation]
    return _encode({name: raw for name, raw in members.items() if name in kept})


def read(operation: Operation, data: bytes, refused: Callable[[bytes], Fault]) -> int:
    """The number in an upstream's 200 body.

    Raises UPSTREAM_BROKE, or what ``refused`` makes of an error in it.
    """
    try:
        found = _answer(data)
        if (error := error_of(found.error)) is not None:
            raise refused(error)
        # proto3 leaves a zero out
        if operation is Operation.GENERATE_COUNT:
            return count(found.totalTokens)
        if found.input_tokens is not None:
            return count(found.input_tokens)
    except (NonsenseError, ValueError, RecursionError):
        pass
    raise Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is not a count of tokens.")


def write(operation: Operation, number: int) -> bytes:
    """The whole body for the caller."""
    if operation is Operation.GENERATE_COUNT:
        return _encode({"totalTokens": number})
    if operation is Operation.RESPONSES_COUNT:
        return _encode({"object": "response.input_tokens", "input_tokens": number})
    return _encode({"input_tokens": number})
