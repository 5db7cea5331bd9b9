"""Lets an ASGI application answer an exchange: the pages plane on the relay's own port.

The request body is whole by the time an application sees it. Only the ``http`` scope exists;
there are no WebSockets, and lifespan is the wiring's.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final
from urllib.parse import unquote

from trivium.edge.exchange import Exchange
from trivium.pipeline.hand_over import MESSAGE, HandOver

Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]

PAUSE_S: Final = 0.01
"""How often it is looked whether a slow caller has caught up."""
_OWNED = frozenset(
    {b"connection", b"content-length", b"content-type", b"date", b"transfer-encoding"}
)


async def serve(
    exchange: Exchange, application: Application, scheme: str, peer: str
) -> HandOver | None:
    """Run the application for one exchange; what it hands over, where it has not answered.

    Raises what it raises, and RuntimeError when it has done neither.
    """
    answer = _Answer(exchange)
    await application(_scope(exchange, scheme, peer), answer.receive, answer.send)
    if answer.handed is None and not exchange.over:
        raise RuntimeError("the application returned without a whole answer")
    return answer.handed


def _scope(exchange: Exchange, scheme: str, peer: str) -> Message:
    headers = exchange.repeated or list(exchange.headers.items())
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.0" if exchange.http10 else "1.1",
        "method": exchange.method,
        "scheme": scheme,
        "path": unquote(exchange.path.decode("latin-1")),
        "raw_path": exchange.path,
        "query_string": exchange.query,
        "root_path": "",
        "headers": headers,
        "client": (peer, 0) if peer else None,
        "server": None,
        "state": {"request_id": exchange.request_id},
    }


class _Answer:
    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.asked = False
        self.status = 0
        self.content_type = b"application/octet-stream"
        self.streaming = False
        self.handed: HandOver | None = None

    async def receive(self) -> Message:
        if not self.asked:
            self.asked = True
            return {"type": "http.request", "body": self.exchange.body, "more_body": False}
        # the next message is the caller's departure, which cancels this task
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        exchange = self.exchange
        if message["type"] == MESSAGE:
            self.handed = message["to"]
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            for name, value in message.get("headers", ()):
                if name == b"content-type":
                    self.content_type = value
                elif name not in _OWNED:
                    exchange.extra.append((name, value))
            return
        body = message.get("body", b"")
        if message.get("more_body", False):
            if not self.streaming:
                self.streaming = True
                exchange.begin(self.status, self.content_type)
            exchange.write(body)
            while exchange.congested and not exchange.over:  # noqa: ASYNC110 - a page has no flow
                # no faster than it is read; whoever leaves cancels this task
                await asyncio.sleep(PAUSE_S)
        elif self.streaming:
            exchange.write(body)
            exchange.finish()
        else:
            exchange.answer(self.status, body, content_type=self.content_type)
