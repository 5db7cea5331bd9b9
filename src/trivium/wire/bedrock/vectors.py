"""InvokeModel for embeddings, asked as an upstream: texts out, vectors back.

The path names the model, and the model decides the body: Titan's or Cohere's. Titan takes one text
a request; several are refused, as calls of ours for one call of the caller's would be as many bills
and as many chances to fail half-way. What Cohere's models counted stands in a header alone, so that
their usage is our own count.
Source: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html,
…/titan-multiemb-models.html, …/model-parameters-embed.html and …/model-parameters-embed-v4.html,
read 2026-11-28.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from trivium.conversation.losses import Report
from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault
from trivium.wire.checks import uncarried
from trivium.wire.cohere import vectors as cohere
from trivium.wire.errors import nonsense
from trivium.wire.lenient import NonsenseError, count, decoded
from trivium.wire.vectors import UpstreamVectors

_encode: Final = msgspec.json.Encoder().encode
COHERE: Final = "cohere.embed"
TITAN: Final = "amazon.titan-embed"
"""What the names of their models have in them."""
_TITAN_PICTURES: Final = "amazon.titan-embed-image"


class _Answer(msgspec.Struct, gc=False):
    embedding: list[float] | None = None
    counted: Any = msgspec.field(default=None, name="inputTextTokenCount")


_answer: Final = msgspec.json.Decoder(_Answer).decode


def write_request(wanted: VectorRequest, model: str, report: Report) -> bytes:
    """The body of an id, an inference profile of a region, or an ARN that ends in one.

    Raises ``Fault`` (UNREPRESENTABLE) for several texts that Titan is asked for, and for a model
    whose name does not say whose body it takes.
    """
    if COHERE in model:
        return _encode(cohere.members(wanted, report))
    if TITAN not in model:
        raise uncarried(
            "model",
            f"{model[:200]!r} does not say whose embeddings it makes: name it by an id with "
            f"{TITAN} or {COHERE} in it.",
        )
    if len(wanted.inputs) > 1:
        raise uncarried(
            "input",
            "Titan on Amazon Bedrock embeds one text a request, and this has "
            f"{len(wanted.inputs)}: send each in a request of its own.",
        )
    for extension in wanted.extensions:
        report.drop(extension.rank, extension.member, "Titan has no such member")
    row: dict[str, Any] = {"inputText": wanted.inputs[0]}
    if wanted.dimensions is not None:
        if _TITAN_PICTURES in model:
            row["embeddingConfig"] = {"outputEmbeddingLength": wanted.dimensions}
        else:
            row["dimensions"] = wanted.dimensions
    return _encode(row)


def read_vectors(body: bytes, count_of: int, refused: Callable[[bytes], Fault]) -> VectorAnswer:
    """The vectors of either answer. See ``UpstreamVectors``."""
    found = decoded(_answer, body)
    if found is None:
        raise nonsense("it is no list of vectors")
    if found.embedding is None:
        return cohere.read_answer(body, count_of, refused)
    if count_of != 1:
        raise nonsense(f"{count_of} vectors were asked for")
    if not found.embedding:
        raise nonsense("a vector has no numbers")
    return VectorAnswer(vectors=(found.embedding,), usage=counted(found.counted))


def counted(told: Any) -> Usage | None:
    """What Titan says that it read; ``None`` where that is no count."""
    if told is None:
        return None
    try:
        return Usage(fresh=count(told))
    except NonsenseError:
        return None


INVOKE: Final = UpstreamVectors(write_request=write_request, read_answer=read_vectors)
"""``Operation.INVOKE_EMBED``."""
