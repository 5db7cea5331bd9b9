"""The sockets of workers, which outlive them: one set for each, held by the supervisor.

With ``SO_REUSEPORT`` the kernel deals connections out to the sockets that listen, when they come. A
socket that its worker closes takes those that it was dealt with it, before anybody has read them.
So no worker owns its sockets: who takes its place accepts from the same queue.
"""

import contextlib
import socket
from collections.abc import Sequence

from trivium.cli.worker import unlistenable
from trivium.edge import drain
from trivium.settings.syntax import host_port

Address = tuple[socket.AddressFamily, tuple[str, int]]
"""What a socket is bound to; a port of 0 has become a number."""


class WorkerSockets:
    """One worker's sockets: a list for each address that is listened on."""

    def __init__(self, addresses: Sequence[Sequence[Address]], backlog: int) -> None:
        self._addresses = addresses
        self._backlog = backlog
        self.sockets: list[list[socket.socket]] = []

    def open(self) -> None:
        """Listen, unless it listens already. Raises OSError."""
        if not self.sockets:
            self.sockets = [
                [_listening(address, self._backlog) for address in one] for one in self._addresses
            ]

    def let_nobody_in(self) -> None:
        """Make the kernel refuse new connections in all processes that listen here."""
        for one in self.sockets:
            for sock in one:
                drain.let_nobody_in(sock)

    def close(self) -> None:
        """Stop listening in this process."""
        for one in self.sockets:
            for sock in one:
                sock.close()
        self.sockets = []


class AllSockets:
    """The sockets of all workers, and a hold on the ports while none listens."""

    def __init__(self, listens: Sequence[str], count: int, backlog: int) -> None:
        """``listens``: a HOST:PORT each, where no other program may listen. Raises Failed."""
        self._held: list[socket.socket] = []
        addresses = [self._reserve(listen) for listen in listens]
        self.all = [WorkerSockets(addresses, backlog) for _ in range(count)]
        self.listen = [
            f"{listen.rpartition(':')[0]}:{found[0][1][1]}"
            for listen, found in zip(listens, addresses, strict=True)
        ]
        """As they were given, with numbers for ports of 0."""

    def close(self) -> None:
        """Close all sockets, and let other programs have the ports."""
        for slot in self.all:
            slot.close()
        for sock in self._held:
            sock.close()

    def _reserve(self, listen: str) -> list[Address]:
        """Make sure that nobody else listens there, and keep it so.

        With ``SO_REUSEPORT`` a second gateway could take the same port unnoticed and half of the
        callers, so the first look is without it.
        """
        host, port = host_port(listen)
        found: list[Address] = []
        try:
            for family, kind, *_, where in socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            ):
                with socket.socket(family, kind) as probe:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    _only_its_own(probe, family)
                    probe.bind((where[0], port))
                    port = probe.getsockname()[1]
                address = (family, (str(where[0]), port))
                self._held.append(_bound(address))
                found.append(address)
        except OSError as exc:
            raise unlistenable(exc, listen) from exc
        return found


def _listening(address: Address, backlog: int) -> socket.socket:
    sock = _bound(address, socket.SO_REUSEADDR)
    sock.listen(backlog)
    sock.setblocking(False)
    return sock


def _bound(address: Address, *more: int) -> socket.socket:
    """Return a bound socket. It gets ``SO_REUSEADDR`` only if it will listen, because a mere hold
    with that option would let other programs in.
    """
    family, where = address
    sock = socket.socket(family, socket.SOCK_STREAM)
    with contextlib.ExitStack() as undo:
        undo.callback(sock.close)
        for option in (socket.SO_REUSEPORT, *more):
            sock.setsockopt(socket.SOL_SOCKET, option, 1)
        _only_its_own(sock, family)
        sock.bind(where)
        undo.pop_all()
    return sock


def _only_its_own(sock: socket.socket, family: int) -> None:
    if family == socket.AF_INET6:
        # as asyncio does: the other family has a socket of its own
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
