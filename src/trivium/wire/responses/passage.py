"""The responses operations on the pass-through lane.

Source of the count: openai-python 3.52.0, ``responses.input_tokens.count``, read 2026-11-21.
"""

from functools import partial
from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import openai_shapes
from trivium.wire.checks import missing
from trivium.wire.lenient import decoded, error_of
from trivium.wire.openai_shapes import renamed
from trivium.wire.passage import AnswerFacts, PassThroughSpec, RequestFacts
from trivium.wire.peek import Members
from trivium.wire.responses.answer_structs import Count
from trivium.wire.responses.request import facts
from trivium.wire.responses.stream import Watch

_SOURCES = ("input", "instructions", "previous_response_id", "conversation")


_decode = msgspec.json.Decoder(Count).decode


def count_facts(body: Members) -> RequestFacts:
    """What a request for a token count says about itself; it generates nothing, so no limit."""
    name = body.needed("model")
    if all(body.raw(one) is None for one in _SOURCES):
        raise missing("input")
    return RequestFacts(model=name, output_max=0)


def count_answer(body: bytes) -> AnswerFacts:
    """A token count, which is free of charge: no usage. Raises UPSTREAM_BROKE on anything else."""
    if (read := decoded(_decode, body)) is None:
        raise _broke()
    if (error := error_of(read.error)) is not None:
        return AnswerFacts(error=error)
    if not isinstance(read.input_tokens, int):
        raise _broke()
    return AnswerFacts()


def _broke() -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is not a count of tokens.")


PASSAGE: Final = PassThroughSpec(
    facts=facts,
    changes=renamed,
    answer=partial(openai_shapes.answer, content="output"),
    watch=Watch,
)
COUNT: Final = PassThroughSpec(facts=count_facts, changes=renamed, answer=count_answer)
