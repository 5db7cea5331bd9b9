"""Counting the input tokens of a responses request: what is read, and what the answer says.

Source: openai-python 3.52.0, ``responses.input_tokens.count``, read 2026-11-21.
"""

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import basics
from trivium.wire.checks import missing
from trivium.wire.passage import Answer, Facts
from trivium.wire.peek import Members
from trivium.wire.responses.answer_forms import Count
from trivium.wire.whole import error_of

_SOURCES = ("input", "instructions", "previous_response_id", "conversation")


_decode = msgspec.json.Decoder(Count).decode


def facts(body: Members) -> Facts:
    """What a request for a token count says about itself; it generates nothing, so no limit."""
    model = basics.model(body)
    if all(body.raw(name) is None for name in _SOURCES):
        raise missing("input")
    return Facts(model=model, output_max=0)


def answer(body: bytes) -> Answer:
    """A token count, which is free of charge: no usage. Raises UPSTREAM_BROKE on anything else."""
    try:
        read = _decode(body)
    except (ValueError, RecursionError):  # msgspec's own and UnicodeDecodeError are ValueErrors
        raise _broke() from None
    if (error := error_of(read.error)) is not None:
        return Answer(error=error)
    if not isinstance(read.input_tokens, int):
        raise _broke()
    return Answer()


def _broke() -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is not a count of tokens.")
