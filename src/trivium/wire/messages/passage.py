"""The messages operations on the pass-through lane: what is read, checked and replaced.

Nothing inside ``messages``, ``system`` or ``tools`` is touched or even parsed: thinking blocks are
signed, and the vendor checks that not a byte before them has changed.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.basics import at_least, model, renamed
from trivium.wire.checks import missing
from trivium.wire.messages.answer_forms import Body, Uncounted
from trivium.wire.messages.stream import watch
from trivium.wire.messages.usage import usage
from trivium.wire.passage import Answer, Facts, Passage
from trivium.wire.peek import Members
from trivium.wire.whole import error_of

_ARRAY: Final = ord("[")


def facts(body: Members) -> Facts:
    """What a request for a message says about itself.

    Raises MISSING_MEMBER, INVALID_TYPE, INVALID_VALUE. ``max_tokens`` 0 is legal: it fills the
    prompt cache and generates nothing.
    """
    name = model(body)
    _messages(body)
    output_max = at_least(body, "max_tokens", 0)
    if output_max is None:
        raise missing("max_tokens")
    return Facts(model=name, stream=body.flag("stream"), output_max=output_max)


def count_facts(body: Members) -> Facts:
    """What a request for a token count says about itself; it generates nothing, so no limit.

    Members that only matter for generating may be there and are not looked at.
    """
    name = model(body)
    _messages(body)
    return Facts(model=name, output_max=0)


def changes(
    body: Members,
    facts: Facts,
    upstream_model: str,
    ask_usage: bool,  # noqa: ARG001 - these streams always carry usage
) -> Mapping[str, bytes | None]:
    """The model's name at the vendor, when it is another one."""
    return renamed(body, facts, upstream_model)


def _messages(body: Members) -> None:
    opening = body.opening("messages")
    if not opening:
        raise missing("messages")
    if opening != _ARRAY:
        raise Fault(Kind.INVALID_TYPE, "`messages` must be an array.", param="messages")


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


MESSAGES: Final = Passage(facts=facts, changes=changes, answer=answer, watch=watch)
COUNT: Final = Passage(facts=count_facts, changes=changes, answer=count_answer)
