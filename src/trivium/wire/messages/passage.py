"""The messages operations on the pass-through lane: what is read, checked and replaced.

Nothing inside ``messages``, ``system`` or ``tools`` is touched or even parsed: thinking blocks are
signed, and the vendor checks that not a byte before them has changed.
"""

from typing import Final

import msgspec

from trivium.wire.checks import missing, mistyped
from trivium.wire.lenient import decoded, error_of
from trivium.wire.messages.answer_structs import AnswerBody, UncountedAnswer
from trivium.wire.messages.paths import broke
from trivium.wire.messages.read_usage import usage
from trivium.wire.messages.stream import watch
from trivium.wire.openai_shapes import renamed
from trivium.wire.passage import AnswerFacts, PassThroughSpec, RequestFacts
from trivium.wire.peek import Members

_ARRAY: Final = ord("[")


def facts(body: Members) -> RequestFacts:
    """What a request for a message says about itself.

    Raises MISSING_MEMBER, INVALID_TYPE, INVALID_VALUE. ``max_tokens`` 0 is legal: it fills the
    prompt cache and generates nothing.
    """
    name = body.needed("model")
    _messages(body)
    output_max = body.integer("max_tokens", 0)
    if output_max is None:
        raise missing("max_tokens")
    return RequestFacts(model=name, stream=body.flag("stream"), output_max=output_max)


def count_facts(body: Members) -> RequestFacts:
    """What a request for a token count says about itself; it generates nothing, so no limit.

    Members that only matter for generating may be there and are not looked at.
    """
    name = body.needed("model")
    _messages(body)
    return RequestFacts(model=name, output_max=0)


def _messages(body: Members) -> None:
    opening = body.opening("messages")
    if not opening:
        raise missing("messages")
    if opening != _ARRAY:
        raise mistyped("messages", "be an array")


_decode: Final = msgspec.json.Decoder(AnswerBody).decode
_decode_uncounted: Final = msgspec.json.Decoder(UncountedAnswer).decode


def answer(body: bytes) -> AnswerFacts:
    """A message, or an error that came with status 200. Raises UPSTREAM_BROKE on anything else."""
    read = _read(body)
    if read.error and (error := error_of(read.error)) is not None:
        return AnswerFacts(error=error)
    if not read.content or memoryview(read.content)[0] != _ARRAY:
        raise broke()
    return AnswerFacts(usage=usage(read.usage))


def count_answer(body: bytes) -> AnswerFacts:
    """A token count, which is free of charge: no usage. Raises UPSTREAM_BROKE on anything else."""
    read = _read(body)
    if (error := error_of(read.error)) is not None:
        return AnswerFacts(error=error)
    if not isinstance(read.input_tokens, int):
        raise broke()
    return AnswerFacts()


def _read(body: bytes) -> AnswerBody:
    if (whole := decoded(_decode, body)) is not None:
        return whole
    if (found := decoded(_decode_uncounted, body)) is None:
        raise broke()
    return AnswerBody(content=found.content, error=found.error)


MESSAGES: Final = PassThroughSpec(facts=facts, changes=renamed, answer=answer, watch=watch)
COUNT: Final = PassThroughSpec(facts=count_facts, changes=renamed, answer=count_answer)
