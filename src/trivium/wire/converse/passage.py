"""Converse and ConverseStream on the pass-through lane: what is read, and checked.

Nothing is replaced in the body: the model stands in the address, and so does whether the answer is
streamed. Nothing inside ``messages``, ``system`` or ``toolConfig`` is touched or even parsed.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final

import msgspec

from trivium.wire.answer_structs import Counted
from trivium.wire.checks import check, missing, mistyped, wrong
from trivium.wire.converse.answer_structs import WatchedConverseAnswer
from trivium.wire.converse.read_usage import usage
from trivium.wire.converse.request_structs import InferenceLimit
from trivium.wire.converse.stream import watch
from trivium.wire.errors import nonsense
from trivium.wire.lenient import decoded
from trivium.wire.passage import AnswerFacts, PassThroughSpec, RequestFacts
from trivium.wire.peek import Members
from trivium.wire.token_count import conversation

_ARRAY: Final = ord("[")
_OBJECT: Final = ord("{")


_limit: Final = msgspec.json.Decoder(InferenceLimit)
_decode: Final = msgspec.json.Decoder(WatchedConverseAnswer).decode
_count: Final = msgspec.json.Decoder(Counted).decode
_any: Final = msgspec.json.Decoder().decode


def facts(body: Members, *, stream: bool = False) -> RequestFacts:
    """What a request says about itself; the model comes from the address.

    Raises MISSING_MEMBER, INVALID_TYPE, INVALID_VALUE.
    """
    opening = body.opening("messages")
    # a prompt that the vendor keeps, and which the address names, has its own
    if not opening and not body.opening("promptVariables"):
        raise missing("messages")
    if opening and opening != _ARRAY:
        raise mistyped("messages", "be an array")
    return RequestFacts(model="", stream=stream, output_max=_most(body))


def count_facts(body: Members) -> RequestFacts:
    """What a count of a conversation says about itself. Raises ``Fault`` naming the member."""
    opening = conversation(body).opening("messages")
    if not opening:
        raise missing("input.converse.messages")
    if opening != _ARRAY:
        raise mistyped("input.converse.messages", "be an array")
    return RequestFacts(model="")


def _most(body: Members) -> int | None:
    opening = body.opening("inferenceConfig")
    if not opening:
        return None
    if opening != _OBJECT:
        raise mistyped("inferenceConfig", "be an object")
    raw = body.raw("inferenceConfig")
    found: InferenceLimit = check(_limit, raw or b"{}", "inferenceConfig")
    if found.maxTokens is not None and found.maxTokens < 1:
        raise wrong("inferenceConfig.maxTokens", "be at least 1")
    return found.maxTokens


def changes(
    body: Members,  # noqa: ARG001 - the signature of all passages, here and below
    facts: RequestFacts,  # noqa: ARG001
    upstream_model: str,  # noqa: ARG001
    ask_usage: bool,  # noqa: ARG001
) -> Mapping[str, bytes | None]:
    """Nothing: the model is in the address."""
    return {}


def answer(body: bytes) -> AnswerFacts:
    """A whole answer. Raises UPSTREAM_BROKE on anything else: errors have a status of their own."""
    found = decoded(_decode, body)
    if found is None or not found.output or memoryview(found.output)[0] != _OBJECT:
        raise nonsense("it is not one of the converse protocol")
    return AnswerFacts(usage=usage(decoded(_any, found.usage)))


def count_answer(body: bytes) -> AnswerFacts:
    """A count of tokens, free of charge. Raises UPSTREAM_BROKE on anything else."""
    found = decoded(_count, body)
    if found is None or not isinstance(found.inputTokens, int):
        raise nonsense("it is no count of tokens")
    return AnswerFacts()


CONVERSE: Final[PassThroughSpec] = PassThroughSpec(facts=facts, changes=changes, answer=answer)
STREAM: Final[PassThroughSpec] = PassThroughSpec(
    facts=partial(facts, stream=True), changes=changes, answer=answer, watch=watch
)
COUNT: Final[PassThroughSpec] = PassThroughSpec(
    facts=count_facts, changes=changes, answer=count_answer
)
