"""A tunnel through a proxy: HTTP CONNECT or SOCKS5, for ``http`` and ``https`` upstreams alike.

The proxy resolves the upstream's name. CONNECT is written here, because the reply must be read to
its end and not one byte further, however it is cut; SOCKS5 is python-socks'.
"""

import asyncio
import base64
import socket
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

REPLY_BYTES_MAX: Final = 16_384
"""A proxy's reply to CONNECT: status line and headers."""

PORTS: Final = {"http": 80, "socks5": 1080}


class ProxyError(OSError):
    """The proxy refused, or what it said makes no sense. The text names no host."""


def parse(url: str) -> SplitResult:
    """A proxy's address, checked. Raises ``ValueError`` naming what would be right."""
    split = urlsplit(url)
    if split.scheme not in PORTS or not split.hostname:
        raise ValueError(
            "a proxy is written http://HOST:PORT or socks5://HOST:PORT, "
            "with USER:PASSWORD@ before the host if it wants them"
        )
    split.port  # noqa: B018 - raises ValueError for a port that is none
    return split


def address(split: SplitResult) -> tuple[str, int]:
    """Host and port to connect to."""
    return split.hostname or "", split.port or PORTS[split.scheme]


async def connect_tunnel(sock: socket.socket, split: SplitResult, host: str, port: int) -> None:
    """Ask an HTTP proxy, on a connected socket, for a tunnel. Raises ``ProxyError``."""
    loop = asyncio.get_running_loop()
    authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {authority} HTTP/1.1", f"Host: {authority}"]
    if split.username is not None:
        account = f"{unquote(split.username)}:{unquote(split.password or '')}"
        shown = base64.b64encode(account.encode()).decode()
        lines.append(f"Proxy-Authorization: Basic {shown}")
    await loop.sock_sendall(sock, ("\r\n".join(lines) + "\r\n\r\n").encode("ascii"))
    reply = b""
    while not reply.endswith(b"\r\n\r\n"):
        if b"\r\n\r\n" in reply:
            raise ProxyError("the proxy sent bytes before the tunnel was used")
        if len(reply) > REPLY_BYTES_MAX:
            raise ProxyError("the proxy's reply to CONNECT does not end")
        data = await loop.sock_recv(sock, 4096)
        if not data:
            raise ProxyError("the proxy closed the connection instead of opening a tunnel")
        reply += data
    status = reply.split(b"\r\n", 1)[0].split(b" ", 2)
    if len(status) < 2 or not status[0].startswith(b"HTTP/1.") or status[1][:1] != b"2":
        shown = b" ".join(status[1:])[:80].decode("ascii", "replace")
        raise ProxyError(f"the proxy refused the tunnel: {shown!r}")


async def socks_tunnel(url: str, host: str, port: int) -> socket.socket:
    """A socket that a SOCKS5 proxy has connected. Raises ``OSError``."""
    from python_socks import ProxyError as SocksError
    from python_socks.async_.asyncio import Proxy

    split = parse(url)
    at, on = address(split)
    account = (split.username, split.password)
    user, password = (None if part is None else unquote(part) for part in account)
    from python_socks import ProxyType

    tunnel = Proxy(ProxyType.SOCKS5, at, on, user, password, rdns=True)
    try:
        return await tunnel.connect(host, port)
    except SocksError as error:
        raise ProxyError(f"the proxy refused: {error}") from error
