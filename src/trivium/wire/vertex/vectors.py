"""Vertex AI's predict for embeddings, asked as an upstream: texts out, vectors back.

An instance holds a text, the parameters hold for all; predictions come in the order of instances,
each with what was counted of its text. How many texts one request may have is the model's own rule
(250 of text-embedding-005, one of gemini-embedding-001), which the vendor tells.

Source: "Get text embeddings" of the vendor's reference; google-genai 3.3.0
(``_EmbedContentParametersPrivate_to_vertex``, ``_EmbedContentResponse_from_vertex``), read
2026-11-28.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.losses import Report
from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault
from trivium.wire.errors import nonsense
from trivium.wire.lenient import NonsenseError, count, decoded, error_of
from trivium.wire.vectors import UpstreamVectors

_encode: Final = msgspec.json.Encoder().encode


class _Counted(msgspec.Struct, gc=False):
    token_count: Any = None


class _Vector(msgspec.Struct, gc=False):
    values: list[float] = []
    statistics: _Counted | None = None


class _Prediction(msgspec.Struct, gc=False):
    embeddings: _Vector = msgspec.field(default_factory=_Vector)


class _Predictions(msgspec.Struct, gc=False):
    predictions: list[_Prediction] = []
    error: msgspec.Raw = msgspec.Raw()


_HINTS: Final = {"taskType": "task_type", "title": "title"}
"""What an instance says of its text, by the member of Google's own shape."""
_word: Final = msgspec.json.Decoder(str).decode
_answer: Final = msgspec.json.Decoder(_Predictions).decode


def write_request(wanted: VectorRequest, model: str, report: Report) -> bytes:
    """Write a ``predict`` request with one instance for each text; the path names the model."""
    del model
    hints = hints_of(wanted, _HINTS, "predict", report)
    body: dict[str, Any] = {"instances": [{"content": text, **hints} for text in wanted.inputs]}
    if wanted.dimensions is not None:
        body["parameters"] = {"outputDimensionality": wanted.dimensions}
    return _encode(body)


def hints_of(
    wanted: VectorRequest, known: Mapping[str, str], method: str, report: Report
) -> dict[str, Any]:
    """What a caller says beside its texts, by a method's own words; what it has none for is told.

    ``known``: the words by the member of Google's own shape.
    """
    hints: dict[str, Any] = {}
    for extension in wanted.extensions:
        name = known.get(extension.member.rpartition(".")[2])
        value = None if name is None else decoded(_word, extension.data)
        if name is None or not value:
            why = f"it is not carried to Vertex AI's {method}"
            report.drop(extension.rank, extension.member, why)
        else:
            hints[name] = value
    return hints


def read_vectors(body: bytes, count_of: int, refused: Callable[[bytes], Fault]) -> VectorAnswer:
    """The vectors of its answer. See ``UpstreamVectors``."""
    found = decoded(_answer, body)
    if found is None:
        raise nonsense("it is no list of vectors")
    if (error := error_of(found.error)) is not None:
        raise refused(error)
    rows = [one.embeddings for one in found.predictions]
    if len(rows) != count_of:
        raise nonsense(f"{count_of} vectors were asked for")
    if not all(row.values for row in rows):
        raise nonsense("a vector has no numbers")
    return VectorAnswer(vectors=tuple(row.values for row in rows), usage=_usage(rows))


def _usage(rows: list[_Vector]) -> Usage | None:
    """What was counted of all texts; ``None`` where one of them was not counted."""
    total = 0
    for row in rows:
        told = None if row.statistics is None else row.statistics.token_count
        if told is None:
            return None
        try:
            total += count(told)
        except NonsenseError:
            return None
    return Usage(fresh=total)


PREDICT: Final = UpstreamVectors(write_request=write_request, read_answer=read_vectors)
"""``Operation.GENERATE_PREDICT``."""
