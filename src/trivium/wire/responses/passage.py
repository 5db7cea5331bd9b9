"""The responses operations on the pass-through lane.

Source of the count: openai-python 3.52.0, ``responses.input_tokens.count``, read 2026-11-21.
"""

from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import basics, whole
from trivium.wire.checks import missing
from trivium.wire.passage import Answer, Facts, Passage
from trivium.wire.peek import Members
from trivium.wire.responses.answer_forms import Count
from trivium.wire.responses.request import changes, facts
from trivium.wire.responses.stream import watch
from trivium.wire.whole import error_of

_SOURCES = ("input", "instructions", "previous_response_id", "conversation")


_decode = msgspec.json.Decoder(Count).decode


def count_facts(body: Members) -> Facts:
    """What a request for a token count says about itself; it generates nothing, so no limit."""
    model = basics.model(body)
    if all(body.raw(name) is None for name in _SOURCES):
        raise missing("input")
    return Facts(model=model, output_max=0)


def count_answer(body: bytes) -> Answer:
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


def answer(body: bytes) -> Answer:
    """Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content."""
    return whole.answer(body, "output")


PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer, watch=watch)
COUNT: Final = Passage(facts=count_facts, changes=changes, answer=count_answer)
