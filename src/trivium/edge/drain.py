"""Closing a listening socket without losing whoever has connected.

The kernel makes connections by itself and keeps them in the socket's queue until they are accepted;
those in the queue when the last descriptor of the socket is closed are reset, though their callers
may have sent a request already. So nobody is let in any more, then the queue is emptied, then the
socket is closed.
"""

import asyncio
import contextlib
import ctypes
import os
import select
import socket
import struct
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

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


FLAGS_AT: Final = 13
"""Where a TCP segment's flags are."""
SYN: Final = 0x02
SYN_ACK: Final = 0x12
NO_SYN: Final = (
    (0x30, 0, 0, FLAGS_AT),  # load the byte of the flags
    (0x54, 0, 0, SYN_ACK),  # of these two alone
    (0x15, 0, 1, SYN),  # a caller's first segment?
    (0x06, 0, 0, 0),  # drop it
    (0x06, 0, 0, 0xFFFF_FFFF),  # take all of any other
)
"""A filter of the classic kind, which needs no privilege: (code, jump if, jump else, operand)."""
ATTACH_FILTER: Final = 26
"""Linux's ``SO_ATTACH_FILTER``, which the standard library does not name."""

TURN_S: Final = 0.02
HANDSHAKE_TURNS: Final = 5
"""For callers whose handshake had begun when nobody was let in any more; a few round trips."""
EMPTY_TURNS: Final = 50
"""The most that emptying a queue may take: nothing comes in while we wait. Turns of the loop, as
each accepts: a clock would also count what passes while this process is held up.
"""


def let_nobody_in(sock: socket.socket) -> bool:
    """Have the kernel drop first segments to a listening socket; whether it will.

    Whoever is dropped tries again within a second, and is refused then or let in elsewhere. Holds
    for every process that has the socket. Only Linux can.
    """
    if not sys.platform.startswith("linux"):
        return False
    program = ctypes.create_string_buffer(b"".join([struct.pack("HBBI", *row) for row in NO_SYN]))
    with contextlib.suppress(OSError):
        # struct sock_fprog: how many, and where
        where = struct.pack("HP", len(NO_SYN), ctypes.addressof(program))
        sock.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER, where)
        return True
    return False


def shut(servers: Iterable[Any], *, shared: bool) -> list[int]:
    """Let nobody in at the sockets of servers; returns their descriptors. ``shared``: others have
    them as well, and say when.
    """
    fds: list[int] = []
    for server in servers:
        # a tuple says asyncio's type, which compiled code takes at its word, and uvloop's is a list
        # of no whole sockets, which close with the server
        for sock in list(server.sockets):
            fds.append(sock.fileno())
            if not shared:
                with contextlib.closing(socket.socket(fileno=os.dup(fds[-1]))) as own:
                    let_nobody_in(own)
    return fds


async def emptied(fds: Sequence[int]) -> None:
    """Wait until nobody is left in the queues of listening sockets that this loop accepts from."""
    for turn in range(EMPTY_TURNS):
        await asyncio.sleep(TURN_S)
        if turn >= HANDSHAKE_TURNS and not _waiting(fds):
            return


def _waiting(fds: Sequence[int]) -> bool:
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    return bool(poll.poll(0))
