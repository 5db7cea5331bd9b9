"""A worker's life in this process: alone below ``trivium serve``, or one of several."""

import asyncio
import errno
import os
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trivium.cli.interpreter import remark
from trivium.cli.output import CommandFailed, note
from trivium.settings.model import Settings

if TYPE_CHECKING:
    from trivium.observe.metrics.shared_memory import SharedNumbers

Ready = Callable[[list[str]], None]
"""Told the origins of a worker."""


def _unheard(_: list[str]) -> None:
    """Ignore the origins, where no supervisor waits for them."""


def announce(origins: list[str]) -> None:
    """Print the one line that says where the gateway listens, and when its Python is a slow one."""
    note(f"trivium is listening on {', '.join(origins)} (pid {os.getpid()}){remark()}")


def run_worker(
    settings: Settings,
    path: Path | None,
    *,
    ready: Ready = _unheard,
    serving: Ready = _unheard,
    sockets: Sequence[Sequence[socket.socket]] = (),
    places: "SharedNumbers | None" = None,
) -> int:
    """Serve in this process on an event loop of its own; the exit code. Raises Failed.

    ``ready`` is told when the ports are open, ``serving`` when requests run. ``sockets``: those to
    listen on, a list for each address; empty: it opens its own. ``places``: where other workers
    leave their numbers; ``None``: there are none.
    """
    from trivium.wiring.serve import serve

    try:
        import uvloop
    except ImportError:  # no wheel for this platform: asyncio's own loop does the same, slower
        factory = None
    else:
        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        try:
            return runner.run(
                serve(
                    settings,
                    config_path=path,
                    ready=ready,
                    serving=serving,
                    sockets=sockets,
                    places=places,
                )
            )
        except OSError as exc:
            where = next(iter(getattr(exc, "__notes__", ())), settings.server.listen)
            raise unlistenable(exc, where) from exc


def unlistenable(exc: OSError, listen: str) -> CommandFailed:
    """Return why the gateway could not start, and what to do about it."""
    if exc.filename is not None:  # of some file: what else it needs is no port
        return CommandFailed(f"cannot start: {exc.filename}: {exc.strerror}")
    why = "this machine has no such address; 0.0.0.0 stands for all it has"
    if not isinstance(exc, socket.gaierror):
        why = _REASONS.get(exc.errno or 0, "")
    if why:
        return CommandFailed(f"cannot listen on {listen}: {why}")
    return CommandFailed(f"cannot start: {exc}")


_REASONS: Final = {
    errno.EADDRINUSE: "another program listens there; choose another with --listen HOST:PORT",
    errno.EACCES: "ports below 1024 need a privilege; choose another with --listen HOST:PORT",
    errno.EADDRNOTAVAIL: "this machine has no such address; 0.0.0.0 stands for all it has",
}
