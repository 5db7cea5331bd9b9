"""A whole answer as the caller's response object: what the stream of it would end with."""

from typing import Any

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.custom_tools import Customs
from trivium.conversation.items import Part
from trivium.conversation.parts import Text
from trivium.wire import logprobs
from trivium.wire.codec import WriteContext
from trivium.wire.responses import write_answer_parts
from trivium.wire.responses.response_object import ResponseObjectWriter, encode, reason
from trivium.wire.responses.write_stream import Writer


def write(answer: Answer, ctx: WriteContext) -> bytes:
    """Write the body of a whole answer as a response object."""
    said = answer.candidates[0]
    # HOT: most answers are words and calls, whose items need no stream to be told: 11.5 -> 1.9 us
    # (2026-11-24, bench/hot.py --case reply.responses.chat-text). Probabilities of 1,400 tokens
    # with twenty rivals each, which a stream tells three times: 36.6 -> 9.3 ms (2026-11-28)
    tools = ctx.request.tools
    if all(map(_plain, said.parts)) and not (tools and Customs(tools)):
        return _object(answer, said, ctx)
    writer = Writer(ctx)
    writer.feed(replayed(answer))
    return writer.answer()


def _plain(part: Part) -> bool:
    if type(part) is Text:
        return bool(part.text) and not (part.opaque or part.citations)
    return type(part) is ToolCall and not part.opaque


def _object(answer: Answer, said: Candidate, ctx: WriteContext) -> bytes:
    """An answer of plain parts: neighbouring texts are parts of one message."""
    why = reason(said.finish)
    status = "completed" if why is None else "incomplete"
    output: list[bytes] = []
    contents: list[dict[str, Any]] = []
    last = len(said.parts) - 1
    for at, part in enumerate(said.parts):
        end = status if at == last else "completed"
        if type(part) is Text:
            rows = logprobs.written(part.logprobs) if part.logprobs else ()
            contents.append(write_answer_parts.output_text(part.text, len(part.text), (), rows))
            if at < last and type(said.parts[at + 1]) is Text:
                continue
            item = write_answer_parts.message(_id("message", ctx, output), contents, end)
            contents = []
        else:
            assert type(part) is ToolCall
            item = _call(part, end, ctx, output)
        output.append(encode(item))
    return ResponseObjectWriter(ctx).object(
        status, output, incomplete=why, usage=answer.usage, tier=answer.service_tier
    )


def _call(part: ToolCall, end: str, ctx: WriteContext, output: list[bytes]) -> dict[str, Any]:
    own = write_answer_parts.declared(part, ctx.request.tools)
    text = part.arguments or ("{}" if part.kind is CallKind.FUNCTION else "")
    return write_answer_parts.call(
        _id(write_answer_parts.kind(part) or "", ctx, output), own, text, end
    )


def _id(kind: str, ctx: WriteContext, output: list[bytes]) -> str:
    return f"{write_answer_parts.PREFIX[kind]}{ctx.id}_{len(output)}"
