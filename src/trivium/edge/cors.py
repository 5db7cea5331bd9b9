"""Cross-origin requests from browsers, for the origins an operator lists. Off by default."""

from typing import Final

from trivium.edge.exchange import Exchange

_EXPOSE: Final = (
    b"access-control-expose-headers: x-request-id, request-id, retry-after, retry-after-ms, "
    b"x-should-retry, trivium-channel, trivium-attempts, trivium-dropped, trivium-repaired, "
    b"trivium-estimated, trivium-cost, trivium-route, trivium-model, "
    b"trivium-budget, trivium-budget-reset, trivium-idempotency, trivium-idempotent-replay, "
    b"openai-poll-after-ms, content-range, "
    b"x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, "
    b"x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens, "
    b"anthropic-ratelimit-requests-limit, anthropic-ratelimit-requests-remaining, "
    b"anthropic-ratelimit-requests-reset, anthropic-ratelimit-tokens-limit, "
    b"anthropic-ratelimit-tokens-remaining, anthropic-ratelimit-tokens-reset\r\n"
)
_VARY: Final = b"vary: origin\r\n"
_SERVERS: Final = (b"/api/oauth", b"/api/admin")
"""What is asked by servers and scripts, with a secret that no browser may have."""


class Cors:
    """Decides by the ``Origin`` header alone. Keys travel in headers, so no cookies are allowed."""

    __slots__ = ("_all", "_origins", "allows_any")

    def __init__(self, origins: tuple[str, ...]) -> None:
        self._all = "*" in origins
        self._origins = frozenset(o.rstrip("/").encode() for o in origins)
        self.allows_any = bool(self._all or self._origins)
        """Whether any origin is allowed."""

    def lines(self, exchange: Exchange) -> bytes:
        """Header lines for an answer; those of an origin that is not allowed only tell caches that
        another might be.
        """
        if not self.allows_any or exchange.path.startswith(_SERVERS):
            return b""
        origin = exchange.headers.get(b"origin")
        if origin is None or not (self._all or origin in self._origins):
            return _VARY
        return b"access-control-allow-origin: %b\r\n%b%b" % (origin, _VARY, _EXPOSE)

    def preflight(self, exchange: Exchange) -> list[tuple[bytes, bytes]]:
        """What an OPTIONS answer adds: any header a client asks for may be sent."""
        if _EXPOSE not in self.lines(exchange):
            return []
        asked = exchange.headers.get(b"access-control-request-headers", b"")
        return [
            (b"access-control-allow-methods", b"GET, HEAD, POST, DELETE, OPTIONS"),
            (b"access-control-allow-headers", asked or b"authorization, content-type"),
            (b"access-control-max-age", b"86400"),
        ]
