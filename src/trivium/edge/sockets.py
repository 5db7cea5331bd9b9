"""WebSockets: none are spoken here, and who asks for one learns at once to post."""

from typing import Final

from trivium.edge.exchange import Exchange
from trivium.faults import Fault, Kind

_PATHS: Final = frozenset({b"/v1/responses", b"/v1/realtime"})
"""Where OpenAI also takes them."""
_UNANSWERED: Final = frozenset({Kind.PATH_UNKNOWN, Kind.METHOD_NOT_ALLOWED})


def declined(exchange: Exchange, fault: Fault) -> Fault:
    """What to answer in place of ``fault`` where a WebSocket was asked for; else the same."""
    offer = exchange.headers.get(b"upgrade", b"")
    if (
        fault.kind not in _UNANSWERED
        or exchange.path not in _PATHS
        or b"websocket" not in offer.lower()
    ):
        return fault
    exchange.extra += [(b"upgrade", b"HTTP/1.1"), (b"connection", b"upgrade")]
    return Fault(
        Kind.UPGRADE_REQUIRED,
        "No WebSockets are spoken here. Send the same request by POST over HTTP: /v1/responses "
        'streams its answer with `"stream": true`.',
    )
