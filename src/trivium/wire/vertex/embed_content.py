"""Vertex AI's embedContent, asked as an upstream: one text out, its vector back.

The newer Gemini models and the open ones have this and no ``predict``. It takes one content a
request; several texts are refused, as calls of ours for one call of the caller's would be as many
bills and as many chances to fail half-way.

Source: google-genai 3.4.0 (``t_is_vertex_embed_content_model``,
``_EmbedContentParametersPrivate_to_vertex``, ``_EmbedContentResponse_from_vertex``), read
2026-11-28.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from trivium.conversation.losses import Report
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault
from trivium.wire.checks import uncarried
from trivium.wire.errors import nonsense
from trivium.wire.generate.read_usage import usage
from trivium.wire.lenient import decoded, error_of
from trivium.wire.vectors import UpstreamVectors
from trivium.wire.vertex.structs import EmbeddedContent
from trivium.wire.vertex.vectors import hints_of

_HINTS: Final = {"taskType": "taskType", "title": "title"}
_encode: Final = msgspec.json.Encoder().encode
_answer: Final = msgspec.json.Decoder(EmbeddedContent).decode


def write_request(wanted: VectorRequest, model: str, report: Report) -> bytes:
    """An ``embedContent`` request; the path names the model. Raises ``Fault`` (UNREPRESENTABLE) for
    several texts.
    """
    if len(wanted.inputs) > 1:
        raise uncarried(
            "input",
            f"{model[:200]} on Vertex AI embeds one text a request, and this has "
            f"{len(wanted.inputs)}: send each in a request of its own.",
        )
    config: dict[str, Any] = {**hints_of(wanted, _HINTS, "embedContent", report)}
    if wanted.dimensions is not None:
        config["outputDimensionality"] = wanted.dimensions
    body: dict[str, Any] = {"content": {"role": "user", "parts": [{"text": wanted.inputs[0]}]}}
    if config:
        body["embedContentConfig"] = config
    return _encode(body)


def read_vectors(body: bytes, count_of: int, refused: Callable[[bytes], Fault]) -> VectorAnswer:
    """The vector of its answer. See ``UpstreamVectors``."""
    found = decoded(_answer, body)
    if found is None:
        raise nonsense("it is no vector")
    if (error := error_of(found.error)) is not None:
        raise refused(error)
    if count_of != 1:
        raise nonsense(f"{count_of} vectors were asked for")
    if not found.embedding.values:
        raise nonsense("a vector has no numbers")
    return VectorAnswer(vectors=(found.embedding.values,), usage=usage(found.usageMetadata))


EMBED: Final = UpstreamVectors(write_request=write_request, read_answer=read_vectors)
"""``Operation.GENERATE_EMBED``, where it is asked of Vertex AI."""
