"""Embeddings in OpenAI's shape, read and written at both ends.

The official SDKs ask for base64 where their user did not choose, and servers differ on whether they
take the member: so it is never sent on, and either form of an answer is read. Packed vectors are
32-bit floats, little-endian, in base64. Source: OpenAI's API reference and openai-python 3.52.0,
read 2026-11-21.
"""

import base64
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.losses import Rank, Report
from trivium.conversation.request import Extension
from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault
from trivium.wire import openai_shapes
from trivium.wire.chat.read_values import wrong_type
from trivium.wire.checks import missing, uncarried, wrong
from trivium.wire.errors import nonsense
from trivium.wire.lenient import decoded, error_of
from trivium.wire.peek import decode
from trivium.wire.vectors import Vectors

_encode: Final = msgspec.json.Encoder().encode
_OWN: Final = frozenset({"model", "input", "dimensions", "encoding_format", "user"})
_FORMATS: Final = ("float", "base64")


class _Row(msgspec.Struct, gc=False):
    embedding: list[float] | str
    index: int | None = None


class _Answer(msgspec.Struct, gc=False):
    data: list[_Row] | None = None
    usage: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


_answer: Final = msgspec.json.Decoder(_Answer)


def read_request(members: Mapping[str, msgspec.Raw], model: str) -> VectorRequest:
    """The texts. ``model`` is what the body itself names. See ``CallerVectors``."""
    del model
    values = {name: decode(bytes(members[name]), name) for name in _OWN if name in members}
    dimensions = values.get("dimensions")
    if dimensions is not None:
        if isinstance(dimensions, bool) or not isinstance(dimensions, int):
            raise wrong_type("dimensions", "an integer", dimensions)
        if dimensions < 1:
            raise wrong("dimensions", "be at least 1")
    form = values.get("encoding_format")
    if form is not None and form not in _FORMATS:
        raise wrong("encoding_format", f"be one of {', '.join(_FORMATS)}")
    extensions = [
        Extension(name, bytes(raw), Rank.HINT)
        for name, raw in members.items()
        if name not in _OWN and bytes(raw) != b"null"
    ]
    if values.get("user") is not None:
        extensions.append(Extension("user", bytes(members["user"]), Rank.BOOKKEEPING))
    return VectorRequest(
        inputs=_inputs(values.get("input")),
        dimensions=dimensions,
        packed=form == "base64",
        extensions=tuple(extensions),
    )


def write_request(wanted: VectorRequest, model: str, report: Report) -> bytes:
    """The body for the upstream, always with an array of texts."""
    for extension in wanted.extensions:
        report.drop(extension.rank, extension.member, "the embeddings shape has no such member")
    body: dict[str, Any] = {"model": model, "input": wanted.inputs}
    if wanted.dimensions is not None:
        body["dimensions"] = wanted.dimensions
    return _encode(body)


def read_answer(body: bytes, count: int, refused: Callable[[bytes], Fault]) -> VectorAnswer:
    """The vectors by their index, whatever order they came in."""
    if (found := decoded(_answer.decode, body)) is None:
        raise nonsense("it is no list of vectors")
    if (error := error_of(found.error)) is not None:
        raise refused(error)
    rows = found.data or []
    placed: dict[int, list[float]] = {}
    for at, row in enumerate(rows):
        vector = unpacked(row.embedding) if isinstance(row.embedding, str) else row.embedding
        placed[at if row.index is None else row.index] = vector
    if len(rows) != count or set(placed) != set(range(count)):
        raise nonsense(f"{count} vectors were asked for")
    if not all(placed.values()):
        raise nonsense("a vector has no numbers")
    return VectorAnswer(
        vectors=tuple(placed[at] for at in range(count)), usage=openai_shapes.usage(found.usage)
    )


def write_answer(answer: VectorAnswer, wanted: VectorRequest, model: str) -> bytes:
    """The whole body; packed where that was asked for."""
    used = (answer.usage or Usage()).input_total
    return _encode(
        {
            "object": "list",
            "data": [
                {
                    "object": "embedding",
                    "index": at,
                    "embedding": packed(vector) if wanted.packed else vector,
                }
                for at, vector in enumerate(answer.vectors)
            ],
            "model": model,
            "usage": {"prompt_tokens": used, "total_tokens": used},
        }
    )


def packed(vector: list[float]) -> str:
    """Base64 of little-endian 32-bit floats. Raises UPSTREAM_BROKE for what none can hold."""
    try:
        return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
    except OverflowError:
        raise nonsense("a number is too large") from None


def unpacked(text: str) -> list[float]:
    """The numbers again. Raises UPSTREAM_BROKE for anything else."""
    try:
        data = base64.b64decode(text, validate=True)
        return list(struct.unpack(f"<{len(data) // 4}f", data))
    except (ValueError, struct.error):
        raise nonsense("a vector is no base64 of floats") from None


def _inputs(value: Any) -> tuple[str, ...]:
    if value is None:
        raise missing("input")
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        raise wrong_type("input", "a string or an array", value)
    if not value:
        raise wrong("input", "not be an empty array")
    for at, one in enumerate(value):
        if isinstance(one, list) or (isinstance(one, int) and not isinstance(one, bool)):
            raise uncarried(
                "input",
                "input cannot be carried as token ids: they mean something to one model only. "
                "Send text.",
            )
        if not isinstance(one, str):
            raise wrong_type(f"input[{at}]", "a string", one)
    return tuple(value)


VECTORS: Final = Vectors(
    read_request=read_request,
    write_answer=write_answer,
    write_request=write_request,
    read_answer=read_answer,
)
