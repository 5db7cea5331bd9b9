"""InvokeModel for embeddings, as its callers speak it: Titan's body and Cohere's.

The body says whose it is, whatever the model is called here. One that reaches a model of its own
maker's on Amazon Bedrock travels as it came (``PASSAGE``); any other model gets its texts
translated. Titan's binary vectors and pictures, and Cohere's vectors of small integers, are the
models' own and cannot be made of another's.
Source: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html,
…/titan-multiemb-models.html, …/model-parameters-embed.html and …/model-parameters-embed-v4.html,
read 2026-11-28.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.losses import Rank
from trivium.conversation.request import Extension
from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault
from trivium.wire.bedrock.structs import InvokedVectors
from trivium.wire.bedrock.vectors import COHERE, TITAN, counted
from trivium.wire.checks import missing, mistyped, uncarried, wrong
from trivium.wire.cohere.passage import INPUTS
from trivium.wire.cohere.usage import usage
from trivium.wire.cohere.vectors import forms_of, name_of
from trivium.wire.cohere.vectors import read_request as read_cohere
from trivium.wire.errors import nonsense
from trivium.wire.lenient import decoded
from trivium.wire.passage import AnswerFacts, PassThroughSpec, RequestFacts
from trivium.wire.peek import Members, decode
from trivium.wire.vectors import CallerVectors

_TEXT: Final = "inputText"
_PICTURE: Final = "inputImage"
_TITANS: Final = (_TEXT, _PICTURE)
_FORMS: Final = "embeddingTypes"
_FLOAT: Final = "float"
_OTHERS: Final = ("anthropic_version", "textGenerationConfig", "schemaVersion")
"""Members of bodies that are no request for vectors, whatever else is in them."""
_QUOTE, _ARRAY = ord('"'), ord("[")

_encode: Final = msgspec.json.Encoder().encode
_answer: Final = msgspec.json.Decoder(InvokedVectors).decode


def is_asked(body: Members) -> bool:
    """Whether a body for InvokeModel asks for vectors."""
    return any(name in body for name in (*_TITANS, *INPUTS)) and not any(
        name in body for name in _OTHERS
    )


def passes(body: Members, model: str) -> bool:
    """Whether an upstream model takes the body as it is: its name says no other maker's."""
    return (COHERE if _is_titan(body.table) else TITAN) not in model


def _is_titan(members: Mapping[str, Any]) -> bool:
    return any(name in members for name in _TITANS)


# --- as it came -----------------------------------------------------------------------------------


def facts(body: Members) -> RequestFacts:
    """What a request says about itself; the model is in the address. Raises ``Fault`` naming the
    member.
    """
    titan = _is_titan(body.table)
    wanted, kind = (_QUOTE, "be a string") if titan else (_ARRAY, "be an array")
    opened = [(name, body.opening(name)) for name in (_TITANS if titan else INPUTS)]
    given = [(name, opening) for name, opening in opened if opening]
    if not given:
        raise missing(_TEXT if titan else INPUTS[0])
    for name, opening in given:
        if opening != wanted:
            raise mistyped(name, kind)
    return RequestFacts(model="", output_max=0)


def changes(
    body: Members,  # noqa: ARG001 - the signature of all passages, here and below
    facts: RequestFacts,  # noqa: ARG001
    upstream_model: str,  # noqa: ARG001
    ask_usage: bool,  # noqa: ARG001
) -> Mapping[str, bytes | None]:
    """Nothing: the model is in the address."""
    return {}


def answer(body: bytes) -> AnswerFacts:
    """Vectors of either maker. Raises UPSTREAM_BROKE on anything else."""
    found = decoded(_answer, body)
    if found is None:
        raise nonsense("it is no list of vectors")
    if bytes(found.embeddings)[:1] in (b"{", b"["):
        return AnswerFacts(usage=usage(found.meta))
    if not (bytes(found.embedding).startswith(b"[") or bytes(found.by_type).startswith(b"{")):
        raise nonsense("it has no vectors")
    return AnswerFacts(usage=counted(found.counted))


PASSAGE: Final = PassThroughSpec(facts=facts, changes=changes, answer=answer)
"""``Operation.INVOKE_EMBED``."""


# --- translated -----------------------------------------------------------------------------------


def read_titan(members: Mapping[str, msgspec.Raw], model: str) -> VectorRequest:
    """Titan's one text. See ``CallerVectors``."""
    del model
    values = {name: decode(raw, name) for name, raw in members.items() if name != _PICTURE}
    if members.get(_PICTURE) is not None and bytes(members[_PICTURE]) != b"null":
        raise _cannot(_PICTURE, "only texts can be embedded there")
    text = values.get(_TEXT)
    if text is None:
        raise missing(_TEXT)
    if not isinstance(text, str):
        raise mistyped(_TEXT, "be a string")
    _check_forms(values.get(_FORMS))
    own = (_TEXT, _PICTURE, _FORMS, "dimensions", "embeddingConfig")
    extensions = tuple(
        Extension(name, bytes(raw), Rank.HINT)
        for name, raw in members.items()
        if name not in own and values.get(name) is not None
    )
    return VectorRequest(inputs=(text,), dimensions=_size(values), extensions=extensions)


def _check_forms(forms: Any) -> None:
    if forms is None:
        return
    if not isinstance(forms, list):
        raise mistyped(_FORMS, "be an array")
    for at, form in enumerate(forms):
        if form not in (_FLOAT, "binary"):
            raise wrong(f"{_FORMS}[{at}]", "be one of float or binary")
        if form != _FLOAT:
            raise _cannot(f"{_FORMS}[{at}]", "binary is made by Titan's own models; ask for float")


def _size(values: Mapping[str, Any]) -> int | None:
    config = values.get("embeddingConfig")
    if config is not None and not isinstance(config, dict):
        raise mistyped("embeddingConfig", "be an object")
    name, size = "dimensions", values.get("dimensions")
    if size is None and config:
        name, size = "embeddingConfig.outputEmbeddingLength", config.get("outputEmbeddingLength")
    if size is None:
        return None
    if isinstance(size, bool) or not isinstance(size, int):
        raise mistyped(name, "be an integer")
    if size < 1:
        raise wrong(name, "be at least 1")
    return size


def _cannot(path: str, reason: str) -> Fault:
    return uncarried(path, f"{path} cannot be carried to another model: {reason}.")


def write_titan(answer: VectorAnswer, wanted: VectorRequest, model: str) -> bytes:
    """Its answer, with the vector in both of its places."""
    del wanted, model
    (vector,) = answer.vectors
    used = (answer.usage or Usage()).input_total
    return _encode(
        {"embedding": vector, "embeddingsByType": {_FLOAT: vector}, "inputTextTokenCount": used}
    )


def write_floats(answer: VectorAnswer, wanted: VectorRequest, model: str) -> bytes:
    """Cohere's answer to whom one form of numbers is enough."""
    return _cohere(answer.vectors, wanted, model, "embeddings_floats")


def write_by_type(answer: VectorAnswer, wanted: VectorRequest, model: str) -> bytes:
    """The same to who named the forms."""
    return _cohere(forms_of(answer, wanted), wanted, model, "embeddings_by_type")


def _cohere(vectors: Any, wanted: VectorRequest, model: str, kind: str) -> bytes:
    texts = wanted.inputs
    return _encode(
        {
            "id": name_of(wanted, model),
            "response_type": kind,
            "embeddings": vectors,
            "texts": texts,
        }
    )


_TITAN: Final = CallerVectors(read_request=read_titan, write_answer=write_titan)
_FLOATS: Final = CallerVectors(read_request=read_cohere, write_answer=write_floats)
_BY_TYPE: Final = CallerVectors(read_request=read_cohere, write_answer=write_by_type)


def caller_of(members: Mapping[str, msgspec.Raw]) -> CallerVectors:
    """The caller's half for a body: Titan's, or Cohere's with or without named forms."""
    if _is_titan(members):
        return _TITAN
    return _BY_TYPE if "embedding_types" in members else _FLOATS
