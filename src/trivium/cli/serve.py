"""``trivium serve``: one worker in this process, or several below a supervisor."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.output import as_log_lines, note
from trivium.cli.worker import announce, run_worker
from trivium.observe import logs
from trivium.settings.model import LogsSettings


def serve(
    config_: config.ConfigOption = None,
    listen: config.ListenOption = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Worker processes instead of server.workers; more than one needs shared.url.",
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
    flags = {"server.listen": listen, "server.workers": None if workers is None else str(workers)}
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


def _speak(settings: LogsSettings) -> None:
    """Write all messages from now on as lines of the log, if programs read standard error."""
    logs.setup_process(settings.level, settings.format)
    if not logs.is_text(settings.format, sys.stderr):
        as_log_lines(logs.say)
