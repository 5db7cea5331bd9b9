"""What the requests of all OpenAI shapes share: model name, output limits, usage in streams.

Source: OpenAI's API reference, chat completions and completions, read 2026-11-21.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.conversation.parts import CacheMark
from trivium.faults import Fault
from trivium.wire.checks import missing, mistyped, wrong
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members, members

_encode = msgspec.json.Encoder().encode

_LIVES: Final = {"5m": "30m", "1h": "30m", "30m": "30m", "12h": "12h"}
_OBJECT: Final = b"{"
_USUAL: Final = frozenset({b'{"include_usage":true}', b'{"include_usage": true}'})


def model(body: Members) -> str:
    """The public model name. Raises MISSING_MEMBER, INVALID_TYPE."""
    name = body.string("model")
    if not name:
        raise missing("model") if name is None else wrong("model", "not be empty")
    return name


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
