"""A request to a token service, composed: what a provider or a library asks, for a channel."""

from typing import Final
from urllib.parse import urlsplit

from trivium.providers.credential import TokenRequest
from trivium.routing.model import Channel, TimeLimits
from trivium.upstream.request import Origin, Request
from trivium.upstream.request_writer import checked_line, written

ANSWER_BYTES_MAX: Final = 1_048_576
ANSWER_S: Final = 15.0
_PORTS: Final = {"http": 80, "https": 443}
_OURS: Final = frozenset({
    "host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "te",
})  # fmt: skip
"""Headers that libraries set for connections of their own."""


def request_of(asked: TokenRequest, channel: Channel, limit_s: float) -> Request:
    """The request as it is written. Raises ``ValueError`` for what cannot be."""
    parts = urlsplit(asked.url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError("the token service's address must begin with https:// or http://")
    port = parts.port or _PORTS[parts.scheme]
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {name.lower(): value for name, value in asked.headers.items()}
    lines = [checked_line("host", parts.netloc)]
    if "accept" not in headers:
        lines.append((b"accept", b"application/json"))
    lines += [checked_line(name, value) for name, value in headers.items() if name not in _OURS]
    lines.append((b"content-length", b"%d" % len(asked.body)))
    checked_line("target", target)
    if not target.isascii() or " " in target or not asked.method.isalpha():
        raise ValueError("the token service's address cannot be written")
    limits = TimeLimits(
        connect=min(channel.limits.connect, limit_s),
        first_byte=limit_s,
        idle=limit_s,
        total=limit_s,
    )
    return Request(
        origin=Origin(parts.scheme, parts.hostname, port, channel.proxy if asked.proxied else None),
        payload=written(asked.method.upper().encode(), target.encode(), lines) + asked.body,
        limits=limits,
    )
