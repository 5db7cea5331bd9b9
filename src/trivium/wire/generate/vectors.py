"""Embeddings in Google's shape: one content or a batch of them, read and written at both ends.

Upstreams are always asked for a batch, which keeps the order and of which one is a batch too.
Source: the vendor's reference and google-genai 3.4.0 (which sends a batch even for one text), read
2026-11-21.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.losses import Rank, Report
from trivium.conversation.request import Extension
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault
from trivium.wire.checks import missing, uncarried, wrong
from trivium.wire.errors import nonsense
from trivium.wire.generate import protojson
from trivium.wire.generate.path import bare
from trivium.wire.generate.read_usage import usage
from trivium.wire.lenient import decoded, error_of
from trivium.wire.vectors import CallerVectors, Vectors

_encode: Final = msgspec.json.Encoder().encode
_BATCH: Final = "requests"

_CONTENT: Final[protojson.Schema] = {
    "parts": protojson.several(protojson.raw_object),
    "role": protojson.word,
}
_CONFIG: Final[protojson.Schema] = {"outputDimensionality": protojson.integer}
_REQUEST: Final[protojson.Schema] = {
    "model": protojson.string,
    "content": protojson.message(_CONTENT),
    "outputDimensionality": protojson.integer,
    "embedContentConfig": protojson.message(_CONFIG),
}
"""What is read; task types, titles and the like are hints that other shapes have not."""
_PART: Final[protojson.Schema] = {"text": protojson.string}


_Hints = dict[str, bytes | None]
"""Members that are carried to a few shapes only, by path; ``None``: not one value for all texts."""


class _Vector(msgspec.Struct, gc=False):
    values: list[float] = []


class _Answer(msgspec.Struct, gc=False):
    embeddings: list[_Vector] | None = None
    usageMetadata: Any = None  # noqa: N815 - the vendor's spelling
    error: msgspec.Raw = msgspec.Raw()


_answer: Final = msgspec.json.Decoder(_Answer)


def read_one(members: Mapping[str, msgspec.Raw], model: str) -> VectorRequest:
    """The text of an embedContent request. See ``CallerVectors``."""
    hints: _Hints = {}
    text, dimensions = _one(members, "", model, hints)
    return VectorRequest(inputs=(text,), dimensions=dimensions, extensions=_extensions(hints))


def read_batch(members: Mapping[str, msgspec.Raw], model: str) -> VectorRequest:
    """The texts of a batchEmbedContents request; all must want vectors of one length."""
    unknown: protojson.Unknown = []
    schema: protojson.Schema = {_BATCH: protojson.repeated(protojson.raw_object)}
    rows = protojson.read(members, schema, "", unknown).get(_BATCH)
    if not rows:
        raise missing(_BATCH)
    hints: _Hints = {name: None for name, _ in unknown if name != "model"}
    texts: list[str] = []
    lengths: list[int | None] = []
    each: list[_Hints] = []
    for at, row in enumerate(rows):
        path = f"{_BATCH}[{at}]"
        own: _Hints = {}
        text, dimensions = _one(protojson.members(row, path), path, model, own)
        each.append(own)
        texts.append(text)
        lengths.append(dimensions)
        if dimensions != lengths[0]:
            raise _cannot(f"{path}.outputDimensionality", "it must be the same in all requests")
    for name in {name for own in each for name in own}:
        values = {own.get(name) for own in each}
        hints[name] = values.pop() if len(values) == 1 else None
    return VectorRequest(inputs=tuple(texts), dimensions=lengths[0], extensions=_extensions(hints))


def write_batch(wanted: VectorRequest, model: str, report: Report) -> bytes:
    """Write a ``batchEmbedContents`` request, with one row for each text."""
    for extension in wanted.extensions:
        report.drop(extension.rank, extension.member, "the generate shape has no such member")
    name = f"models/{bare(model)}"
    rows: list[dict[str, Any]] = []
    for text in wanted.inputs:
        row: dict[str, Any] = {"model": name, "content": {"parts": [{"text": text}]}}
        if wanted.dimensions is not None:
            row["outputDimensionality"] = wanted.dimensions
        rows.append(row)
    return _encode({_BATCH: rows})


def read_vectors(body: bytes, count: int, refused: Callable[[bytes], Fault]) -> VectorAnswer:
    """The vectors of a batchEmbedContents answer, in the order of the requests."""
    if (found := decoded(_answer.decode, body)) is None:
        raise nonsense("it is no list of vectors")
    if (error := error_of(found.error)) is not None:
        raise refused(error)
    rows = found.embeddings or []
    if len(rows) != count:
        raise nonsense(f"{count} vectors were asked for")
    if not all(row.values for row in rows):
        raise nonsense("a vector has no numbers")
    return VectorAnswer(vectors=tuple(row.values for row in rows), usage=usage(found.usageMetadata))


def write_one(answer: VectorAnswer, wanted: VectorRequest, model: str) -> bytes:
    """Write an ``embedContent`` answer with its only vector."""
    del wanted, model
    return _encode({"embedding": {"values": answer.vectors[0]}, **_used(answer)})


def write_vectors(answer: VectorAnswer, wanted: VectorRequest, model: str) -> bytes:
    """Write a ``batchEmbedContents`` answer with all vectors."""
    del wanted, model
    rows = [{"values": vector} for vector in answer.vectors]
    return _encode({"embeddings": rows, **_used(answer)})


def _used(answer: VectorAnswer) -> dict[str, Any]:
    """``usageMetadata``, which the shape need not have: only where the vendor counted."""
    if answer.usage is None or answer.usage.estimated:
        return {}
    total = answer.usage.input_total
    return {"usageMetadata": {"promptTokenCount": total, "totalTokenCount": total}}


def _one(
    members: Mapping[str, msgspec.Raw], path: str, model: str, hints: _Hints
) -> tuple[str, int | None]:
    """Text and wanted length of one request; its hints are added to ``hints``."""
    unknown: protojson.Unknown = []
    found = protojson.read(members, _REQUEST, path, unknown)
    prefix = f"{path}." if path else ""
    named = found.get("model")
    if named and bare(named) != model:
        raise wrong(f"{prefix}model", "name the model of the address, or be left out")
    content = found.get("content")
    if content is None:
        raise missing(f"{prefix}content")
    texts = [
        _text(part, f"{prefix}content.parts[{at}]")
        for at, part in enumerate(content.get("parts", ()))
    ]
    if not texts:
        raise missing(f"{prefix}content.parts")
    config = found.get("embedContentConfig", {})
    dimensions = found.get("outputDimensionality") or config.get("outputDimensionality")
    if dimensions is not None and dimensions < 0:
        raise wrong(f"{prefix}outputDimensionality", "be at least 1")
    for name, value in unknown:
        hints[name.replace(path, f"{_BATCH}[]", 1) if path else name] = bytes(value)
    # 0 is proto3's way of leaving a number out
    return "".join(texts), dimensions or None


def _text(data: bytes, path: str) -> str:
    unknown: protojson.Unknown = []
    found = protojson.message(_PART)(data, path, unknown)
    if "text" not in found:
        raise _cannot(path, "the embeddings shape takes text only")
    text: str = found["text"]
    return text


def _extensions(hints: _Hints) -> tuple[Extension, ...]:
    """What only this shape has; ``null`` for what differs between the texts."""
    return tuple(
        Extension(name, b"null" if value is None else value, Rank.HINT)
        for name, value in sorted(hints.items())
    )


def _cannot(path: str, reason: str) -> Fault:
    return uncarried(path, f"{path} cannot be carried to the embeddings shape: {reason}.")


ONE: Final = CallerVectors(read_request=read_one, write_answer=write_one)
BATCH: Final = Vectors(
    read_request=read_batch,
    write_answer=write_vectors,
    write_request=write_batch,
    read_answer=read_vectors,
)
