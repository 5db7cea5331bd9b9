"""Journals of workers that are gone: found by their locks, read whole, removed when booked."""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Final

from trivium.ledger.journal import SUFFIX, read
from trivium.ledger.model import Settlement

REFUSED: Final = ".refused"
"""Suffix of a journal that somebody has to look at."""
INTERRUPTED: Final = "interrupted"
"""Note of an entry whose request nobody lived to settle."""


class Leftover:
    """One dead worker's files, locked by us."""

    def __init__(self, worker: str, files: list[tuple[int, Path]]) -> None:
        self.worker = worker
        self._files = files
        found = read(path.read_bytes() for _, path in files)
        self.damaged = found.damaged
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
                )
                for hold in found.holds.values()
            ),
        ]
        """Everything to be booked."""

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


def leftovers(folder: Path, own: str) -> list[Leftover]:
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
        files = _locked(paths)
        if files:
            found.append(Leftover(worker, files))
    return found


def _locked(paths: list[Path]) -> list[tuple[int, Path]]:
    """Descriptors that hold the lock of every file that is still there; none when one is held."""
    files: list[tuple[int, Path]] = []
    for path in paths:
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        files.append((fd, path))
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _close(files)
            return []
    # whoever was done with them first has removed them
    if any(not path.exists() for _, path in files):
        _close(files)
        return []
    return files


def _close(files: list[tuple[int, Path]]) -> None:
    for fd, _ in files:
        os.close(fd)
