"""From an origin to a usable connection: names, addresses raced, a proxy's tunnel, TLS."""

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import Final, TypeVar, cast

import aiohappyeyeballs
import structlog

from trivium.faults import Fault, Kind
from trivium.upstream import proxy
from trivium.upstream.request import Origin
from trivium.upstream.resolve import Resolver

_log = structlog.get_logger(__name__)

EYEBALLS_DELAY_S: Final = 0.25
"""Head start of each address over the next (RFC 8305, section 8)."""

_Protocol = TypeVar("_Protocol")


class Connector:
    """Makes connections: races addresses, which uvloop does not, then hands over the socket."""

    def __init__(self, resolver: Resolver, tls: Callable[[], ssl.SSLContext]) -> None:
        """``tls`` is called when a connection needs it: authorities take a while to load."""
        self._resolver = resolver
        self._tls = tls

    async def connect(
        self, origin: Origin, limit_s: float, make: Callable[[], _Protocol]
    ) -> _Protocol:
        """A connected protocol. Raises ``Fault``; cancelled, it leaves no socket behind."""
        limit = asyncio.timeout(limit_s)
        try:
            async with limit:
                return await self._connect(origin, make)
        except TimeoutError as error:
            # the kernel's own time-out of an address is a TimeoutError as well
            if limit.expired():
                raise Fault(
                    Kind.UPSTREAM_TIMEOUT,
                    "No connection to the upstream came about within "
                    f"{limit_s:g} s (connect limit).",
                ) from None
            raise self._unreachable(origin, error) from error
        except (OSError, RuntimeError, ValueError) as error:
            # uvloop raises RuntimeError and idna ValueError where asyncio has OSError
            raise self._unreachable(origin, error) from error

    async def _connect(self, origin: Origin, make: Callable[[], _Protocol]) -> _Protocol:
        loop = asyncio.get_running_loop()
        sock = await self._socket(origin)
        secure = origin.scheme == "https"
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            _, protocol = await loop.create_connection(
                cast("Callable[[], asyncio.BaseProtocol]", make),
                sock=sock,
                ssl=self._tls() if secure else None,
                server_hostname=origin.host if secure else None,
            )
        except BaseException:
            sock.close()
            raise
        return cast("_Protocol", protocol)

    async def _socket(self, origin: Origin) -> socket.socket:
        if origin.proxy is None:
            return await self._race(origin.host, origin.port)
        split = proxy.parse(origin.proxy)
        if split.scheme == "socks5":
            return await proxy.socks_tunnel(origin.proxy, origin.host, origin.port)
        sock = await self._race(*proxy.address(split))
        try:
            await proxy.connect_tunnel(sock, split, origin.host, origin.port)
        except BaseException:
            sock.close()
            raise
        return sock

    async def _race(self, host: str, port: int) -> socket.socket:
        addresses = await self._resolver.resolve(host, port)
        try:
            return await aiohappyeyeballs.start_connection(
                addresses, happy_eyeballs_delay=EYEBALLS_DELAY_S
            )
        except (OSError, RuntimeError):
            self._resolver.forget(host, port)
            raise

    def _unreachable(self, origin: Origin, error: Exception) -> Fault:
        """The caller learns that, the log learns why."""
        if isinstance(error, socket.gaierror):
            step = "name"
        elif isinstance(error, ssl.SSLError):
            step = "TLS"
        elif isinstance(error, proxy.ProxyError):
            step = "proxy"
        else:
            step = "connect"
        _log.warning(
            "upstream_unreachable",
            host=origin.host,
            port=origin.port,
            proxied=origin.proxy is not None,
            step=step,
            error=str(error),
        )
        return Fault(Kind.UPSTREAM_UNREACHABLE, "The upstream could not be reached.")
