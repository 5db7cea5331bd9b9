"""Several workers: forked from one warm process, watched, restarted, told what we are told.

Each worker listens by itself on the same address (``SO_REUSEPORT``), so the kernel spreads
connections and no worker waits for another. The supervisor imports everything first, freezes what
it has so that the collector does not unshare the pages, and forks. It never serves itself.

Workers are put in process groups of their own: Ctrl-C reaches the supervisor alone, which passes
it on once. Each holds the reading end of a pipe nobody writes to; should the supervisor be killed,
the pipe closes and the workers drain and end, instead of staying behind without anyone to restart
them.
"""

import asyncio
import contextlib
import gc
import os
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

import msgspec

from trivium.cli.database import opened
from trivium.cli.ending import ending
from trivium.cli.output import note
from trivium.cli.serve import Ready, announce, run_worker, unlistenable
from trivium.settings.model import Settings, Storage
from trivium.settings.syntax import host_port

STEADY_S: Final = 10.0
"""A worker that lived this long did not die of its start: its successor starts at once."""
DELAY_FIRST_S: Final = 0.1
DELAY_MAX_S: Final = 10.0
GRACE_S: Final = 10.0
"""Beyond ``server.drain_s``, before a worker that does not end is killed."""
PASSED_ON: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def supervise(settings: Settings, path: Path | None) -> int:
    """Serve with ``server.workers`` processes until told to stop; the exit code. Raises Failed."""
    # once here, where a stale schema ends the start, and not in each worker after it has listened
    asyncio.run(_migrated(settings.storage))
    listen, reserved = reserve(settings.server.listen)
    settings = msgspec.structs.replace(
        settings, server=msgspec.structs.replace(settings.server, listen=listen)
    )
    _import_all()
    with contextlib.closing(reserved):
        return Supervisor(
            lambda ready: run_worker(settings, path, ready),
            workers=settings.server.workers,
            stop_s=settings.server.drain_s + GRACE_S,
        ).run()


def reserve(listen: str) -> tuple[str, socket.socket]:
    """Make sure that nobody else listens there, and keep it so: the address and a socket to hold.

    With ``SO_REUSEPORT`` a second gateway could take the same port unnoticed and half of the
    callers, so the first look is without it. Port 0 becomes a number all workers share.
    Raises Failed.
    """
    host, port = host_port(listen)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            port = probe.getsockname()[1]
        held = socket.socket(family, socket.SOCK_STREAM)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind((host, port))
    except OSError as exc:
        raise unlistenable(exc, listen) from exc
    return f"{listen.rpartition(':')[0]}:{port}", held


async def _migrated(storage: Storage) -> None:
    """See to the tables. Raises the storage errors."""
    async with opened(storage):
        pass


def _import_all() -> None:
    """Load once what every worker needs, and keep the collector off it."""
    import trivium.storage.database
    import trivium.wiring.serve  # noqa: F401 - for its own imports

    gc.collect()
    gc.freeze()


class Worker(msgspec.Struct):
    """One child process."""

    started: float
    """Monotonic seconds."""
    delay: float
    """Seconds its successor will wait if it dies young."""
    ready: bool = False


class Supervisor:
    """Keeps a number of children alive until it is told to end."""

    def __init__(
        self, run: Callable[[Ready], int], *, workers: int, stop_s: float = GRACE_S
    ) -> None:
        self._run = run
        self._wanted = workers
        self._stop_s = stop_s
        self._living: dict[int, Worker] = {}
        self._due: list[tuple[float, float]] = []
        """(when to start, its delay) of successors."""
        self._announced = False
        self._stopping: float | None = None
        """When the ones still living are killed; ``None`` while serving."""
        self._code = 0
        self._wake_read, self._wake_write = _pipe()
        self._ready_read, self._ready_write = _pipe()
        self._life_read, self._life_write = _pipe()

    def run(self) -> int:
        """Start, watch, stop; the worst exit code of a worker, 0 when all ended as told."""
        previous = {number: signal.signal(number, _noted) for number in PASSED_ON}
        previous[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, _noted)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        try:
            for _ in range(self._wanted):
                self._start(DELAY_FIRST_S)
            while self._living or (self._due and self._stopping is None):
                self._turn()
        finally:
            signal.set_wakeup_fd(-1)
            for number, handler in previous.items():
                signal.signal(number, handler)
            for end in (
                *(self._wake_read, self._wake_write),
                *(self._ready_read, self._ready_write),
                *(self._life_read, self._life_write),
            ):
                os.close(end)
        return self._code

    def _turn(self) -> None:
        """Wait for whatever comes next and act on it."""
        moments = [when for when, _ in self._due]
        if self._stopping is not None:
            moments = [self._stopping]
        wait = max(0.0, min(moments) - time.monotonic()) if moments else None
        readable, _, _ = select.select([self._wake_read, self._ready_read], [], [], wait)
        if self._ready_read in readable:
            self._greet()
        if self._wake_read in readable:
            for number in os.read(self._wake_read, 256):
                if number in PASSED_ON:
                    self._pass_on(signal.Signals(number))
        self._collect()
        now = time.monotonic()
        if self._stopping is not None:
            if now >= self._stopping:
                self._kill()
            return
        late = [item for item in self._due if item[0] <= now]
        self._due = [item for item in self._due if item[0] > now]
        for _, delay in late:
            self._start(delay)

    def _start(self, delay: float) -> None:
        """Fork one worker. Signals wait meanwhile, so that none is lost between the two worlds."""
        signal.pthread_sigmask(signal.SIG_BLOCK, (*PASSED_ON, signal.SIGCHLD))
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            self._child()
        self._living[pid] = Worker(time.monotonic(), delay)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (*PASSED_ON, signal.SIGCHLD))

    def _child(self) -> NoReturn:
        """Be a worker, and never return into the supervisor's code."""
        code = 1
        try:
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the worker can read settings again
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (*PASSED_ON, signal.SIGCHLD))
            for end in (self._wake_read, self._wake_write, self._ready_read, self._life_write):
                os.close(end)
            threading.Thread(target=_end_with, args=(self._life_read,), daemon=True).start()
            code = self._run(self._tell)
        except BaseException as exc:  # noqa: BLE001 - above is a copy of the supervisor
            if ending(exc) is None:
                traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _tell(self, origins: list[str]) -> None:
        """The worker's side of :meth:`_greet`; one write this short is never torn."""
        os.write(self._ready_write, f"{os.getpid()} {','.join(origins)}\n".encode())

    def _greet(self) -> None:
        """Note who listens; once all do, say so."""
        origins: list[str] = []
        for line in os.read(self._ready_read, 65_536).decode().splitlines():
            pid, _, names = line.partition(" ")
            origins = names.split(",")
            if worker := self._living.get(int(pid)):
                worker.ready = True
        ready = len(self._living) == self._wanted and all(w.ready for w in self._living.values())
        if ready and not self._announced and self._stopping is None:
            self._announced = True
            announce(origins)

    def _pass_on(self, number: signal.Signals) -> None:
        """Tell every worker; anything but SIGHUP also ends us."""
        for pid in self._living:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        if number != signal.SIGHUP and self._stopping is None:
            self._stopping = time.monotonic() + self._stop_s

    def _kill(self) -> None:
        """End those that did not drain in time."""
        for pid in self._living:
            note(f"worker {pid} did not end in time; killing it")
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._code = max(self._code, 1)
        self._stopping = time.monotonic() + GRACE_S

    def _collect(self) -> None:
        """Bury the dead and plan their successors."""
        while self._living:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            worker = self._living.pop(pid, None)
            if worker is not None:
                self._ended(pid, worker, os.waitstatus_to_exitcode(status))

    def _ended(self, pid: int, worker: Worker, code: int) -> None:
        if self._stopping is not None:
            # one that was told to end before it could listen for that ends by the signal itself
            told = code in (-signal.SIGTERM, -signal.SIGINT) and not worker.ready
            self._code = max(self._code, 0 if told else abs(code))
            return
        if not self._announced and not worker.ready:
            # it said why; its successors would die of the same
            self._code = abs(code) or 1
            self._pass_on(signal.SIGTERM)
            return
        now = time.monotonic()
        young = now - worker.started < STEADY_S
        pause = worker.delay if young else 0.0
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        note(f"worker {pid} ended ({how}); starting another in {pause:g} s")
        follow = min(worker.delay * 2, DELAY_MAX_S) if young else DELAY_FIRST_S
        self._due.append((now + pause, follow))


def _noted(number: int, frame: object) -> None:
    """The wake-up descriptor carries the number; the handler need only exist."""
    del number, frame


def _pipe() -> tuple[int, int]:
    """A pipe that neither blocks its writer nor outlives an exec."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    os.set_blocking(read, True)
    return read, write


def _end_with(life: int) -> None:
    """Wait for the supervisor's end, then do as told by SIGTERM."""
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)
