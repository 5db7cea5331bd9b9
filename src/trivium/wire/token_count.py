"""Counts of tokens between shapes: a whole request asked for a number.

A count's body is that of a request for an answer with a few members more or less, so the shape's
own codec reads and writes it; only the envelope around it is here. Sources: Anthropic's reference,
count_tokens; Google's, countTokens; openai-python 3.52.0, ``responses.input_tokens``; read
2026-11-21; Amazon's, CountTokens: botocore 1.44.8, ``ConverseTokensRequest``, read 2026-11-28.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from trivium.conversation.request import Conversation, Sampling
from trivium.faults import Fault, Kind
from trivium.wire.answer_structs import Counted
from trivium.wire.checks import missing, mistyped
from trivium.wire.generate.path import bare
from trivium.wire.lenient import NonsenseError, count, error_of
from trivium.wire.operation import Operation
from trivium.wire.peek import Members, members

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
    Operation.CONVERSE_COUNT: frozenset(
        {"messages", "system", "toolConfig", "additionalModelRequestFields"}
    ),
}
"""Members of a request for an answer that its count takes too."""

_REQUEST: Final = ("generateContentRequest", "generate_content_request")


_answer: Final = msgspec.json.Decoder(Counted).decode


def request(operation: Operation, body: Members) -> dict[str, msgspec.Raw]:
    """The members that the shape's request reader is to read."""
    table = dict(body.pairs)
    if operation is Operation.GENERATE_COUNT:
        inner = next((name for name in _REQUEST if body.raw(name) is not None), None)
        return table if inner is None else _members(bytes(table[inner]))
    if operation is Operation.CONVERSE_COUNT:
        return dict(conversation(body).pairs)
    ignored = _IGNORED[operation]
    table = {name: raw for name, raw in table.items() if name not in ignored}
    if operation is Operation.MESSAGES_COUNT:
        # demanded of a request for an answer, which this becomes
        table["max_tokens"] = msgspec.Raw(b"1")
        table.pop("thinking", None)
    elif body.raw("input") is None:
        table["input"] = msgspec.Raw(b"[]")
    return table


def conversation(body: Members) -> Members:
    """The members of a conversation that Amazon is to count. Raises ``Fault`` naming the member."""
    path = "input.converse"
    raw = body.raw("input")
    if raw is None:
        raise missing("input")
    inner = (members(raw) if raw.startswith(b"{") else body).raw("converse")
    if inner is None:
        raise missing(path)
    if not inner.startswith(b"{"):
        raise mistyped(path, "be an object")
    return members(inner)


def counted(spoken: Conversation) -> Conversation:
    """The conversation without what no count depends on: nothing is to be generated."""
    return msgspec.structs.replace(
        spoken,
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
    found = _members(written)
    if operation is Operation.GENERATE_COUNT:
        found.pop("generationConfig", None)
        inner = {"model": f"models/{bare(model)}", **found}
        return _encode({_REQUEST[0]: inner})
    kept = _WRITTEN[operation]
    written_members = {name: raw for name, raw in found.items() if name in kept}
    if operation is Operation.CONVERSE_COUNT:
        return _encode({"input": {"converse": written_members}})
    return _encode(written_members)


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
        told = found.inputTokens if operation is Operation.CONVERSE_COUNT else found.input_tokens
        if told is not None:
            return count(told)
    except (NonsenseError, ValueError, RecursionError):
        pass
    raise Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is not a count of tokens.")


def write(operation: Operation, number: int) -> bytes:
    """The whole body for the caller."""
    if operation is Operation.GENERATE_COUNT:
        return _encode({"totalTokens": number})
    if operation is Operation.CONVERSE_COUNT:
        return _encode({"inputTokens": number})
    if operation is Operation.RESPONSES_COUNT:
        return _encode({"object": "response.input_tokens", "input_tokens": number})
    return _encode({"input_tokens": number})
