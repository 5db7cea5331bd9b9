"""What a whole rerank answer says about itself.

Vendors report what they bill in different places: Cohere in ``meta.billed_units`` (search units, of
newer models input tokens), Jina and vLLM in ``usage`` (``total_tokens``, with or without
``prompt_tokens``), OpenRouter in ``usage`` as well (``search_units`` beside the tokens), some
servers in ``meta.tokens``. Sources: docs.cohere.com/reference/rerank, docs.vllm.ai ("Score"),
openrouter.ai/docs (create-rerank), SiliconFlow's clients; read 2026-11-24.
"""

from typing import Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.wire import whole
from trivium.wire.answer_forms import Count
from trivium.wire.passage import Answer


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


def answer(body: bytes) -> Answer:
    """Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content."""
    found = whole.answer(body, "results")
    return found if found.error is not None else Answer(usage=_usage(body))


def _usage(body: bytes) -> Usage | None:
    """What is billed; ``None`` where nothing is said of it, or nonsense: better an estimate."""
    try:
        told = _decode(body)
    except (ValueError, RecursionError):
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
