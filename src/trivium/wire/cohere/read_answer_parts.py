"""Pieces of Cohere's answers as canonical parts, read tolerantly: for answers and streams.

Source: cohere-python 7.3.1, ``AssistantMessageResponse``, ``LogprobItem``, read 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.calls import ToolCall
from trivium.conversation.items import Part
from trivium.conversation.parts import (
    Citation,
    Native,
    Reasoning,
    ReasoningForm,
    Text,
    TokenLogprob,
    VendorPart,
)
from trivium.conversation.shape_capabilities import Loss
from trivium.faults import Fault
from trivium.wire import caps, errors
from trivium.wire.codec import AnswerContext
from trivium.wire.cohere import citations
from trivium.wire.cohere.answer_structs import LikelyText, SaidBlock, SaidCall
from trivium.wire.cohere.documents import SHAPE
from trivium.wire.cohere.known_members import BLOCK
from trivium.wire.lenient import decoded

_decode_block: Final = msgspec.json.Decoder(SaidBlock).decode
_decode_call: Final = msgspec.json.Decoder(SaidCall).decode
_decode_likely: Final = msgspec.json.Decoder(LikelyText).decode
_decode_row: Final = msgspec.json.Decoder(dict[str, Any]).decode
_NOTHING: Final = frozenset({b"", b"null"})


def broke(why: str) -> Fault:
    """The fault of an answer that cannot be read; ``why`` ends the sentence."""
    return errors.nonsense(why)


def words(value: Any) -> str:
    """A string member; empty where it is none."""
    return value if isinstance(value, str) else ""


def block(raw: bytes | msgspec.Raw) -> SaidBlock:
    """One entry of a content. Raises ``Fault`` (UPSTREAM_BROKE) for what is no object."""
    found = decoded(_decode_block, raw)
    if found is None:
        raise broke("its content is none")
    return found


def part(raw: msgspec.Raw, context: AnswerContext) -> Part:
    """One whole entry of a content; of a kind that nobody has documented, its words if any."""
    found = block(raw)
    BLOCK.look(raw, context.unread)
    if found.type == "thinking" or (not found.type and found.thinking):
        return thought(words(found.thinking))
    if found.type == "text" or (not found.type and found.text):
        return Text(words(found.text))
    return other(found, bytes(raw), context)


def thought(text: str) -> Reasoning:
    """What the model thought."""
    return Reasoning(text, ReasoningForm.FULL if text else ReasoningForm.HIDDEN)


def other(found: SaidBlock, raw: bytes, context: AnswerContext) -> Part:
    """An entry of a kind that nobody has documented."""
    kind = words(found.type)
    if text := words(found.text) or words(found.thinking):
        context.unread(kind or "content", Loss.WORDED)
        return Text(text)
    return VendorPart(Native(SHAPE, raw), kind, known=False)


def call(raw: bytes | msgspec.Raw) -> tuple[ToolCall, str]:
    """A call without its arguments, and these. Raises ``Fault`` where it has no name."""
    found = decoded(_decode_call, raw)
    if found is None or found.function is None or not words(found.function.name):
        raise broke("a call has no name")
    function = found.function
    return ToolCall(words(found.id), words(function.name)), words(function.arguments)


def more(raw: bytes | msgspec.Raw) -> str:
    """What a piece adds to the arguments of a call."""
    found = decoded(_decode_call, raw)
    return "" if found is None or found.function is None else words(found.function.arguments)


def cited(raw: bytes | msgspec.Raw) -> list[tuple[str, int, Citation]]:
    """Citations, each with the kind and the number of the block it is of; one alone is a list.

    Raises ``Fault`` when there are too many.
    """
    data = bytes(raw)
    rows = [msgspec.Raw(data)] if data.startswith(b"{") else caps.cited(data)
    found = [row for one in rows if (row := decoded(_decode_row, one)) is not None]
    return [(*citations.place(row), citations.read(row)) for row in found]


def likely(raw: bytes | msgspec.Raw) -> TokenLogprob | None:
    """The probability of a piece of text: of its tokens together, as their texts are not told."""
    found = decoded(_decode_likely, raw) if bytes(raw) not in _NOTHING else None
    if found is None or not found.logprobs:
        return None
    return TokenLogprob(found.text, sum(found.logprobs))
