"""The ports of one worker: sockets, their limits, TLS."""

import contextlib
import socket
from collections.abc import Sequence
from typing import Any

import msgspec

from trivium.admission.addresses import networks
from trivium.clock import SystemClock
from trivium.edge.body_memory import BodyMemory
from trivium.edge.cors import Cors
from trivium.edge.limits import ServerLimits
from trivium.edge.listener import Listener
from trivium.settings.model import ServerSettings, Settings
from trivium.uploads.spool import Room
from trivium.wiring.files import server_tls


async def listen(
    settings: Settings,
    stack: contextlib.AsyncExitStack,
    sockets: Sequence[Sequence[socket.socket]] = (),
) -> tuple[list[Listener], list[str]]:
    """Open every port; returns the listeners and the origins they serve. Raises OSError, whose note
    is the address that cannot be used.
    """
    server = settings.server
    tls_context = server_tls(server)
    scheme = "https" if tls_context else "http"
    addresses = [(server.listen, False)]
    if server.admin_listen:
        addresses.append((server.admin_listen, True))
    room = Room(server.upload_folder, server.upload_memory_bytes, server.uploads_bytes_max)
    kept = BodyMemory(server.bodies_bytes_max)
    listeners: list[Listener] = []
    origins: list[str] = []
    for number, (address, pages_only) in enumerate(addresses):
        listener = Listener(
            limits=edge_limits(server),
            clock=SystemClock(),
            cors=Cors(server.cors_origins),
            query_key=server.query_key,
            pages_only=pages_only,
            people=pages_only or not server.admin_listen,
            scheme=scheme,
            trusted_proxies=networks(server.trusted_proxies),
            room=room,
            kept=kept,
        )
        stack.callback(listener.close)
        bound: list[tuple[str, int]] = []
        for where in _where(address, sockets[number] if sockets else ()):
            try:
                bound += await listener.listen(
                    backlog=server.backlog,
                    ssl=tls_context,
                    # what has not shaken hands is no connection of the listener's yet
                    ssl_handshake_timeout=server.header_timeout_s if tls_context else None,
                    **where,
                )
            except OSError as error:
                error.add_note(address)
                raise
        listeners.append(listener)
        origins += [f"{scheme}://{f'[{h}]' if ':' in h else h}:{p}" for h, p in bound]
    return listeners, origins


def _where(address: str, given: Sequence[socket.socket]) -> list[dict[str, Any]]:
    """Return the arguments for a listener: the sockets that exist already, or an address."""
    if given:
        return [{"sock": sock} for sock in given]
    host, _, port = address.rpartition(":")
    return [{"host": host.strip("[]") or None, "port": int(port)}]


def edge_limits(server: ServerSettings) -> ServerLimits:
    """Return the limits of one connection: they have the names of the settings."""
    limits = msgspec.convert(server, ServerLimits, from_attributes=True)
    return msgspec.structs.replace(limits, half_closed_cancels=server.half_closed == "cancel")
