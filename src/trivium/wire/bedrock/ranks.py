"""InvokeModel for ranks: the body of the rerank models on Amazon Bedrock, Cohere's and Amazon's.

It is the rerank shape's but for ``api_version`` and the model, which the path names; the answer
has ``results`` alone. Source: https://docs.aws.amazon.com/bedrock/latest/userguide/rerank-supported.html
and aws-samples' calls of ``cohere.rerank-v3-5:0``, read 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.wire.errors import nonsense
from trivium.wire.lenient import decoded
from trivium.wire.peek import Members

_VERSION: Final = "api_version"
_ENOUGH: Final = ("query", "documents")
_encode: Final = msgspec.json.Encoder().encode


class _Rank(msgspec.Struct, gc=False):
    index: Any
    relevance_score: Any


class _Ranks(msgspec.Struct, gc=False):
    results: list[_Rank]


_decode: Final = msgspec.json.Decoder(_Ranks).decode


def is_asked(body: Members) -> bool:
    """Whether a body for InvokeModel asks for ranks."""
    return all(name in body for name in _ENOUGH)


def asked(body: Members, model: str) -> bytes:
    """The body of a request of the rerank shape. Raises what ``Members.splice`` raises."""
    return body.splice({"model": _encode(model), _VERSION: None})


def ranked(body: bytes) -> bytes:
    """The answer in Amazon's words. Raises UPSTREAM_BROKE for one without ranks."""
    found = decoded(_decode, body)
    if found is None:
        raise nonsense("it has no results")
    return _encode(found)
