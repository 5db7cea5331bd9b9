"""A whole answer told as events: for callers who asked for a stream of an upstream that has none.

``assembled(replayed(answer))`` is the answer again.
"""

import msgspec

from trivium.conversation.answer import Answer
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Done,
    Event,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.items import Part
from trivium.conversation.parts import Reasoning, Refusal, Text


def replayed(answer: Answer) -> list[Event]:
    """Return the events that a stream of this answer would have had, with one delta for each
    part.
    """
    out: list[Event] = [Start(answer.id, answer.model, None, answer.service_tier)]
    index = 0
    for at, candidate in enumerate(answer.candidates):
        for part in candidate.parts:
            _part(out, index, part, at)
            index += 1
    out.extend(Finished(candidate.finish, at) for at, candidate in enumerate(answer.candidates))
    if answer.usage is not None:
        out.append(UsageReport(answer.usage))
    out.append(Done())
    return out


def _part(out: list[Event], index: int, part: Part, candidate: int) -> None:
    if isinstance(part, Text):
        empty = msgspec.structs.replace(part, text="", citations=(), logprobs=(), opaque=())
        out.append(PartStart(index, empty, candidate))
        if part.text:
            out.append(Delta(index, part.text, part.logprobs))
        out.extend(Cited(index, citation) for citation in part.citations)
    elif isinstance(part, Reasoning | Refusal):
        out.append(PartStart(index, msgspec.structs.replace(part, text="", opaque=()), candidate))
        if part.text:
            out.append(Delta(index, part.text))
    elif isinstance(part, ToolCall):
        out.append(
            PartStart(index, msgspec.structs.replace(part, arguments="", opaque=()), candidate)
        )
        text = part.arguments or ("{}" if part.kind is CallKind.FUNCTION else "")
        if text:
            out.append(Delta(index, text))
    else:
        out.append(PartStart(index, part, candidate))
        out.append(PartEnd(index))
        return
    out.append(PartEnd(index, part.opaque))
