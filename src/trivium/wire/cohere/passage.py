"""Cohere's operations on the pass-through lane: what is read, checked and replaced.

Source: cohere-python 7.3.1, ``V2Client.chat`` and ``V2Client.embed``, read 2026-11-28.
"""

from typing import Final

import msgspec

from trivium.wire.checks import missing, mistyped
from trivium.wire.cohere import finish
from trivium.wire.cohere.answer_structs import ChatFate
from trivium.wire.cohere.read_answer_parts import broke
from trivium.wire.cohere.stream import watch
from trivium.wire.cohere.usage import usage
from trivium.wire.lenient import decoded, error_of
from trivium.wire.openai_shapes import renamed
from trivium.wire.passage import AnswerFacts, PassThroughSpec, RequestFacts
from trivium.wire.peek import Members

_ARRAY: Final = ord("[")
_decode: Final = msgspec.json.Decoder(ChatFate).decode
INPUTS: Final = ("texts", "images", "inputs")
"""Members of which one holds what is to be embedded."""


def facts(body: Members) -> RequestFacts:
    """What a request for a chat says about itself. Raises ``Fault`` naming the member."""
    name = body.needed("model")
    opening = body.opening("messages")
    if not opening:
        raise missing("messages")
    if opening != _ARRAY:
        raise mistyped("messages", "be an array")
    return RequestFacts(
        model=name, stream=body.flag("stream"), output_max=body.integer("max_tokens", 1)
    )


def embed_facts(body: Members) -> RequestFacts:
    """What a request for embeddings says about itself. Raises ``Fault`` naming the member."""
    name = body.needed("model")
    opened = {member: opening for member in INPUTS if (opening := body.opening(member))}
    if not opened:
        raise missing(INPUTS[0])
    for member, opening in opened.items():
        if opening != _ARRAY:
            raise mistyped(member, "be an array")
    return RequestFacts(model=name, output_max=0)


def answer(body: bytes) -> AnswerFacts:
    """A chat, or an error that came with status 200. Raises UPSTREAM_BROKE on anything else."""
    told = _told(body)
    if (error := _error(told, body)) is not None:
        return AnswerFacts(error=error)
    if not bytes(told.message).startswith(b"{"):
        raise broke("it has no message")
    return AnswerFacts(usage=usage(told.usage))


def embed_answer(body: bytes) -> AnswerFacts:
    """Vectors, or an error that came with status 200. Raises UPSTREAM_BROKE on anything else."""
    told = _told(body)
    if (error := _error(told, body)) is not None:
        return AnswerFacts(error=error)
    if bytes(told.embeddings)[:1] not in (b"{", b"["):
        raise broke("it has no vectors")
    return AnswerFacts(usage=usage(told.meta))


def _told(body: bytes) -> ChatFate:
    found = decoded(_decode, body)
    if found is None:
        raise broke("it is no object")
    return found


def _error(told: ChatFate, body: bytes) -> bytes | None:
    if (error := error_of(told.error)) is not None:
        return error
    failed = told.finish_reason == finish.FAILED or bytes(told.message).startswith(b'"')
    return body if failed else None


CHAT: Final[PassThroughSpec] = PassThroughSpec(
    facts=facts, changes=renamed, answer=answer, watch=watch
)
EMBED: Final[PassThroughSpec] = PassThroughSpec(
    facts=embed_facts, changes=renamed, answer=embed_answer
)
