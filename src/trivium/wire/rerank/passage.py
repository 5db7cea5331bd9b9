"""The rerank operation on the pass-through lane; it never streams.

Cohere's two versions and Jina's are one shape: a query and documents, each a text or an object.
What only one vendor has (``rank_fields``, ``max_tokens_per_doc``, ``truncation``) travels as it is.

Sources: docs.cohere.com/reference/rerank and its first version; Jina's through vLLM's
serving pages; read 2026-11-24. A search unit is a query with up to 100 documents (cohere.com's
pricing, as read on developersdigest.tech, "Cohere rerankers", 2026-10-18), on Bedrock with up to
100 chunks of documents (docs.aws.amazon.com/bedrock, "Pricing and search units", read 2026-11-24);
Cohere's models are said to split documents longer than 510 tokens.

Vendors report what they bill in different places: Cohere in ``meta.billed_units`` (search units, of
newer models input tokens), Jina and vLLM in ``usage`` (``total_tokens``, with or without
``prompt_tokens``), OpenRouter in ``usage`` as well (``search_units`` beside the tokens), some
servers in ``meta.tokens``. Sources: docs.cohere.com/reference/rerank, docs.vllm.ai ("Score"),
openrouter.ai/docs (create-rerank), SiliconFlow's clients; read 2026-11-24.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.wire import openai_shapes
from trivium.wire.answer_structs import Count
from trivium.wire.checks import check, missing, mistyped, wrong
from trivium.wire.lenient import decoded
from trivium.wire.passage import AnswerFacts, PassThroughSpec, RequestFacts
from trivium.wire.peek import Members

UNIT_DOCUMENTS: Final = 100
"""Documents, or chunks of them, of one search unit."""
CHUNK_TOKENS: Final = 500
"""Of a document with its query, beyond which a vendor may count it as several."""
CHUNK_TOKENS_MIN: Final = 250
"""What a long query leaves of a chunk for the document."""
_TOKEN_BYTES: Final = 4
"""Bytes a token, as ``ledger/unreported_usage.py`` has it."""
_DENSE_BYTES: Final = 2
"""Bytes a token where a text is at its densest."""

_documents: Final = msgspec.json.Decoder(list[msgspec.Raw])
_QUOTE, _BRACE = b'"', b"{"


def facts(body: Members) -> RequestFacts:
    """Read and check a rerank request. Raises ``Fault`` naming the member."""
    model = body.needed("model")
    query = body.raw("query")
    if query is None or query == b"null":
        raise missing("query")
    _check_text("query", query)
    sizes = _sizes(body)
    body.integer("top_n", 1)
    limit = body.integer("max_tokens_per_doc", 1)
    count, asked = len(sizes), len(query)
    # the query is read again with each document
    tokens = -(-(asked * count + sum(sizes)) // _TOKEN_BYTES)
    room = max(CHUNK_TOKENS - asked // _DENSE_BYTES, CHUNK_TOKENS_MIN)
    chunks = sum(_chunks(size, room, limit) for size in sizes)
    return RequestFacts(
        model=model,
        output_max=0,
        known=Usage(fresh=tokens, searches=_units(count)),
        searches_max=_units(chunks),
    )


def _sizes(body: Members) -> list[int]:
    """Bytes of each document. Raises ``Fault`` for what cannot be ranked."""
    raw = body.raw("documents")
    if raw is None or raw == b"null":
        raise missing("documents")
    documents: list[Any] = check(_documents, raw, "documents")
    if not documents:
        raise wrong("documents", "not be an empty array")
    sizes: list[int] = []
    for at, one in enumerate(documents):
        data = bytes(one)
        _check_text(f"documents[{at}]", data)
        sizes.append(len(data))
    return sizes


def _check_text(path: str, raw: bytes) -> None:
    """A text, or an object: of fields to be ranked by, or with a text or a picture in it."""
    if raw[:1] not in (_QUOTE, _BRACE):
        raise mistyped(path, "be a string or an object")


def _chunks(size: int, room: int, limit: int | None) -> int:
    """What a document counts for at most. ``limit``: tokens beyond which the vendor cuts it."""
    tokens = size // _DENSE_BYTES
    if limit is not None and limit < tokens:
        tokens = limit
    return max(1, -(-tokens // room))


def _units(documents: int) -> int:
    return -(-documents // UNIT_DOCUMENTS)


class _Counts(msgspec.Struct, gc=False):
    """Of any of the places."""

    search_units: Count | None = None
    input_tokens: Count | None = None
    prompt_tokens: Count | None = None
    total_tokens: Count | None = None


class _Meta(msgspec.Struct, gc=False):
    billed_units: _Counts | None = None
    tokens: _Counts | None = None


class _Told(msgspec.Struct, gc=False):
    usage: _Counts | None = None
    meta: _Meta | None = None


_decode: Final = msgspec.json.Decoder(_Told, strict=False).decode
_NONE: Final = _Counts()


def answer(body: bytes) -> AnswerFacts:
    """Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content."""
    found = openai_shapes.answer(body, "results")
    return found if found.error is not None else AnswerFacts(usage=_usage(body))


def _usage(body: bytes) -> Usage | None:
    """What is billed; ``None`` where nothing is said of it, or nonsense: better an estimate."""
    if (told := decoded(_decode, body)) is None:
        return None
    meta = told.meta or _Meta()
    billed, used = meta.billed_units or _NONE, told.usage or _NONE
    searches = billed.search_units if billed.search_units is not None else used.search_units
    tokens = next(
        (found for found in map(_tokens, (billed, used, meta.tokens or _NONE)) if found), None
    )
    if searches is None and tokens is None:
        return None
    return Usage(fresh=tokens or 0, searches=searches)


def _tokens(counts: _Counts) -> int:
    """Input tokens; all that there are were read, as nothing is written."""
    return counts.input_tokens or counts.prompt_tokens or counts.total_tokens or 0


PASSAGE: Final = PassThroughSpec(facts=facts, changes=openai_shapes.renamed, answer=answer)
