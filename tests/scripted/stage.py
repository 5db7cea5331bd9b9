"""The pipeline without sockets: an upstream that plays a script, and a caller that only listens.

One loop turn for each line of the script. Everything between the two is the real thing: passages,
translation, attempts, health, quotes and settlement. So thousands of endings take seconds.
"""

import asyncio

import msgspec

from trivium.cli.dry_run import ANYBODY
from trivium.clock import SystemClock
from trivium.ledger.model import Hold
from trivium.ledger.quote import Pricing
from trivium.observe.log_throttle import LogThrottle
from trivium.pipeline import handle
from trivium.pipeline.rehearsal import Rehearsal
from trivium.pipeline.services import Services
from trivium.pipeline.structs import Route
from trivium.pipeline.translation import Translator
from trivium.providers.registry import PROVIDERS
from trivium.routing import catalogue
from trivium.routing.router import Router
from trivium.secret import Keyring
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry
from trivium.settings.model import Settings
from trivium.upstream.answer import AnswerHeaders
from trivium.upstream.request_writer import Composer
from trivium.wire import errors
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Operation
from trivium.wire.registry import PASSAGES

PROVIDER = {"chat": "openai", "responses": "openai", "messages": "anthropic", "generate": "gemini"}
OPERATION = {
    "chat": Operation.CHAT,
    "responses": Operation.RESPONSES,
    "messages": Operation.MESSAGES,
    "generate": Operation.GENERATE_STREAM,
}
SSE = [(b"content-type", b"text/event-stream")]
TURNS_MAX = 5_000

_KEYS = Keyring(b"k" * 32)
_TRANSLATOR = Translator(CODECS, _KEYS, SystemClock())


class Call:
    """One running call of the script. See ``Call``."""

    reused = False

    def __init__(self, sink, script):
        self.sink = sink
        self.script = list(script)
        self.state = "running"
        self.paused = False

    def pause(self):
        self.paused = True

    def resume(self):
        self.paused = False

    def abort(self):
        if self.state == "running":
            self.state = "aborted"

    def turn(self):
        """Play one line; whether it was the last."""
        if self.state != "running" or not self.script:
            return True
        kind, *what = self.script.pop(0)
        if kind == "head":
            status, headers = what
            head = b"".join(b"\r\n%s: %s" % line for line in headers)
            what = [status, AnswerHeaders(b"HTTP/1.1 %d Status" % status + head)]
        if kind in ("done", "broke"):
            self.state = "ended"
        getattr(self.sink, kind)(*what)
        return self.state != "running"


class Upstream:
    """A client that plays a script a call, the last of them again and again. See ``Client``."""

    def __init__(self, *scripts):
        self.scripts = scripts
        self.calls = []

    def open_now(self, request, sink):
        return None

    async def open(self, request, sink):
        await asyncio.sleep(0)
        call = Call(sink, self.scripts[min(len(self.calls), len(self.scripts) - 1)])
        self.calls.append(call)
        asyncio.get_running_loop().call_soon(self._play, call)
        return call

    def _play(self, call):
        if not call.turn():
            asyncio.get_running_loop().call_soon(self._play, call)

    async def close(self):
        """Nothing is open."""


class Audience(Rehearsal):
    """A caller that keeps what it hears. ``leaves``: after so many bytes. See ``Exchange``."""

    def __init__(self, operation, body, leaves=None):
        super().__init__(operation, {}, ANYBODY, body, "req_0123456789abcdef")
        self.arrived = asyncio.get_running_loop().time()
        self.status = 0
        self.heard = b""
        self.ends = 0
        self.broken_off = False
        self.task = None
        self._leaves = leaves

    def answer(self, status, body, *, content_type=b""):
        assert not self.begun
        self.status, self.begun = status, True
        self._say(body)
        self.ends += 1

    def fail(self, fault):
        if self.begun:
            self.break_off()
            return
        self.answer(fault.status, errors.body(fault, self.request_id))

    def begin(self, status, content_type):
        assert not self.begun
        self.status, self.begun = status, True

    def write(self, data):
        assert self.begun
        assert not self.ends, "written after its end"
        self._say(data)

    def finish(self, rest=b""):
        self.write(rest)
        self.ends += 1

    def drop_body(self):
        self.body = b""

    def break_off(self):
        self.broken_off = True
        self.ends += 1

    def _say(self, data):
        self.heard += data
        self.bytes_out += len(data)
        if self._leaves is not None and len(self.heard) >= self._leaves:
            self.leave()

    def leave(self):
        """Go away, as the edge tells it."""
        if not self.gone and self.task is not None:
            self.gone = True
            self.task.cancel()


class Till(Pricing):
    """Quotes real prices and keeps every settlement."""

    def __init__(self):
        super().__init__(SystemClock())
        self.holds = []
        self.settled = []

    def hold(self, request_id, caller, quote, budgets=(), who=None):
        self.holds.append(quote)
        amount = quote.amount_nanos
        return Hold(request_id=request_id, user_id=0, amount_nanos=amount, quote=quote)

    def settle(self, hold, usage, end="", channel=""):
        self.settled.append((usage, end))
        return 0


class Pages:
    """Keeps request records."""

    def __init__(self):
        self.records = []

    def add(self, record):
        self.records.append(record)


def channels(*providers):
    """Settings with one priced model at one channel of each of these, in order."""
    return Settings(
        channels=tuple(
            ChannelEntry(name=f"c{n}", provider=provider, api_key="sk-vendor-0123456789")
            for n, provider in enumerate(providers)
        ),
        models=(
            ModelEntry(
                name="m",
                price={"input": "1", "output": "2", "cache_write": "1", "cache_read": "1"},
                bindings=tuple(
                    BindingEntry(channel=f"c{n}", priority=n) for n in range(len(providers))
                ),
            ),
        ),
    )


_ROUTERS = {}


class Play:
    """One request: who asked, who answered, and what is left of it."""

    def __init__(self, audience, upstream, services):
        self.audience = audience
        self.upstream = upstream
        self.services = services

    @property
    def settled(self):
        return self.services.ledger.settled

    @property
    def record(self):
        (record,) = self.services.recorder.records
        return record


def router_of(shape, spare, loop):
    """The router of a channel of one shape and a spare of another, made once."""
    if (shape, spare) not in _ROUTERS:
        providers = [PROVIDER[one] for one in (shape, spare) if one]
        settings = channels(*providers)
        bound = []
        for binding, spoken in zip(settings.models[0].bindings, (shape, spare), strict=False):
            bound.append(msgspec.structs.replace(binding, shape=spoken))
        model = msgspec.structs.replace(settings.models[0], bindings=tuple(bound))
        settings = msgspec.structs.replace(settings, models=(model,))
        _ROUTERS[shape, spare] = catalogue.build(settings, PROVIDERS)
    return Router(_ROUTERS[shape, spare], lambda: 0.5)


async def play(caller, upstream, body, *scripts, spare=None, leaves=None, leave_at=None):
    """Ask in one shape an upstream of another; ``spare`` is the shape of a second channel.

    ``leave_at``: the caller leaves after so many turns of the loop.
    """
    loop = asyncio.get_running_loop()
    client = Upstream(*scripts)
    services = Services(
        router=router_of(upstream, spare, loop),
        passages=PASSAGES,
        client=client,
        composer=Composer(),
        translator=_TRANSLATOR,
        ledger=Till(),
        recorder=Pages(),
        log_throttle=LogThrottle(SystemClock()),
        clock=SystemClock(),
        loop=loop,
        answer_bytes_max=1_000_000,
        explain_headers=False,
    )
    operation = OPERATION[caller]
    if caller != "generate":
        body = body | {"model": "m", "stream": True}
    audience = Audience(operation, msgspec.json.encode(body), leaves)
    route = Route(operation=operation, model="m" if caller == "generate" else "")
    begins = handle.Beginnings(loop, services)
    begins.add((audience, route))
    begins.run()
    for turn in range(TURNS_MAX):
        if services.recorder.records:
            break
        if turn == leave_at:
            audience.leave()
        await asyncio.sleep(0)
    assert services.recorder.records, "it never ended"
    return Play(audience, client, services)
