"""The listening side of one worker: connections, dispatch, the ticker, draining.

Requests for models go straight to the pipeline; pages go to the ASGI application, which is imported
after the port is open. Authentication happens at one place, ``head``, before a body is read.
"""

import asyncio
import email.utils
import itertools
import secrets
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, cast

import structlog

from trivium.admission import addresses
from trivium.clock import Clock
from trivium.edge import asgi, dispatch, drain, hooks, idempotent, model_list
from trivium.edge.body_memory import LARGE_BYTES, BodyMemory
from trivium.edge.connection import CallerConnection
from trivium.edge.cors import Cors
from trivium.edge.credentials import from_query, presented, refuse_signature
from trivium.edge.exchange import Exchange
from trivium.edge.head import is_large
from trivium.edge.key_recheck import Look, UnknownKey, is_well_formed, unread
from trivium.edge.limits import PAGE_BODY_BYTES_MAX, ServerLimits, page_too_large
from trivium.edge.routes import (
    PAGES,
    ExplainRoute,
    ModelListRoute,
    NotAllowed,
    PageRoute,
    RootRoute,
    allowed,
    resolve,
    shape_of,
    written_in,
)
from trivium.faults import Fault, Kind
from trivium.identity.authenticate import caller_of, digest_of
from trivium.identity.model import Caller, Network
from trivium.pipeline import request_admission
from trivium.pipeline.handle import Beginnings
from trivium.pipeline.services import Exchange as Asked
from trivium.pipeline.services import Services
from trivium.pipeline.structs import Route, StoredResponseRoute, VideoRoute
from trivium.plugin.hook import BeforeHook
from trivium.uploads.spool import Room
from trivium.wire import errors, json_size

log = structlog.get_logger()


def _nobody(_: bytes) -> Caller | None:
    return None


def _body_fault(exchange: Exchange) -> Fault | None:
    """Why a request is not taken in that anybody may make and that has no use for a body."""
    if is_large(exchange.headers):
        return Fault(Kind.BODY_TOO_LARGE, "No body is taken here.")
    return None


TICK_S = 0.25
"""How often time limits are looked at; they are exact to this."""


IDLE_S: Final = 5.0
"""How long a drain leaves idle connections open for what is on its way; HTTP cannot call it off."""
TURN_S: Final = 0.02
"""How often a drain looks, and the most of the quiet time that one look stands for."""


class Listener:
    """Serves callers on any number of sockets of one event loop."""

    def __init__(
        self,
        *,
        limits: ServerLimits,
        clock: Clock,
        cors: Cors,
        query_key: bool = True,
        pages_only: bool = False,
        people: bool = True,
        scheme: str = "http",
        trusted_proxies: Sequence[Network] = (),
        room: Room | None = None,
        kept: BodyMemory | None = None,
    ) -> None:
        """Belongs to the running loop. ``pages_only``: a port that serves no models; ``people``:
        whether it serves the pages for people.

        ``room``: where uploads are kept; ``None``: where the system keeps temporary files.
        ``kept``: the room for other bodies; ``None``: one of its own.
        ``trusted_proxies``: whose word on a caller's address and protocol is taken.
        """
        self.limits = limits
        self.connections: set[CallerConnection] = set()
        self.room = room or Room()
        self.kept = kept or BodyMemory()
        self.draining = False
        self.leaving = False
        """Whether callers should go to another node: this one is about to end."""
        self.ready = False
        self.date_line = b""
        self.services: Services | None = None
        self.application: asgi.Application | None = None
        self.now = clock.now
        self._cors = cors
        self.has_cors = cors.allows_any
        self.cors = cors.lines
        """CORS header lines for a request."""
        self.snapshot_get: Callable[[bytes], Caller | None] = _nobody
        self._look: Look | None = None
        self._hooks: Sequence[BeforeHook] = ()
        self._query_key = query_key
        self._pages_only = pages_only
        self._people = people
        self._scheme = scheme
        self._trusted_proxies = trusted_proxies
        self._loop = asyncio.get_running_loop()
        self.time = self._loop.time
        self._begins: Beginnings
        """There from when there is anything to serve requests with."""
        self.new_id = map(f"req_{secrets.token_hex(8)}{{:08x}}".format, itertools.count()).__next__
        """A fresh request id: unique over processes by a random prefix, within one by counting."""
        self._servers: list[asyncio.Server] = []
        self._shared = False
        self._application_ready = asyncio.Event()
        self._tick()

    # --- life ---------------------------------------------------------------------------------

    async def listen(self, **where: Any) -> list[tuple[str, int]]:
        """Open a socket (keywords of ``loop.create_server``); returns the bound addresses.

        One that is given as ``sock`` is not ours alone: whoever has it as well sees to it that
        nobody is let in there any more.
        """
        made = cast("Callable[[], asyncio.Protocol]", lambda: CallerConnection(self))
        # uvloop gives a list of sockets, compiled code would insist on the tuple that is declared
        server: Any = await self._loop.create_server(made, **where)
        self._servers.append(server)
        self._shared = self._shared or "sock" in where
        return [sock.getsockname()[:2] for sock in server.sockets]

    def open(
        self,
        services: Services,
        snapshot_get: Callable[[bytes], Caller | None],
        look: Look | None = None,
        before: Sequence[BeforeHook] = (),
    ) -> None:
        """From now on requests are read. ``snapshot_get`` finds the caller of a key's digest;
        ``look``: what to wait for before a key is refused that is not in memory;
        ``before``: asked of each request for a model.
        """
        self.services = services
        self._begins = Beginnings(self._loop, services)
        self._hooks = before
        self._look = look
        self.snapshot_get = snapshot_get
        self.ready = True
        self._each(CallerConnection.ready)

    def serve_pages(self, application: asgi.Application) -> None:
        """The pages plane has been imported."""
        self.application = application
        self._application_ready.set()

    async def drain(self, limit_s: float, idle_s: float = IDLE_S) -> int:
        """Stop accepting, let running answers finish for ``limit_s`` seconds, then end them.

        Connections that are idle for ``idle_s`` are closed. Returns how many answers had to be
        ended.
        """
        self.draining = True
        self._each(CallerConnection.drain)
        await self._let_go()
        abandoned = self.services.abandoned if self.services is not None else set()
        await self._run_out(abandoned, limit_s, idle_s)
        for task in list(abandoned):
            task.cancel()
        fault = Fault(Kind.STOPPING, "The gateway is restarting; try again.")
        ended = self._each(lambda connection: connection.interrupt(fault))
        await self._until(lambda: not any(c.busy for c in self.connections), 1.0)
        self._each(CallerConnection.close)
        await self._until(lambda: not self.connections, 2.0)
        self.close()
        return ended

    @property
    def is_awaited(self) -> bool:
        """Whether anybody is connected."""
        return bool(self.connections)

    def let_nobody_in(self) -> list[int]:
        """Have the kernel refuse whoever comes from now on, where the sockets are ours alone; who
        has connected is accepted. Returns their descriptors.
        """
        return drain.shut(self._servers, shared=self._shared)

    def close(self) -> None:
        """Close sockets and connections at once. Harmless after ``drain``."""
        for server in self._servers:
            server.close()
        self._each(CallerConnection.cut)
        self._ticker.cancel()

    def _each(self, act: Callable[[CallerConnection], bool | None]) -> int:
        """Have something done by every connection; of how many it was true.

        What one of them raises ends that one: neither the others nor whoever asked.
        """
        return sum([_guarded(connection, act) for connection in list(self.connections)])

    async def _let_go(self) -> None:
        """Accept whoever has connected, and nobody after."""
        await drain.emptied(self.let_nobody_in())
        for server in self._servers:
            server.close()

    async def _run_out(self, abandoned: Collection[Any], limit_s: float, idle_s: float) -> None:
        """Wait for answers and for the work that outlasts them; close connections as they fall
        silent: a request may be on its way on one that is idle, and is the last one there.

        How long one has been silent is counted in turns of the loop. A clock would also count what
        passes while this process, or the whole machine with its callers, is held up.
        """
        deadline = self.time() + limit_s
        patience = int(min(idle_s, limit_s / 4) / TURN_S) + 1
        silent: dict[CallerConnection, int] = {}
        while (self.connections or abandoned) and self.time() < deadline:
            await asyncio.sleep(TURN_S)
            for connection in list(self.connections):
                turns = 0 if connection.busy else silent.get(connection, 0) + 1
                silent[connection] = turns
                if turns > patience:
                    _guarded(connection, CallerConnection.close)

    async def _until(self, holds: Callable[[], bool], limit_s: float) -> None:
        """Wait for something that connections bring about; nobody is told when they do."""
        deadline = self.time() + limit_s
        while not holds() and self.time() < deadline:  # noqa: ASYNC110 - once, at the end
            await asyncio.sleep(0.02)

    # --- the connection's side ------------------------------------------------------------------

    def head(self, exchange: Exchange) -> Fault | None:
        """Where does it go, and who asks? The one place where keys are checked."""
        if exchange.method == "OPTIONS":
            return _body_fault(exchange)
        key: bytes | None = None
        try:
            target = resolve(exchange.method, exchange.path, exchange.query)
            exchange.target = target
            if isinstance(target, Route):
                exchange.shape = written_in(target)
            elif isinstance(target, StoredResponseRoute | VideoRoute):
                exchange.shape = shape_of(exchange.path)
            elif isinstance(target, ModelListRoute):
                exchange.shape = model_list.shape_for(exchange, target)
            elif not isinstance(target, ExplainRoute):
                is_page = isinstance(target, PageRoute)
                return self._page_fault(exchange) if is_page else _body_fault(exchange)
            if self._pages_only:
                return Fault(Kind.PATH_UNKNOWN, "Models are not served on this port.")
            key = presented(exchange, query_key=self._query_key)
            if key is None:
                refuse_signature(exchange)
            exchange.digest = digest_of(key)
            exchange.caller = self._caller(exchange, exchange.digest)
            self._look_ahead(exchange, exchange.caller)
        except Fault as fault:
            return self._refusal(exchange, fault, key)
        return None

    def _look_ahead(self, exchange: Exchange, caller: Caller) -> None:
        """See that a large body is not taken in for nothing. Raises ``Fault`` (RATE_LIMITED)."""
        if caller.limits is None and caller.user_limits is None:
            return
        if self.services is not None and isinstance(exchange.target, Route):
            length = exchange.headers.get(b"content-length")
            if length is None or int(length) > LARGE_BYTES:
                coming = self.kept.coming
                key, user = coming.get(-caller.key_id, 0), coming.get(caller.user_id, 0)
                request_admission.look(exchange, self.services, key, user)

    def _refusal(self, exchange: Exchange, fault: Fault, key: bytes | None) -> Fault | None:
        """What becomes of a head that was refused; ``None``: a page says it."""
        if exchange.shape is None:
            exchange.shape = shape_of(exchange.path)
        if (declined := drain.declined(exchange, fault)) is not fault:
            return declined
        if fault.kind is Kind.PATH_UNKNOWN and self._is_mistyped(exchange):
            exchange.target = PageRoute()
            return self._page_fault(exchange)
        if isinstance(fault, NotAllowed):
            exchange.extra.append((b"allow", f"{fault.allowed}, OPTIONS".encode()))
        return UnknownKey() if self._is_doubtful(exchange.digest, key) else fault

    def _is_mistyped(self, exchange: Exchange) -> bool:
        """Whether somebody at a browser is to be told, by a page, that nothing is there."""
        is_read = exchange.method in ("GET", "HEAD") and exchange.shape is None
        return is_read and self._people and _reads_html(exchange)

    def _is_doubtful(self, digest: bytes | None, key: bytes | None) -> bool:
        """Whether a key that was refused may be one that is not in memory."""
        if self._look is None or digest is None or self.snapshot_get(digest) is not None:
            return False
        return is_well_formed(key)

    async def find_key(self, exchange: Exchange) -> bool:
        """Wait until the key is known if there is one; ``False``: it could not be read in time."""
        digest, look = exchange.digest, self._look
        return True if look is None or digest is None else await look(digest)

    def _page_fault(self, exchange: Exchange) -> Fault | None:
        """Why a page is not served before its body is read."""
        if not self._people and exchange.path not in PAGES:
            return Fault(Kind.PATH_UNKNOWN, "Pages are served on another port.")
        if int(exchange.headers.get(b"content-length") or 0) > PAGE_BODY_BYTES_MAX:
            return page_too_large()
        return None

    def head_again(self, exchange: Exchange, *, is_read: bool = True) -> Fault | None:
        """As ``head``, for a head that is known. ``is_read``: what ``find_key`` said."""
        digest = exchange.digest
        assert digest is not None
        try:
            caller = caller_of(digest, self.snapshot_get, self.now())
            if caller.header_only or caller.networks:
                self._check_origin(exchange, caller)
        except Fault as fault:
            return fault if is_read else unread()
        exchange.caller = caller
        return None

    def _caller(self, exchange: Exchange, digest: bytes) -> Caller:
        """Whose key it is, if it may be used now and from where it came. Raises ``Fault``."""
        caller = caller_of(digest, self.snapshot_get, self.now())
        self._check_origin(exchange, caller)
        return caller

    def _check_origin(self, exchange: Exchange, caller: Caller) -> None:
        """Check how and from where a key came. Raises ``Fault`` (NOT_PERMITTED)."""
        if caller.header_only and from_query(exchange):
            raise Fault(Kind.NOT_PERMITTED, "This key is taken in a header only, never as `?key=`.")
        if caller.networks:
            forwarded = exchange.values(b"x-forwarded-for")
            addresses.check(caller, exchange.line.peer, forwarded, self._trusted_proxies)

    def dispatch(self, exchange: Exchange) -> None:
        """Serve a whole request."""
        target = exchange.target
        if idempotent.HEADER in exchange.headers and idempotent.takes(exchange, self.services):
            assert self.services is not None
            self._run(exchange, idempotent.serve(exchange, self.services, self.dispatch))
        elif len(exchange.body) > json_size.LARGE_BYTES:
            self._run(exchange, dispatch.check_body(exchange, self.limits, self._dispatch))
        elif isinstance(target, Route) and not self._hooks:
            self._begins.add((exchange, target))
        else:
            self._dispatch(exchange)

    def _options(self, exchange: Exchange) -> None:
        """Known path or not: a browser must be let through to read what the answer says."""
        methods = allowed(exchange.path)
        exchange.extra += self._cors.preflight(exchange)
        if methods != "":
            exchange.extra.append((b"allow", (methods or "OPTIONS").encode()))
        exchange.answer(204, b"")

    def _begin(self, exchange: Exchange, route: Route) -> None:
        if self._hooks:
            self._run(exchange, hooks.ask(exchange, route, self._hooks, self._begins.add))
        else:
            self._begins.add((exchange, route))

    def _dispatch(self, exchange: Exchange) -> None:
        target = exchange.target
        if isinstance(target, Route):
            self._begin(exchange, target)
        elif exchange.method == "OPTIONS":
            self._options(exchange)
        elif isinstance(target, RootRoute):
            self._root(exchange)
        elif isinstance(target, PageRoute):
            self._run(exchange, self._page(exchange))
        else:
            assert self.services is not None
            work = dispatch.serve(exchange, target, self.services)
            if work is not None:
                self._run(exchange, work)

    def _run(self, exchange: Asked, work: Any) -> None:
        # the connection holds the exchange, and that the task, for as long as it runs
        # a task without a name is given one with its number, which costs as much as the rest
        exchange.task = asyncio.Task(work, loop=self._loop, name="exchange")

    def _root(self, exchange: Exchange) -> None:
        """Clients probe it; people who type the address are led to their pages."""
        if self._people and _reads_html(exchange):
            exchange.extra += [(b"location", b"/account"), (b"vary", b"accept")]
            exchange.answer(303, b"")
        else:
            exchange.answer(200, b'{"name":"trivium","openapi":"/openapi.json"}')

    async def _page(self, exchange: Exchange) -> None:
        try:
            await self._application_ready.wait()
            assert self.application is not None
            peer, trusted = exchange.line.peer, self._trusted_proxies
            found = addresses.origin(peer, exchange.values(b"x-forwarded-for"), trusted)
            proto = exchange.values(b"x-forwarded-proto")
            scheme = addresses.scheme(self._scheme, peer, proto, trusted)
            handed = await asgi.serve(exchange, self.application, scheme, str(found or ""))
            if handed is not None and not exchange.gone:
                dispatch.take_over(exchange, handed, self)
        except asyncio.CancelledError:
            if not exchange.gone:
                exchange.fail(Fault(Kind.STOPPING, "The gateway is restarting; try again."))
        except Exception:
            log.exception("page_failed", request_id=exchange.request_id)
            exchange.fail(errors.internal())

    def _tick(self) -> None:
        # before the work: whatever that raises, time limits are kept
        self._ticker = self._loop.call_later(TICK_S, self._tick)
        now = self.time()
        self.date_line = b"date: %b\r\n" % email.utils.formatdate(self.now(), usegmt=True).encode()
        self._each(lambda connection: connection.tick(now))


def _guarded(connection: CallerConnection, act: Callable[[CallerConnection], bool | None]) -> bool:
    try:
        return bool(act(connection))
    except Exception as error:  # noqa: BLE001 - told in the log
        connection.crash(error)
        return False


def _reads_html(exchange: Exchange) -> bool:
    return b"text/html" in exchange.headers.get(b"accept", b"")
