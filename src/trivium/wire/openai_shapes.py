"""What the OpenAI shapes share: members of their requests, usage and error of their answers.

Model name and usage in streams: OpenAI's API reference, chat completions and completions, read
2026-11-21.

Usage comes in many spellings. Totals contain their parts: ``prompt_tokens`` includes what came from
a cache, ``completion_tokens`` includes reasoning. Source: openai-python 3.52.0,
``CompletionUsage`` and ``ResponseUsage``, read 2026-11-21. ``prompt_cache_hit_tokens`` is
DeepSeek's own name for cache hits (docs.stigg.io, "DeepSeek", read 2026-11-21). Some servers say
parts beside the totals (Moonshot ``cached_tokens``, Perplexity ``reasoning_tokens``), and some say
all of it elsewhere.

A vendor's 200 may carry an error object, a web page or half a document; only the first is JSON
that names its failure, and none of them may be relayed as a success.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.conversation.parts import CacheMark
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.answer_structs import AnswerView, CountDetails, Counts, Elsewhere, Fate, LooseView
from trivium.wire.checks import mistyped
from trivium.wire.lenient import error_of
from trivium.wire.passage import AnswerFacts, RequestFacts
from trivium.wire.peek import Members, members

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Counts, strict=False).decode
_decode_view: Final = msgspec.json.Decoder(AnswerView, strict=False).decode
_decode_loose: Final = msgspec.json.Decoder(LooseView).decode
_NONE: Final = CountDetails()
_ARRAY: Final = ord("[")
_LIVES: Final = {"5m": "30m", "1h": "30m", "30m": "30m", "12h": "12h"}
_OBJECT: Final = b"{"
_USUAL: Final = frozenset({b'{"include_usage":true}', b'{"include_usage": true}'})


def renamed(
    body: Members,
    facts: RequestFacts,
    upstream_model: str,
    ask_usage: bool = False,  # noqa: ARG001 - the contract of ``PassThroughSpec.changes``
) -> dict[str, bytes | None]:
    """The change of the model name; none when the request has the upstream's name already."""
    raw = body.table.get("model")
    if facts.model == upstream_model and raw is not None and bytes(raw) != b"null":
        return {}
    return {"model": _encode(upstream_model)}


def cache_breakpoint(mark: CacheMark) -> dict[str, str]:
    """A ``prompt_cache_breakpoint``; of the lives that a mark may have the shapes know two."""
    life = _LIVES.get(mark.ttl or "")
    return {"mode": "explicit"} if life is None else {"mode": "explicit", "ttl": life}


def usage_wanted(body: Members) -> bool:
    """Whether ``stream_options`` asks for usage. Raises INVALID_TYPE."""
    raw = body.raw("stream_options")
    # HOT: nobody writes anything else, mostly: 2.5 -> 1.1 us
    # (2026-11-24, bench/hot.py --case facts.chat.short)
    if raw is None or raw in _USUAL:
        return raw is not None
    return _stream_options(raw).flag("include_usage")


def asking(body: Members, facts: RequestFacts) -> Mapping[str, bytes | None]:
    """The change that asks for usage inside the stream, without which nothing can be billed.

    None when the request does not stream or asks itself; the caller's other stream options stay.
    """
    if not facts.stream or facts.usage_wanted:
        return {}
    raw = body.raw("stream_options")
    if raw is None:
        return {"stream_options": b'{"include_usage":true}'}
    return {"stream_options": _stream_options(raw).splice({"include_usage": b"true"})}


def _stream_options(raw: bytes) -> Members:
    if not raw.startswith(_OBJECT):
        raise mistyped("stream_options", 'be an object, such as {"include_usage": true}')
    try:
        options = members(raw)
        options.flag("include_usage")
    except Fault as fault:
        inner = "" if fault.param is None else f".{fault.param}"
        raise Fault(
            fault.kind, f"`stream_options`: {fault.message}", param=f"stream_options{inner}"
        ) from None
    return options


def answer(body: bytes, content: str) -> AnswerFacts:
    """What an answer says about itself. ``content`` is the array member that a good one has.

    Raises ``Fault`` (UPSTREAM_BROKE) when it is neither a good answer nor an error.
    """
    view: Fate
    try:
        view = _decode_view(body)
        said = view.usage
    except (ValueError, RecursionError):
        view, said = _loosely(body)
    error = error_of(view.error) if view.error else None
    if error is None:
        found = getattr(view, content)
        if not found or memoryview(found)[0] != _ARRAY:
            raise _broke()
    used = None if said is None else of(said)
    if used is None and (view.choices or view.x_groq):
        used = elsewhere(view.choices, view.x_groq)
    return AnswerFacts(usage=used, error=error)


def _loosely(body: bytes) -> tuple[Fate, Counts | None]:
    try:
        view = _decode_loose(body)
    except (ValueError, RecursionError):
        raise _broke() from None
    return view, counts(view.usage)


def _broke() -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is not what its protocol says.")


def usage(raw: bytes | msgspec.Raw) -> Usage | None:
    """The canonical record of a usage object; ``None`` for null, nonsense or no total at all.

    Nonsense (a negative count, a text) makes the whole object worthless: an estimate is better
    than a bill from half of it.
    """
    found = counts(raw)
    return None if found is None else of(found)


def counts(raw: bytes | msgspec.Raw) -> Counts | None:
    """A usage object as reported; ``None`` for null and nonsense."""
    try:
        return _decode(raw)
    except (ValueError, RecursionError):
        return None


_decode_choices: Final = msgspec.json.Decoder(list[Elsewhere]).decode
_decode_groq: Final = msgspec.json.Decoder(Elsewhere).decode
_MARK: Final = b'"completion_tokens"'


def elsewhere(choices: bytes | msgspec.Raw, groq: bytes | msgspec.Raw) -> Usage | None:
    """What a chat answer, or a chunk of one, reports elsewhere than in its ``usage``.

    In a choice (Moonshot: platform.moonshot.ai, "Chat", read 2026-11-23) or in ``x_groq`` (Groq's
    own SDK, ``ChatCompletionChunk``, read 2026-11-23). The counts of several choices are those of
    the answer so far, each replacing the one before.
    """
    found: Usage | None = None
    if _MARK in bytes(groq):
        try:
            found = usage(_decode_groq(groq).usage)
        except (ValueError, RecursionError):
            found = None
    if found is None and _MARK in bytes(choices):
        try:
            for choice in _decode_choices(choices):
                found = usage(choice.usage) or found
        except (ValueError, RecursionError):
            return found
    return found


def of(counts: Counts) -> Usage | None:
    """The canonical record of a decoded usage object; ``None`` for one without a total."""
    prompt, completion = counts.prompt_tokens, counts.completion_tokens
    if prompt is None:
        prompt = counts.input_tokens
    if completion is None:
        completion = counts.output_tokens
    total = counts.total_tokens or 0
    if prompt is None:
        if completion is None:
            return None
        prompt = max(0, total - completion)
    elif completion is None:
        completion = max(0, total - prompt)
    given = counts.prompt_tokens_details or counts.input_tokens_details or _NONE
    made = counts.completion_tokens_details or counts.output_tokens_details or _NONE
    cached = given.cached_tokens or counts.prompt_cache_hit_tokens or counts.cached_tokens or 0
    reasoning = made.reasoning_tokens or counts.reasoning_tokens or 0
    if reasoning and total == prompt + completion + reasoning:
        # the vendor's own sum says that its completion count leaves reasoning out
        completion += reasoning
    others = (
        given.cache_write_tokens
        or given.audio_tokens
        or given.image_tokens
        or made.audio_tokens
        or made.image_tokens
    )
    if not others and cached <= prompt and reasoning <= completion:
        # HOT: most answers are text and have no other parts: 2.5 -> 1.9 us for one
        # (2026-11-24, bench/hot.py --case answer.responses.text)
        return Usage(
            fresh=prompt - cached,
            cache_read=cached,
            output=completion - reasoning,
            reasoning=reasoning,
        )
    return Usage.inclusive(
        prompt=prompt,
        completion=completion,
        cached=cached,
        cache_write=given.cache_write_tokens or 0,
        reasoning=reasoning,
        audio_input=given.audio_tokens or 0,
        audio_output=made.audio_tokens or 0,
        image_input=given.image_tokens or 0,
        image_output=made.image_tokens or 0,
    )
