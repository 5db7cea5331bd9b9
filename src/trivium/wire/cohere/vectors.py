"""Embeddings in Cohere's shape, read and written at both ends.

Upstreams are asked for numbers, of texts that are to be found: whoever asks in a shape that does
not tell questions from documents has one kind of vector for both. ``input_type`` may be said in
the shape of OpenAI's as well, as a member beside its own. Vectors of small integers or of bits are
the model's own and cannot be made of another's.
Source: cohere-python 7.3.1, ``V2Client.embed``, ``EmbedByTypeResponse``, read 2026-11-28.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.losses import Rank, Report
from trivium.conversation.request import Extension
from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault
from trivium.wire.chat.read_values import listed, mapping, string, wrong_type
from trivium.wire.checks import missing, uncarried, wrong
from trivium.wire.cohere.passage import INPUTS
from trivium.wire.cohere.usage import usage
from trivium.wire.embeddings.vectors import packed, unpacked
from trivium.wire.errors import nonsense
from trivium.wire.lenient import decoded, error_of
from trivium.wire.peek import decode
from trivium.wire.vectors import Vectors

_encode: Final = msgspec.json.Encoder().encode
_TYPE: Final = "input_type"
_TYPES: Final = ("search_document", "search_query", "classification", "clustering", "image")
_NUMBERS: Final = "float"
_PACKED: Final = "base64"
_FORMS: Final = (_NUMBERS, "int8", "uint8", "binary", "ubinary", _PACKED)
_OWN: Final = frozenset({"model", *INPUTS, "output_dimension", "embedding_types"})


class _Forms(msgspec.Struct, gc=False):
    numbers: list[list[float]] | None = msgspec.field(default=None, name="float")
    base64: list[str] | None = None


class _Answer(msgspec.Struct, gc=False):
    embeddings: _Forms | list[list[float]] | None = None
    meta: msgspec.Raw = msgspec.Raw()
    message: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


_answer: Final = msgspec.json.Decoder(_Answer)


def read_request(members: Mapping[str, msgspec.Raw], model: str) -> VectorRequest:
    """The texts. ``model`` is what the body itself names. See ``CallerVectors``."""
    del model
    values = {name: decode(bytes(members[name]), name) for name in _OWN if name in members}
    dimensions = values.get("output_dimension")
    if dimensions is not None:
        if isinstance(dimensions, bool) or not isinstance(dimensions, int):
            raise wrong_type("output_dimension", "an integer", dimensions)
        if dimensions < 1:
            raise wrong("output_dimension", "be at least 1")
    forms = _forms(values.get("embedding_types"))
    extensions = []
    for name, raw in members.items():
        if name not in _OWN and bytes(raw) != b"null":
            if name == _TYPE and decode(bytes(raw), name) not in _TYPES:
                raise wrong(_TYPE, f"be one of {', '.join(_TYPES)}")
            extensions.append(Extension(name, bytes(raw), Rank.HINT))
    return VectorRequest(
        inputs=_inputs(values),
        dimensions=dimensions,
        packed=_PACKED in forms,
        numbers=_NUMBERS in forms,
        extensions=tuple(extensions),
    )


def _forms(value: Any) -> tuple[str, ...]:
    found = tuple(listed(value, "embedding_types")) or (_NUMBERS,)
    for at, form in enumerate(found):
        where = f"embedding_types[{at}]"
        if form not in _FORMS:
            raise wrong(where, f"be one of {', '.join(_FORMS)}")
        if form not in (_NUMBERS, _PACKED):
            raise _cannot(where, f"{form} is made by Cohere's own models; ask for float")
    return found


def _inputs(values: Mapping[str, Any]) -> tuple[str, ...]:
    given = [name for name in INPUTS if values.get(name) is not None]
    if not given:
        raise missing(INPUTS[0])
    if len(given) > 1:
        raise wrong(given[1], f"not be sent together with {given[0]}")
    name = given[0]
    rows = listed(values[name], name)
    if not rows:
        raise wrong(name, "not be an empty array")
    if name == "images":
        raise _cannot(name, "only texts can be embedded there")
    if name == "inputs":
        return tuple(_content(row, f"{name}[{at}]") for at, row in enumerate(rows))
    for at, row in enumerate(rows):
        if not isinstance(row, str):
            raise wrong_type(f"{name}[{at}]", "a string", row)
    return tuple(rows)


def _content(row: Any, path: str) -> str:
    """The texts of one input as one."""
    found: list[str] = []
    for at, one in enumerate(listed(mapping(row, path).get("content"), f"{path}.content")):
        where = f"{path}.content[{at}]"
        piece = mapping(one, where)
        kind = string(piece, "type", where)
        if kind == "image_url":
            raise _cannot(where, "only texts can be embedded there")
        if kind != "text":
            raise wrong(f"{where}.type", "be one of text or image_url")
        found.append(string(piece, "text", where))
    if not found:
        raise missing(f"{path}.content")
    return "".join(found)


def _cannot(path: str, reason: str) -> Fault:
    return uncarried(path, f"{path} cannot be carried to another shape: {reason}.")


def write_request(wanted: VectorRequest, model: str, report: Report) -> bytes:
    """The body for the upstream."""
    return _encode({"model": model, **members(wanted, report)})


def members(wanted: VectorRequest, report: Report) -> dict[str, Any]:
    """The body's members but the model, which a cloud has in its path."""
    kind = _TYPES[0]
    for extension in wanted.extensions:
        said = decoded(msgspec.json.decode, extension.data)
        if extension.member == _TYPE and said in _TYPES:
            kind = said
        else:
            report.drop(extension.rank, extension.member, "Cohere's shape has no such member")
    body: dict[str, Any] = {"texts": wanted.inputs, _TYPE: kind, "embedding_types": [_NUMBERS]}
    if wanted.dimensions is not None:
        body["output_dimension"] = wanted.dimensions
    return body


def read_answer(body: bytes, count: int, refused: Callable[[bytes], Fault]) -> VectorAnswer:
    """The vectors, in the order of the texts."""
    if (found := decoded(_answer.decode, body)) is None:
        raise nonsense("it is no list of vectors")
    if (error := error_of(found.error)) is not None:
        raise refused(error)
    if found.embeddings is None and bytes(found.message).startswith(b'"'):
        raise refused(body)
    rows: list[list[float]] = []
    if isinstance(found.embeddings, list):
        rows = found.embeddings
    elif found.embeddings is not None:
        forms = found.embeddings
        rows = forms.numbers or [unpacked(one) for one in forms.base64 or ()]
    if len(rows) != count:
        raise nonsense(f"{count} vectors were asked for")
    if not all(rows):
        raise nonsense("a vector has no numbers")
    return VectorAnswer(vectors=tuple(rows), usage=usage(found.meta))


def write_answer(answer: VectorAnswer, wanted: VectorRequest, model: str) -> bytes:
    """The whole body, with the vectors in each form that was asked for."""
    used = (answer.usage or Usage()).input_total
    return _encode(
        {
            "id": name_of(wanted, model),
            "embeddings": forms_of(answer, wanted),
            "texts": wanted.inputs,
            "meta": {"api_version": {"version": "2"}, "billed_units": {"input_tokens": used}},
            "response_type": "embeddings_by_type",
        }
    )


def forms_of(answer: VectorAnswer, wanted: VectorRequest) -> dict[str, Any]:
    """The vectors in each form that was asked for."""
    forms: dict[str, Any] = {}
    if wanted.numbers or not wanted.packed:
        forms[_NUMBERS] = answer.vectors
    if wanted.packed:
        forms[_PACKED] = [packed(vector) for vector in answer.vectors]
    return forms


def name_of(wanted: VectorRequest, model: str) -> str:
    """An answer's id, the same for the same request: no two of ours are told apart by it."""
    return hashlib.sha256(_encode((model, wanted.inputs))).hexdigest()[:32]


VECTORS: Final = Vectors(
    read_request=read_request,
    write_answer=write_answer,
    write_request=write_request,
    read_answer=read_answer,
)
