"""Bodies of Bedrock's InvokeModel and CountTokens: those of Claude are messages, others are not.

InvokeModel takes whatever a model's maker defined. ``anthropic_version`` tells a body of the
messages shape; requests for vectors are read in ``invoked_vectors.py``, for ranks in ``ranks.py``;
what else is sent there is refused by the name of its family, with where the same can be asked.
Source: "Inference request parameters and response fields for foundation models" of the vendor's
guide and botocore 1.44's model of bedrock-runtime, read on 2026-11-28.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import json_size, peek
from trivium.wire.bedrock.structs import CountedInput, InvokedUsage, TokenInput
from trivium.wire.checks import missing, mistyped, wrong
from trivium.wire.errors import nonsense
from trivium.wire.lenient import decoded
from trivium.wire.messages import hosted
from trivium.wire.messages.hosted import Hosting
from trivium.wire.peek import Members

_CONVERSE: Final = "send it to /model/{model}/converse, or /v1/chat/completions"
_VECTORS: Final = "send it to /model/{model}/invoke, as vectors are never streamed"
_FAMILIES: Final = {
    "textGenerationConfig": ("Titan Text", _CONVERSE),
    "inferenceConfig": ("Nova", _CONVERSE),
    "singleEmbeddingParams": ("Nova Embeddings", "send `input` to /v1/embeddings"),
    "schemaVersion": ("Nova", _CONVERSE),
    "inputText": ("Titan Embeddings", _VECTORS),
    "inputImage": ("Titan Embeddings", _VECTORS),
    "input_type": ("Cohere Embed", _VECTORS),
    "texts": ("Cohere Embed", _VECTORS),
    "query": ("models that rank documents", "send it to /model/{model}/invoke"),
    "taskType": ("Nova Canvas and Titan Image", "send `prompt` to /v1/images/generations"),
    "text_prompts": ("Stable Diffusion", "send `prompt` to /v1/images/generations"),
    "chat_history": ("Cohere Command", _CONVERSE),
    "message": ("Cohere Command", _CONVERSE),
    "max_gen_len": ("Llama", _CONVERSE),
    "max_tokens_to_sample": ("Claude 2", _CONVERSE),
    "prompt": ("models that complete a prompt", _CONVERSE),
}
"""Members by which a body of another family is known, the surest first -> whose it is, and where
the same can be asked."""
_GUARDRAIL: Final = b"x-amzn-bedrock-guardrailidentifier"
_ONLY_GENERATING: Final = (
    "max_tokens",
    "stream",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "metadata",
    "service_tier",
    hosted.BETA,
)
"""Members of a request for an answer that a count does not take."""
TOKENS: Final = (
    b"x-amzn-bedrock-input-token-count",
    b"x-amzn-bedrock-output-token-count",
)
"""Headers of a whole answer."""

_encode = msgspec.json.Encoder().encode
_input: Final = msgspec.json.Decoder(TokenInput).decode
_usage: Final = msgspec.json.Decoder(InvokedUsage).decode
_count: Final = msgspec.json.Decoder(CountedInput).decode


def check_guardrail(headers: Mapping[bytes, bytes]) -> None:
    """Refuse a guardrail that a caller asks for. Raises UNREPRESENTABLE."""
    if headers.get(_GUARDRAIL):
        raise Fault(
            Kind.UNREPRESENTABLE,
            "Guardrails are Bedrock's own and are not applied here: leave `guardrailIdentifier` "
            "out.",
            param="guardrailIdentifier",
        )


def read(body: Members, headers: Mapping[bytes, bytes]) -> Hosting:
    """What a body says beside the members of its shape.

    Raises INVALID_VALUE for a body of another family, what ``check_guardrail`` and what
    ``hosted.read`` raise.
    """
    check_guardrail(headers)
    if hosted.VERSION not in body:
        for name, (family, instead) in _FAMILIES.items():
            if name in body:
                raise Fault(
                    Kind.INVALID_VALUE,
                    f"{name}: is a member of {family}; bodies of Claude are taken here, with "
                    f"`{hosted.VERSION}` and `messages`. Of this one {instead}.",
                    param=name,
                )
    return hosted.read(body, hosted.BEDROCK)


def token_input(body: Members) -> TokenInput:
    """What is to be counted: a conversation, or a body for InvokeModel.

    Raises ``Fault`` naming the member: MISSING_MEMBER, INVALID_TYPE, INVALID_VALUE.
    """
    if not body.opening("input"):
        raise missing("input")
    raw = body.table["input"]  # no copy: it may be long
    found = decoded(_input, raw)
    if found is None:
        if b'"invokeModel"' in bytes(raw):
            raise mistyped("input.invokeModel.body", "be base64 of the request's body")
        raise mistyped("input", "be an object with `converse` or `invokeModel`")
    is_conversation = bytes(memoryview(found.converse)[:4]) not in (b"", b"null")
    if is_conversation and found.invokeModel is not None:
        raise wrong("input", "have one of `converse` and `invokeModel`")
    if not is_conversation and found.invokeModel is None:
        raise missing("input.converse")
    return found


def counted(inner: bytes, model: str, objects_max: int) -> tuple[bytes, Hosting]:
    """The request for an answer of a model whose tokens are to be counted, without what a count
    does not take. ``inner``: a body for InvokeModel.

    ``objects_max``: of a large one, which in base64 nobody has counted yet. Raises ``Fault`` naming
    the member: MISSING_MEMBER, INVALID_TYPE, INVALID_VALUE, BODY_TOO_LARGE.
    """
    if len(inner) > json_size.LARGE_BYTES and json_size.exceeds(inner, objects_max):
        raise Fault(
            Kind.BODY_TOO_LARGE,
            f"input.invokeModel.body: holds more than {objects_max} JSON objects and arrays, "
            f"{json_size.MEMBERS_EACH * objects_max} members or "
            f"{json_size.VALUES_EACH * objects_max} values, the most that this gateway takes.",
            param="input.invokeModel.body",
        )
    members = peek.members(inner)
    hosting = read(members, {})
    changes: dict[str, bytes | None] = {
        name: None for name in (*_ONLY_GENERATING, hosted.VERSION) if name in members
    }
    return members.splice({**changes, "model": _encode(model)}), hosting


def for_count(body: bytes) -> bytes:
    """Bedrock's CountTokens of a body for InvokeModel."""
    return _encode({"input": {"invokeModel": {"body": body}}})


def count_answer(body: bytes) -> bytes:
    """A count as Bedrock has it, from the messages shape's."""
    found = decoded(_count, body)
    if found is None or found.input_tokens is None:
        raise nonsense()
    return _encode({"inputTokens": found.input_tokens})


def count_from_bedrock(body: bytes) -> bytes:
    """A count as the messages shape has it; anything else as it came."""
    found = decoded(_count, body)
    if found is None or found.inputTokens is None:
        return body
    return _encode({"input_tokens": found.inputTokens})


def counters(body: bytes) -> list[tuple[bytes, bytes]]:
    """The headers that tell what a whole answer used; none where it does not say."""
    found = decoded(_usage, body)
    if found is None or found.usage is None:
        return []
    told = (found.usage.input_tokens, found.usage.output_tokens)
    return [
        (name, b"%d" % value)
        for name, value in zip(TOKENS, told, strict=True)
        if value is not None and value >= 0
    ]
