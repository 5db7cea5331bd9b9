"""Journals of workers that are gone: found by their locks, read whole, removed when booked."""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Final

import structlog

from trivium.ledger.journal import SUFFIX, read
from trivium.ledger.model import Settlement

REFUSED: Final = ".refused"
"""Suffix of a journal that somebody has to look at."""
DAMAGED: Final = ".damaged"
"""Suffix of the lines of a journal that could not be read."""
INTERRUPTED: Final = "interrupted"
"""Note of an entry whose request nobody lived to settle."""

log = structlog.get_logger()


class OrphanJournal:
    """One dead worker's files, locked by us."""

    def __init__(self, worker: str, files: list[tuple[int, Path]]) -> None:
        self.worker = worker
        self._files = files
        found = read(path.read_bytes() for _, path in files)
        self.damaged = len(found.damaged)
        self._damaged = found.damaged
        self.interrupted = len(found.holds)
        self.settlements = [
            *found.settlements.values(),
            *(
                Settlement(
                    hold.request_id,
                    hold.user_id,
                    hold.interrupted_nanos,
                    hold.at,
                    INTERRUPTED,
                    hold.detail,
                    hold.counters,
                    hold.who,
                )
                for hold in found.holds.values()
            ),
        ]
        """Everything to be booked."""

    def keep_damaged(self) -> None:
        """Write the lines that could not be read into a file beside the journal, and say so.

        Raises OSError.
        """
        if not self._damaged:
            return
        path = self._files[0][1].with_name(self.worker + DAMAGED)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(b"\n".join([*self._damaged, b""]))
        log.error("journal_damaged", worker=self.worker, lines=self.damaged, file=str(path))

    def remove(self) -> None:
        """All of it is in the database."""
        for _, path in self._files:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
        self.close()

    def set_aside(self) -> None:
        """Not all of it could be booked: the files stay, under a name that nobody replays."""
        for _, path in self._files:
            path.rename(path.with_suffix(REFUSED))
        self.close()

    def close(self) -> None:
        """Let go of the files, which stay."""
        for fd, _ in self._files:
            os.close(fd)
        self._files = []


def orphan_journals(folder: Path, own: str) -> list[OrphanJournal]:
    """Every dead worker's journal below a folder, apart from our own. Raises OSError.

    A worker all of whose files can be locked is dead. Two that look at once: one gets the locks,
    the other sees a living worker and leaves it alone.
    """
    by_worker: dict[str, list[Path]] = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        worker = path.name.rpartition("-")[0]
        if worker and worker != own:
            by_worker.setdefault(worker, []).append(path)
    found = []
    for worker, paths in by_worker.items():
        try:
            leftover = _taken(worker, paths)
        except OSError as error:
            # somebody has to look at it; what others left is owed all the same
            log.error("journal_unreadable", worker=worker, error=str(error))  # noqa: TRY400 - it says all
            continue
        if leftover is not None:
            found.append(leftover)
    return found


def _taken(worker: str, paths: list[Path]) -> OrphanJournal | None:
    """A dead worker's journal, locked by us; ``None``: it lives, or somebody was faster."""
    with contextlib.ExitStack() as undo:
        files: list[tuple[int, Path]] = []
        for path in paths:
            try:
                fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            undo.callback(os.close, fd)
            files.append((fd, path))
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return None
        # whoever was done with them first has removed them
        if not files or any(not path.exists() for _, path in files):
            return None
        leftover = OrphanJournal(worker, files)
        undo.pop_all()
    return leftover
