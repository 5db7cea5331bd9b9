"""A whole chat answer as the canonical one.

A whole answer is a stream of one chunk, so it is read by the same machine, choice by choice.
Source: OpenAI's API reference, chat completions, read 2026-11-21.
"""

from typing import Final

import msgspec

from trivium.conversation.answer import Answer
from trivium.conversation.assemble import assembled
from trivium.conversation.events import Done, Event, Start
from trivium.wire import tokens
from trivium.wire.chat import failure
from trivium.wire.chat.chunk import Choice, Opening
from trivium.wire.chat.stream_choice import ChoiceReader, Sequence
from trivium.wire.codec import AnswerContext

_decode: Final = msgspec.json.Decoder(Opening).decode
_encode: Final = msgspec.json.Encoder().encode


def read(body: bytes, context: AnswerContext) -> Answer:
    """Read an upstream's whole 200 body. Raises ``Fault``."""
    try:
        whole = _decode(body)
    except (ValueError, RecursionError):
        raise failure.broke("it is no chat completion") from None
    if whole.error:
        raise failure.told(whole.error, context)
    if not whole.choices:
        raise failure.broke("it has no choices")
    sequence = Sequence(context)
    sequence.id = whole.id or ""
    events: list[Event] = [Start(whole.id or "", whole.model or "", None, whole.service_tier)]
    ordered = sorted(whole.choices, key=lambda choice: choice.index or 0)
    for at, choice in enumerate(ordered):
        _read_choice(at, choice, sequence, events)
    events.append(Done(whole.service_tier))
    answer = assembled(events)
    if whole.usage is None:
        return answer
    return msgspec.structs.replace(answer, usage=tokens.usage(_encode(whole.usage)))


def _read_choice(at: int, choice: Choice, sequence: Sequence, events: list[Event]) -> None:
    fault = failure.of_choice(choice, sequence.context)
    if fault is not None:
        raise fault
    reader = ChoiceReader(at, sequence)
    reader.feed(choice, events)
    reader.end(events)
    events.append(reader.finished())
