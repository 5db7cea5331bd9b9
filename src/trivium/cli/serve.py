"""``trivium serve``: one worker in this process, or several below a supervisor."""

import asyncio
import errno
import os
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.output import Failed, as_log_lines, note
from trivium.observe import logs
from trivium.settings.model import Logs, Settings

if TYPE_CHECKING:
    from trivium.observe.metrics.places import Places

Ready = Callable[[list[str]], None]
"""Told the origins of a worker."""


def _unheard(_: list[str]) -> None:
    """Ignore the origins, where no supervisor waits for them."""


def serve(
    config_: config.ConfigOption = None,
    listen: config.ListenOption = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Worker processes instead of server.workers; more than one needs shared.url.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve callers.

    Until SIGTERM or Ctrl-C, after which running answers are finished first. SIGHUP reads the
    settings file again; with several workers SIGUSR2 replaces them one by one.
    """
    raise typer.Exit(run(config_, listen, workers))


_OPTIONS: Final = ("--config", "--listen", "--workers")


def plain(argv: Sequence[str]) -> tuple[Path | None, str | None, int | None] | None:
    """What ``run`` takes, of ``serve`` with whole options and plain values; ``None`` for the rest.

    Typer reads options through pydantic, 200 ms and 4 MB of a process that serves for months. It is
    left to whatever needs it: help, mistakes, anything unusual.
    """
    found: dict[str, str] = {}
    if argv[:1] != ["serve"]:
        return None
    words = iter(argv[1:])
    for word in words:
        name, equals, value = word.partition("=")
        if name not in _OPTIONS or name in found:
            return None
        value = value if equals else next(words, "")
        if not value or value.startswith("-"):
            return None
        found[name] = value
    config_, workers = found.get("--config"), found.get("--workers")
    if workers is not None and not (workers.isascii() and workers.isdigit()):
        return None
    return (
        None if config_ is None else Path(config_),
        found.get("--listen"),
        None if workers is None else int(workers),
    )


def run(config_: Path | None, listen: str | None, workers: int | None) -> int:
    """Serve until told to stop; returns the exit code."""
    flags = {
        "server.listen": listen,
        "server.workers": None if workers is None else str(workers),
    }
    loaded, path = config.read(config_, flags=flags, quiet=True)
    _speak(loaded.settings.logs)
    if path is None:
        note(config.DEFAULTS)
    if loaded.settings.server.workers > 1:
        from trivium.cli.workers import supervise

        return supervise(
            loaded.settings, path, lambda: config.read(config_, flags=flags, quiet=True)[0].settings
        )
    return run_worker(loaded.settings, path, ready=announce)


def _speak(settings: Logs) -> None:
    """Write all messages from now on as lines of the log, if programs read standard error."""
    logs.setup_process(settings.level, settings.format)
    if not logs.is_text(settings.format, sys.stderr):
        as_log_lines(logs.say)


def announce(origins: list[str]) -> None:
    """Print the one line that says where the gateway listens."""
    note(f"trivium is listening on {', '.join(origins)} (pid {os.getpid()})")


def run_worker(
    settings: Settings,
    path: Path | None,
    *,
    ready: Ready = _unheard,
    serving: Ready = _unheard,
    sockets: Sequence[Sequence[socket.socket]] = (),
    places: "Places | None" = None,
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


def unlistenable(exc: OSError, listen: str) -> Failed:
    """Return why the gateway could not start, and what to do about it."""
    if exc.filename is not None:  # of some file: what else it needs is no port
        return Failed(f"cannot start: {exc.filename}: {exc.strerror}")
    why = "this machine has no such address; 0.0.0.0 stands for all it has"
    if not isinstance(exc, socket.gaierror):
        why = _REASONS.get(exc.errno or 0, "")
    if why:
        return Failed(f"cannot listen on {listen}: {why}")
    return Failed(f"cannot start: {exc}")


_REASONS: Final = {
    errno.EADDRINUSE: "another program listens there; choose another with --listen HOST:PORT",
    errno.EACCES: "ports below 1024 need a privilege; choose another with --listen HOST:PORT",
    errno.EADDRNOTAVAIL: "this machine has no such address; 0.0.0.0 stands for all it has",
}
