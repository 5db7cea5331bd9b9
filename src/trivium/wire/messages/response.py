"""Whole answers of the messages operations."""

from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.messages.answer_forms import Body, Uncounted
from trivium.wire.messages.usage import usage
from trivium.wire.passage import Answer
from trivium.wire.whole import error_of

_ARRAY: Final = ord("[")
_decode: Final = msgspec.json.Decoder(Body).decode
_decode_uncounted: Final = msgspec.json.Decoder(Uncounted).decode


def answer(body: bytes) -> Answer:
    """A message, or an error that came with status 200. Raises UPSTREAM_BROKE on anything else."""
    read = _read(body)
    if read.error and (error := error_of(read.error)) is not None:
        return Answer(error=error)
    if not read.content or memoryview(read.content)[0] != _ARRAY:
        raise _broke()
    return Answer(usage=usage(read.usage))


def count_answer(body: bytes) -> Answer:
    """A token count, which is free of charge: no usage. Raises UPSTREAM_BROKE on anything else."""
    read = _read(body)
    if (error := error_of(read.error)) is not None:
        return Answer(error=error)
    if not isinstance(read.input_tokens, int):
        raise _broke()
    return Answer()


def _read(body: bytes) -> Body:
    try:
        return _decode(body)
    except (ValueError, RecursionError):  # msgspec's own and UnicodeDecodeError are ValueErrors
        pass
    try:
        found = _decode_uncounted(body)
    except (ValueError, RecursionError):
        raise _broke() from None
    return Body(content=found.content, error=found.error)


def _broke() -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is not one of the messages protocol.")
