"""The generate-content operations as the pass-through lane takes them."""

from functools import partial
from typing import Final

import msgspec

from trivium.wire.generate import request
from trivium.wire.generate.chunk import read
from trivium.wire.generate.chunk_structs import Embedded
from trivium.wire.generate.read_usage import usage
from trivium.wire.generate.stream import watch
from trivium.wire.generate.views import broke
from trivium.wire.lenient import decoded, error_of
from trivium.wire.passage import AnswerFacts, PassThroughSpec

_decode: Final = msgspec.json.Decoder(Embedded).decode


def answer(body: bytes) -> AnswerFacts:
    """An answer, or an error that came with status 200. Raises UPSTREAM_BROKE on anything else."""
    chunk = read(body)
    if chunk is None or not (chunk.answers or chunk.error):
        raise broke()
    return AnswerFacts(usage=None if chunk.error else usage(chunk.usage), error=chunk.error)


def count_answer(body: bytes) -> AnswerFacts:
    """A token count, free of charge. A count of zero may come as an empty object."""
    return AnswerFacts(error=error_of(_read(body).error))


def embedded(body: bytes, opens: bytes, member: str) -> AnswerFacts:
    """One embedding or several, in a member that opens so; usage where the vendor reports it.

    Raises UPSTREAM_BROKE on anything else.
    """
    found = _read(body)
    error = error_of(found.error)
    if error is not None:
        return AnswerFacts(error=error)
    if not bytes(getattr(found, member)).startswith(opens):
        raise broke()
    return AnswerFacts(usage=usage(found.usageMetadata))


def _read(body: bytes) -> Embedded:
    if (found := decoded(_decode, body)) is None:
        raise broke()
    return found


GENERATE: Final[PassThroughSpec] = PassThroughSpec(
    facts=request.facts, changes=request.changes, answer=answer
)
STREAM: Final[PassThroughSpec] = PassThroughSpec(
    facts=partial(request.facts, stream=True),
    changes=request.changes,
    answer=answer,
    watch=watch,
)
COUNT: Final[PassThroughSpec] = PassThroughSpec(
    facts=request.count_facts, changes=request.count_changes, answer=count_answer
)
EMBED: Final[PassThroughSpec] = PassThroughSpec(
    facts=request.embed_facts,
    changes=request.changes,
    answer=partial(embedded, opens=b"{", member="embedding"),
)
EMBED_BATCH: Final[PassThroughSpec] = PassThroughSpec(
    facts=request.embed_batch_facts,
    changes=request.embed_batch_changes,
    answer=partial(embedded, opens=b"[", member="embeddings"),
)
