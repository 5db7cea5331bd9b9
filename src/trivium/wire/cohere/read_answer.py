"""Whole answers of Cohere's shape, read tolerantly.

Source: cohere-python 7.3.1, ``V2ChatResponse``, read 2026-11-28.
"""

from typing import Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.items import Part
from trivium.conversation.parts import Citation, Text, TokenLogprob
from trivium.conversation.shape_capabilities import Loss
from trivium.wire import caps
from trivium.wire.codec import AnswerContext
from trivium.wire.cohere import citations, finish
from trivium.wire.cohere.answer_structs import SaidMessage, WholeChat
from trivium.wire.cohere.known_members import ANSWER
from trivium.wire.cohere.read_answer_parts import broke, call, cited, likely, part, words
from trivium.wire.cohere.usage import usage
from trivium.wire.lenient import decoded, error_of

_decode: Final = msgspec.json.Decoder(WholeChat).decode
_decode_message: Final = msgspec.json.Decoder(SaidMessage).decode
_QUOTE: Final = b'"'


def read(body: bytes, context: AnswerContext) -> Answer:
    """The answer. Raises ``Fault`` for an error in its place and for nonsense."""
    whole = decoded(_decode, body)
    if whole is None:
        raise broke("it is no chat")
    if (error := error_of(whole.error)) is not None:
        raise context.refused(error)
    raw = bytes(whole.message)
    if raw.startswith(_QUOTE) or whole.finish_reason == finish.FAILED:
        raise context.refused(body)
    message = decoded(_decode_message, raw)
    if message is None:
        raise broke("it has no message")
    ANSWER.look(body, context.unread)
    parts = _parts(message, whole.logprobs, context)
    return Answer(
        candidates=(Candidate(tuple(parts), finish.read(whole.finish_reason)),),
        usage=usage(whole.usage),
        id=words(whole.id),
    )


def _parts(message: SaidMessage, told: msgspec.Raw, context: AnswerContext) -> list[Part]:
    content = bytes(message.content)
    out: list[Part]
    if content.startswith(_QUOTE):
        out = [Text(msgspec.json.decode(content, type=str))]
    else:
        rows = caps.rows(content)
        _bound(len(rows))
        out = [part(row, context) for row in rows]
    blocks = len(out)
    if plan := words(message.tool_plan):
        out.append(Text(plan))
    _cite(out, blocks, message.citations, context)
    _weigh(out, told)
    calls = caps.rows(message.tool_calls)
    _bound(len(out) + len(calls))
    for row in calls:
        found, arguments = call(row)
        out.append(msgspec.structs.replace(found, arguments=arguments or "{}"))
    return out


def _bound(count: int) -> None:
    if count > caps.PARTS_MAX:
        raise caps.too_many("parts", caps.PARTS_MAX)


def _cite(out: list[Part], blocks: int, raw: msgspec.Raw, context: AnswerContext) -> None:
    """Put the citations of a message on the texts that they are of."""
    found: dict[int, list[Citation]] = {}
    for kind, at, one in cited(raw):
        index = blocks if kind == citations.PLAN else at
        if kind == citations.THOUGHT or index >= len(out) or not isinstance(out[index], Text):
            context.unread("citations", Loss.UNKNOWN)
        else:
            found.setdefault(index, []).append(one)
    for index, rows in found.items():
        out[index] = msgspec.structs.replace(out[index], citations=tuple(rows))


def _weigh(out: list[Part], raw: msgspec.Raw) -> None:
    """Put the probabilities on the first text: they are told of all that is said."""
    rows = caps.rows(raw)[: caps.PROBABILITIES_MAX]
    found: list[TokenLogprob] = [one for row in rows if (one := likely(row)) is not None]
    if not found:
        return
    for at, said in enumerate(out):
        if isinstance(said, Text):
            out[at] = msgspec.structs.replace(said, logprobs=tuple(found))
            return
