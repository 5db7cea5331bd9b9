"""What callers wish of their request's route, and what they are told of it."""

from typing import Final

from trivium.faults import Fault, Kind
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Headers
from trivium.routing import routing_preferences
from trivium.wire import peek
from trivium.wire.operation import Shape
from trivium.wire.peek import Members

ROUTE: Final = b"trivium-route"
ROUTE_MAX: Final = 2_000
"""Bytes of the header; proxies begin to refuse at 4 KiB for all together."""
_OURS: Final = b"trivium-"
_COMMENTED: Final = frozenset({Shape.CHAT, Shape.COMPLETIONS, Shape.RESPONSES, Shape.MESSAGES})
_CACHE_KEY: Final = "prompt_cache_key"
WISHES: Final = frozenset({_CACHE_KEY, routing_preferences.MEMBER})
"""Members that say how a request is to be routed."""


def take_preferences(context: RequestContext, members: Members) -> Members:
    """The members without the caller's wishes, which no vendor is to see; the context keeps them.

    Raises ``Fault``: INVALID_VALUE, DUPLICATE_MEMBER for wishes that cannot be read, NOT_PERMITTED
    where the operator takes none.
    """
    exchange = context.exchange
    headers = exchange.headers
    if _CACHE_KEY in members:
        context.cache_key = members.raw(_CACHE_KEY) or b""
    wished = routing_preferences.MEMBER in members
    if not wished and routing_preferences.HEADERS.isdisjoint(headers):
        return members
    member = members.raw(routing_preferences.MEMBER) if wished else None
    context.preferences = found = routing_preferences.read(headers.get, member)
    if (found.only or found.order) and not context.services.allows_preferences:
        raise Fault(
            Kind.NOT_PERMITTED,
            "This gateway chooses the channel itself. Leave `trivium-channel`, `trivium-only` and "
            "`trivium-order` out.",
            param=routing_preferences.MEMBER if wished else None,
        )
    if not wished:
        return members
    exchange.body = members.splice({routing_preferences.MEMBER: None})
    context.replace_body(exchange.body)
    return peek.members(exchange.body)


def routing_header(context: RequestContext) -> Headers:
    """A header with what failed and what was passed over, and why; none when all went straight.

    A list as of RFC 9651: ``a;failed=upstream_broke, b;skipped="…", c;answered``.
    """
    if not context.failures and not context.skipped:
        return []
    parts = [
        f"{name};outrun" if why == "outrun" else f"{name};failed={why}"
        for name, why in context.failures
    ]
    parts += [
        f'{skip.binding.channel.name};skipped="{_quoted(skip.why)}"' for skip in context.skipped
    ]
    if context.fault is None and context.step is not None:
        parts.append(f"{context.step.binding.channel.name};answered")
    told = ""
    for part in parts:
        if len(told) + len(part) > ROUTE_MAX:
            break
        told += f", {part}" if told else part
    return [(ROUTE, told.encode("ascii", "replace"))]


def report_late(context: RequestContext) -> None:
    """Say in a comment of the stream what would have been headers, had a heartbeat not sent these.

    Comments are legal on all shapes of server-sent events, and every official SDK skips them but
    Google's, whose reader takes each line that is no data for an error.
    """
    exchange = context.exchange
    if exchange.shape in _COMMENTED:
        lines = [
            b": %b: %b\n" % (name, value.translate(None, b"\r\n"))
            for name, value in exchange.extra
            if name.startswith(_OURS)
        ]
        if lines:
            exchange.write(exchange.framed(b"".join(lines) + b"\n"))


def _quoted(text: str) -> str:
    return text.replace("\\", "'").replace('"', "'")
