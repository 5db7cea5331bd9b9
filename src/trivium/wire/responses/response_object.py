"""The response object that callers get: what its members are, and the echo of the request.

Clients read all of them without checks, so all are there, null where there is nothing to say. What
is echoed is the caller's own spelling. Source: openai-python 3.52.0, ``Response``, read
2026-11-21.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.finish import Finish, Unified
from trivium.conversation.usage import Usage
from trivium.wire.codec import WriteContext

encode: Final = msgspec.json.Encoder().encode

_ECHO: Final = {
    "background": b"false",
    "instructions": b"null",
    "max_output_tokens": b"null",
    "max_tool_calls": b"null",
    "metadata": b"{}",
    "parallel_tool_calls": b"true",
    "previous_response_id": b"null",
    "prompt_cache_key": b"null",
    "reasoning": b'{"effort":null,"summary":null}',
    "safety_identifier": b"null",
    # whoever keeps answers says so in the members
    "store": b"false",
    "temperature": b"null",
    "text": b'{"format":{"type":"text"}}',
    "tool_choice": b'"auto"',
    "tools": b"[]",
    "top_logprobs": b"null",
    "top_p": b"null",
    "truncation": b'"disabled"',
    "user": b"null",
}
"""Members that repeat the request, each with what it says when the request did not."""

_HEADS: Final = {name: b',"%b":' % name.encode() for name in _ECHO}
_UNSAID: Final = b"".join(_HEADS[name] + said for name, said in _ECHO.items())
_PLACES: Final = {name: (_UNSAID.index(head), head, _ECHO[name]) for name, head in _HEADS.items()}
"""Where each stands in that, and what it is made of."""

_INCOMPLETE: Final = {
    Unified.LENGTH: "max_output_tokens",
    Unified.CONTEXT_FULL: "max_output_tokens",
    Unified.CONTENT_FILTER: "content_filter",
    # never a completion: a reason that no client takes for its own
    Unified.PAUSED: "paused",
    Unified.OTHER: "other",
}


def reason(finish: Finish) -> str | None:
    """``incomplete_details.reason``; ``None`` for an answer that is complete."""
    return _INCOMPLETE.get(finish.unified)


def usage_object(usage: Usage) -> dict[str, Any]:
    """Counters as the shape has them: totals that contain their parts, integers all."""
    given, made = usage.input_total, usage.output_total
    return {
        "input_tokens": given,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write_short + usage.cache_write_long,
        },
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": given + made,
    }


class ResponseObjectWriter:
    """Writes the response object of one answer, any number of times."""

    __slots__ = ("_echo", "_head", "_model", "_tier", "id")

    def __init__(self, ctx: WriteContext) -> None:
        self.id = "resp_" + ctx.id
        self._head = b'{"id":%b,"object":"response","created_at":%d,"status":"' % (
            encode(self.id),
            ctx.created,
        )
        self._model = encode(ctx.model)
        self._tier = _one_line(ctx.members.get("service_tier"), b"null")
        self._echo = _echo(ctx.members)

    def object(
        self,
        status: str,
        output: Iterable[bytes] = (),
        *,
        error: Any = None,
        incomplete: str | None = None,
        usage: Usage | None = None,
        tier: str | None = None,
    ) -> bytes:
        """The object as JSON in one line; ``output`` has the items as JSON."""
        return b"".join(
            (
                self._head,
                status.encode(),
                b'","error":',
                b"null" if error is None else encode(error),
                b',"incomplete_details":',
                b"null" if incomplete is None else encode({"reason": incomplete}),
                b',"model":',
                self._model,
                b',"output":[',
                b",".join(output),
                b'],"usage":',
                b"null" if usage is None else encode(usage_object(usage)),
                b',"service_tier":',
                self._tier if tier is None else encode(tier),
                self._echo,
                b"}",
            )
        )


def _echo(members: Mapping[str, msgspec.Raw]) -> bytes:
    # HOT: most requests say few of these; what they leave unsaid is joined once: 2.9 -> 2.0 us
    # (2026-11-24, bench/hot.py --case reply.responses)
    parts: list[bytes] = []
    rest = 0
    for (start, head, default), name in sorted(
        [(_PLACES[name], name) for name in members if name in _PLACES]
    ):
        parts += (_UNSAID[rest:start], head, _one_line(members[name], default))
        rest = start + len(head) + len(default)
    return b"".join(parts) + _UNSAID[rest:]


def _one_line(raw: msgspec.Raw | None, default: bytes) -> bytes:
    """A member as it came, without line ends: those would tear an event in two."""
    if raw is None:
        return default
    data = bytes(raw)
    if data == b"null":
        return default
    if b"\n" in data or b"\r" in data:
        return msgspec.json.format(data, indent=-1)
    return data
