"""Whole JSON answers of the OpenAI shapes: a look at usage and error, nothing more.

A vendor's 200 may carry an error object, a web page or half a document; only the first is JSON
that names its failure, and none of them may be relayed as a success.
"""

from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import openai_usage
from trivium.wire.answer_structs import AnswerView, Counts, Fate, LooseView
from trivium.wire.passage import AnswerFacts

_NOTHING: Final = frozenset({b"", b"null", b"{}", b"[]", b'""', b"false", b"0"})
_ARRAY: Final = ord("[")


_decode: Final = msgspec.json.Decoder(AnswerView, strict=False).decode
_decode_loose: Final = msgspec.json.Decoder(LooseView).decode


def error_of(raw: bytes | msgspec.Raw) -> bytes | None:
    """An ``error`` member's bytes, ``None`` when it is absent, null or empty."""
    data = bytes(raw)
    if data in _NOTHING or (data[:1] in (b"{", b"[") and len(data) > 1 and not data[1:-1].strip()):
        return None
    return data


def answer(body: bytes, content: str) -> AnswerFacts:
    """What an answer says about itself. ``content`` is the array member that a good one has.

    Raises ``Fault`` (UPSTREAM_BROKE) when it is neither a good answer nor an error.
    """
    view: Fate
    try:
        view = _decode(body)
        counts = view.usage
    except (ValueError, RecursionError):
        view, counts = _loosely(body)
    error = error_of(view.error) if view.error else None
    if error is None:
        found = getattr(view, content)
        if not found or memoryview(found)[0] != _ARRAY:
            raise _broke()
    used = None if counts is None else openai_usage.of(counts)
    if used is None and (view.choices or view.x_groq):
        used = openai_usage.elsewhere(view.choices, view.x_groq)
    return AnswerFacts(usage=used, error=error)


def _loosely(body: bytes) -> tuple[Fate, Counts | None]:
    try:
        view = _decode_loose(body)
    except (ValueError, RecursionError):
        raise _broke() from None
    return view, openai_usage.counts(view.usage)


def _broke() -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is not what its protocol says.")
