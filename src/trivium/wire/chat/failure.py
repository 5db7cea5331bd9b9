"""Faults of answers that are not what the chat protocol says."""

from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.chat.chunk import ChunkChoice
from trivium.wire.chat.finish import BROKEN
from trivium.wire.codec import AnswerContext

_encode: Final = msgspec.json.Encoder().encode


def told(error: Any, context: AnswerContext) -> Fault:
    """The fault behind an ``error`` member: an object, with some servers a mere text."""
    return context.refused(_encode(error if isinstance(error, dict) else {"message": error}))


def of_choice(choice: ChunkChoice, context: AnswerContext) -> Fault | None:
    """The fault of a choice that says itself that it broke off."""
    if choice.error:
        return told(choice.error, context)
    if choice.finish_reason in BROKEN:
        return Fault(Kind.UPSTREAM_BROKE, "The upstream broke off its answer.")
    return None
