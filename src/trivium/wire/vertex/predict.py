"""Vertex AI's predict for embeddings, as a request for several vectors in Google's own shape.

``instances`` hold a text each, ``parameters`` what holds for all; the answer has ``predictions``
in the same order. Source: "Get text embeddings" of the vendor's reference and google-genai 3.4
(``_EmbedContentParametersPrivate_to_vertex``), read on 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import json_size
from trivium.wire.checks import check, missing, mistyped
from trivium.wire.errors import nonsense
from trivium.wire.lenient import decoded
from trivium.wire.peek import Members
from trivium.wire.vertex.structs import EmbeddedTexts, EmbeddingInstance, EmbeddingParameters

INSTANCES_MAX: Final = 2048
"""Texts of one request; the vendor takes 250."""

_encode = msgspec.json.Encoder().encode
_instances: Final = msgspec.json.Decoder(list[EmbeddingInstance])
_parameters: Final = msgspec.json.Decoder(EmbeddingParameters)
_embedded: Final = msgspec.json.Decoder(EmbeddedTexts).decode


def asked(body: Members, model: str) -> bytes:
    """The body of a request for several vectors.

    Raises ``Fault`` naming the member: MISSING_MEMBER, INVALID_TYPE, INVALID_VALUE.
    """
    raw = body.raw("instances")
    if raw is None:
        raise missing("instances")
    if json_size.exceeds(raw, INSTANCES_MAX):
        raise Fault(
            Kind.INVALID_VALUE,
            f"instances: has more than {INSTANCES_MAX} texts.",
            param="instances",
        )
    instances = check(_instances, raw, "instances")
    if not instances:
        raise missing("instances[0]")
    found = body.raw("parameters")
    shared = EmbeddingParameters() if found is None else check(_parameters, found, "parameters")
    size = shared.outputDimensionality
    if size is None:
        size = shared.output_dimensionality
    if False in (shared.autoTruncate, shared.auto_truncate):
        raise Fault(
            Kind.UNREPRESENTABLE,
            "parameters.autoTruncate: false is not promised here: what becomes of long texts is "
            "the upstream's own rule. Leave it out.",
            param="parameters.autoTruncate",
        )
    rows = [_row(one, f"instances[{at}]", model, size) for at, one in enumerate(instances)]
    return _encode({"requests": rows})


def _row(one: EmbeddingInstance, path: str, model: str, size: Any) -> dict[str, Any]:
    if one.content is None:
        if one.prompt is not None:
            raise Fault(
                Kind.INVALID_VALUE,
                f"{path}.prompt: asks for a picture, and texts are embedded here; send it to "
                "/v1/images/generations.",
                param=f"{path}.prompt",
            )
        raise missing(f"{path}.content")
    if not isinstance(one.content, str):
        raise mistyped(f"{path}.content", "be a string")
    task = one.task_type if one.task_type is not None else one.taskType
    said = {"taskType": task, "title": one.title, "outputDimensionality": size}
    return {
        "model": f"models/{model}",
        "content": {"parts": [{"text": one.content}]},
        **{name: value for name, value in said.items() if value is not None},
    }


def predictions(body: bytes) -> bytes:
    """The answer in Vertex's words. Raises UPSTREAM_BROKE for one without vectors."""
    found = decoded(_embedded, body)
    if found is None:
        raise nonsense()
    return _encode(
        {"predictions": [{"embeddings": {"values": one.values}} for one in found.embeddings]}
    )
