"""A request head that its connection has sent before, so that it need not be parsed again.

SDKs keep a connection open and send one head after another that differ in nothing but the length of
the body. The parser is a state machine without memory between messages: what it accepted once it
accepts again, byte for byte. So the head is remembered as what comes before and after the digits of
its content-length; a read that is exactly such a head and its body is a whole request, and
everything else goes to the parser as ever.

From the read to the dispatch: 8.2 us parsed, 4.0 us so (2026-11-21).
"""

from typing import Final

from trivium.edge.exchange import AnswerLine, Exchange, Host
from trivium.identity.model import Caller

LENGTH: Final = b"content-length"
HEADS_MAX: Final = 8
"""Heads a connection may send that are like none before, until no more are remembered."""
_ASIDE: Final = (b"transfer-encoding", b"expect", b"upgrade")
"""Headers that make a request more than a head and a body."""


class CachedHead:
    """One head, and what was read from it. Pure."""

    __slots__ = (
        "_after", "_before", "_fixed", "caller", "digest", "headers", "path", "query", "shape",
        "target",
    )  # fmt: skip

    def __init__(
        self, before: bytes, after: bytes, exchange: Exchange, digest: bytes, caller: Caller
    ) -> None:
        self._before = before
        """Up to the first digit of the content-length."""
        self._after = after
        """From the end of that line to the empty one that ends the head."""
        self._fixed = len(before) + len(after)
        self.headers = exchange.headers
        self.path = exchange.path
        self.query = exchange.query
        self.target = exchange.target
        self.shape = exchange.shape
        self.digest = digest
        self.caller = caller
        """Whose key it has, and could be used so and from there."""

    def body(self, data: bytes) -> bytes | None:
        """The body, when ``data`` is this head and a body of the length it names; else ``None``."""
        # what it must be is written and compared: cheaper than to look for the length and read it
        room = len(data) - self._fixed
        size = room - len(b"%d" % room)
        digits = b"%d" % size
        if len(digits) + size < room:  # the length has a digit less than both together
            size += 1
            digits = b"%d" % size
        head = b"%b%b%b" % (self._before, digits, self._after)
        body = data[len(head) :]
        return body if len(body) == size and data.startswith(head) else None


def cacheable(data: bytes, exchange: Exchange) -> CachedHead | None:
    """What to remember of a request that came whole, in one read; ``None`` for any odd one."""
    headers = exchange.headers
    length = headers.get(LENGTH)
    odd = exchange.repeated is not None or exchange.upload is not None
    if odd or length is None or any(n in headers for n in _ASIDE):
        return None
    digest, caller = exchange.digest, exchange.caller
    if (
        digest is None
        or caller is None
        or exchange.method != "POST"
        or exchange.http10
        or not exchange.keep_alive
    ):
        return None
    head = len(data) - len(exchange.body)
    if data.find(b"\r\n\r\n") + 4 != head or not data.startswith(b"POST "):
        return None  # more than one request came, or something before it
    # the parser has seen one such name and no other: the first line that begins so is its line
    start = data[:head].lower().find(b"\r\ncontent-length:")
    colon = start + len(LENGTH) + 3
    found = data.find(length, colon, head)
    after = data[found + len(length) : head]
    if start < 0 or data[colon:found].strip(b" ") or not after.startswith(b"\r\n"):
        return None
    if not length.isdigit():
        return None
    return CachedHead(data[:found], after, exchange, digest, caller)


class HeadCache:
    """What one connection has sent before: its last head."""

    __slots__ = ("_known", "_learnt")

    def __init__(self) -> None:
        self._known: CachedHead | None = None
        self._learnt = 0

    def learn(self, data: bytes, exchange: Exchange) -> None:
        """Remember the head of a request that came whole in one read, and alone in it."""
        if self._learnt < HEADS_MAX:
            self._learnt += 1
            self._known = cacheable(data, exchange)

    def again(self, line: AnswerLine, host: Host, data: bytes) -> Exchange | None:
        """The request that ``data`` is, if it is one whole request with the head of the last, and
        its key is known and good.

        Its key is looked up afresh: as long as that is the same caller, how and from where it came
        was looked at with the head. A key that is in memory no more, was changed or is over is the
        parser's, as a body over the limit is.
        """
        known = self._known
        body = None if known is None else known.body(data)
        if known is None or body is None or len(body) > host.limits.body_bytes_max:
            return None
        caller = known.caller
        if host.snapshot_get(known.digest) is not caller or host.now() >= caller.expires_at:
            return None
        headers = known.headers.copy()
        headers[LENGTH] = b"%d" % len(body)
        exchange = Exchange(
            line,
            request_id=host.new_id(),
            method="POST",
            path=known.path,
            query=known.query,
            headers=headers,
            repeated=None,
            keep_alive=not host.draining,
            http10=False,
        )
        exchange.body = body
        exchange.target = known.target
        exchange.shape = known.shape
        exchange.digest = known.digest
        exchange.caller = caller
        return exchange
