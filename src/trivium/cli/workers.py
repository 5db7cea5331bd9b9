"""Several workers: forked from one warm process, watched, restarted, told what we are told.

Each worker has a socket of its own on the same address (``SO_REUSEPORT``), so the kernel spreads
connections and no worker waits for another; the supervisor keeps these sockets
(``worker_sockets.py``). It imports everything first, freezes what it has so that the collector does
not unshare the pages, and forks. It never serves itself.

SIGUSR2 replaces the workers one by one: a new one reads the settings, takes its place beside the
old one and accepts from the same queue; once requests run there, the old one drains. One that does
not come to serve ends the replacing, and the old ones go on.

SIGTERM is passed on: workers tell whoever asks for their readiness that they go, and accept for
``server.drain_notice_s`` more. Then the supervisor has the kernel let nobody in any more and closes
its own descriptors; the workers accept who is left in their queues, close theirs and drain. In any
other order the kernel would take connections that nobody serves. A worker that still starts goes on
with that while anybody waits for it.

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
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NoReturn

import msgspec
import structlog

from trivium.cli.database import opened
from trivium.cli.output import CommandFailed, exit_code, note
from trivium.cli.worker import Ready, announce, run_worker
from trivium.cli.worker_sockets import AllSockets, WorkerSockets
from trivium.observe.metrics.shared_memory import SharedNumbers
from trivium.settings.model import ServerSettings, Settings, StorageSettings
from trivium.wiring.stop import ENDINGS

STEADY_S: Final = 10.0
"""A worker that lived this long did not die of its start: its successor starts at once."""
DELAY_FIRST_S: Final = 0.1
DELAY_MAX_S: Final = 10.0
GRACE_S: Final = 10.0
"""Beyond ``server.drain_s``, before a worker that does not end is killed."""
PASSED_ON: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
REPLACE: Final = signal.SIGUSR2
"""Has the supervisor replace its workers; from it, has a worker accept nothing more and drain."""
SIGNALS: Final = (*PASSED_ON, REPLACE, signal.SIGCHLD)


log = structlog.get_logger()


def supervise(settings: Settings, path: Path | None, read: Callable[[], Settings]) -> int:
    """Serve with ``server.workers`` processes until told to stop; returns the exit code.

    ``read`` returns the settings as they are now, which each new worker begins with. Raises Failed.
    """
    # once here, where a stale schema ends the start, and not in each worker after it has listened
    asyncio.run(_migrated(settings.storage))
    server = settings.server
    listens = [server.listen, *([server.admin_listen] if server.admin_listen else [])]
    slots = AllSockets(listens, server.workers, server.backlog)
    # while they are replaced there are two of each; those to come may count though these do not
    places = SharedNumbers(2 * server.workers)

    def run(serving: Ready, slot: WorkerSockets) -> int:
        # until it listens for them: callers may wait in its sockets already, and would be reset
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
        pinned = _pinned(read(), server, slots.listen)
        return run_worker(pinned, path, serving=serving, sockets=slot.sockets, places=places)

    _import_all()
    with contextlib.closing(slots):
        supervisor = Supervisor(
            run,
            slots.all,
            stop_s=server.drain_s + GRACE_S,
            notice_s=server.drain_notice_s,
            places=places,
        )
        return supervisor.run()


def _pinned(settings: Settings, server: ServerSettings, listens: Sequence[str]) -> Settings:
    """Return the settings with what the supervisor decided at its own start."""
    listen, *admin = listens
    pinned = msgspec.structs.replace(
        settings.server,
        listen=listen,
        admin_listen=admin[0] if admin else None,
        workers=server.workers,
    )
    return msgspec.structs.replace(settings, server=pinned)


async def _migrated(storage: StorageSettings) -> None:
    """Bring the tables up to date before any worker starts. Raises the storage errors."""
    async with opened(storage):
        pass


def _import_all() -> None:
    """Load once what every worker needs, and keep the collector off it."""
    import trivium.storage.database
    import trivium.wiring.serve  # noqa: F401 - for its own imports

    gc.collect()
    gc.freeze()


class Worker(msgspec.Struct):
    """What the supervisor knows of one child process."""

    started: float
    """Monotonic seconds."""
    delay: float
    """Seconds its successor will wait if it dies young."""
    slot: WorkerSockets
    ready: bool = False
    replaces: int | None = None
    """Whom it relieves once it serves."""
    until: float | None = None
    """When it is killed, having been relieved; ``None``: it serves on."""


class Supervisor:
    """Keeps a child for each slot alive until it is told to end."""

    def __init__(
        self,
        run: Callable[[Ready, WorkerSockets], int],
        slots: Sequence[WorkerSockets],
        *,
        stop_s: float = GRACE_S,
        notice_s: float = 0.0,
        places: SharedNumbers | None = None,
    ) -> None:
        self._run = run
        self._slots = slots
        self._places = places
        self._stop_s = stop_s
        self._notice_s = notice_s
        self._living: dict[int, Worker] = {}
        self._due: list[tuple[float, float, WorkerSockets]] = []
        """(when to start, its delay, its slot) of successors."""
        self._old: list[int] = []
        """Workers still to be relieved."""
        self._announced = False
        self._stopping: float | None = None
        """When the ones still living are killed; ``None`` while serving."""
        self._noticed: float | None = None
        """When nobody is let in any more; ``None`` while serving and from then on."""
        self._code = 0
        self._wake_read, self._wake_write = _pipe()
        self._ready_read, self._ready_write = _pipe()
        self._life_read, self._life_write = _pipe()

    def run(self) -> int:
        """Start the workers, watch them and stop them. Returns the worst exit code of a worker, 0
        when all ended as told. Raises Failed if not every worker can be started at first.
        """
        previous = {number: signal.signal(number, _noted) for number in SIGNALS}
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        try:
            for slot in self._slots:
                try:
                    self._start(DELAY_FIRST_S, slot)
                except OSError as exc:  # those that were made end with the pipe
                    raise CommandFailed(f"cannot start a worker: {exc.strerror}") from exc
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
        """Wait for the next signal, message or moment, and act on it."""
        moments = self._moments()
        wait = max(0.0, min(moments) - time.monotonic()) if moments else None
        readable, _, _ = select.select([self._wake_read, self._ready_read], [], [], wait)
        if self._ready_read in readable:
            self._greet()
        if self._wake_read in readable:
            self._obey(os.read(self._wake_read, 256))
        self._collect()
        now = time.monotonic()
        if self._stopping is not None:
            self._go_on_stopping(now)
            return
        late = [item for item in self._due if item[0] <= now]
        self._due = [item for item in self._due if item[0] > now]
        for _, delay, slot in late:
            try:
                self._start(delay, slot)
            except OSError as exc:  # too many processes or open files, no memory
                note(f"no worker can be started ({exc.strerror}); trying again in {delay:g} s")
                self._due.append((now + delay, min(delay * 2, DELAY_MAX_S), slot))
        for pid, worker in self._living.items():
            if worker.until is not None and worker.until <= now:
                worker.until = None
                self._kill(pid)

    def _moments(self) -> list[float]:
        """Return the times at which something has to be done without a signal."""
        if self._stopping is not None:
            return [self._stopping if self._noticed is None else self._noticed]
        moments = [when for when, *_ in self._due]
        return moments + [one.until for one in self._living.values() if one.until is not None]

    def _go_on_stopping(self, now: float) -> None:
        if self._noticed is not None and now >= self._noticed:
            self._let_go()
        if self._stopping is not None and now >= self._stopping:
            self._kill_all()

    def _obey(self, numbers: bytes) -> None:
        """Do what these signals ask for."""
        for number in numbers:
            if number in PASSED_ON:
                self._pass_on(signal.Signals(number))
            elif number == REPLACE:
                self._replace()

    def _start(self, delay: float, slot: WorkerSockets, replaces: int | None = None) -> None:
        """Fork one worker. Signals are blocked meanwhile, so that none is lost between the two
        processes. Raises OSError when there is no room for another process.
        """
        slot.open()
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            sys.stdout.flush()
            sys.stderr.flush()
            pid = os.fork()
            if pid == 0:
                self._child(slot)
            self._living[pid] = Worker(time.monotonic(), delay, slot, replaces=replaces)
            if self._places is not None:
                self._places.admit(pid)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def _child(self, slot: WorkerSockets) -> NoReturn:
        """Run as a worker, and never return into the supervisor's code."""
        code = 1
        try:
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            for number in (signal.SIGHUP, REPLACE):
                signal.signal(number, signal.SIG_IGN)  # until the worker can read settings again
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            for end in (self._wake_read, self._wake_write, self._ready_read, self._life_write):
                os.close(end)
            threading.Thread(target=_end_with, args=(self._life_read,), daemon=True).start()
            for other in self._slots:
                if other is not slot:
                    other.close()  # or it would listen on after its own worker has let go
            code = self._run(self._tell, slot)
        except BaseException as exc:
            if exit_code(exc) is None:
                if structlog.is_configured():
                    log.critical("worker_crashed", exc_info=exc)
                else:
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
        """Note which workers listen; once all do, announce it."""
        origins: list[str] = []
        for line in os.read(self._ready_read, 65_536).decode().splitlines():
            pid, _, names = line.partition(" ")
            origins = names.split(",")
            if worker := self._living.get(int(pid)):
                worker.ready = True
                if worker.replaces is not None:
                    self._relieve(worker.replaces)
        ready = len(self._living) == len(self._slots) and all(
            worker.ready for worker in self._living.values()
        )
        if ready and not self._announced and self._stopping is None:
            self._announced = True
            announce(origins)

    def _pass_on(self, number: signal.Signals) -> None:
        """Send a signal to every worker. Any but SIGHUP also ends the supervisor."""
        for pid in self._living:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        if number == signal.SIGHUP:
            return
        now = time.monotonic()
        if self._stopping is None:
            self._noticed = now + (0.0 if number == signal.SIGINT else self._notice_s)
            self._stopping = self._noticed + self._stop_s
            served = [one.slot for one in self._living.values()]
            for slot in self._slots:
                if not any(slot is one for one in served):
                    slot.close()  # nobody accepts there, and nobody will
        elif self._noticed is not None:  # told again: at once
            self._noticed = now

    def _let_go(self) -> None:
        """Refuse new connections, and leave those that are queued to the workers."""
        self._noticed = None
        for slot in self._slots:
            slot.let_nobody_in()
            slot.close()
        for pid in self._living:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, REPLACE)

    def _replace(self) -> None:
        """Begin to replace every worker, one by one."""
        if self._stopping is None and self._announced and not self._old:
            self._old = [pid for pid, one in self._living.items() if one.until is None]
            self._next()

    def _next(self) -> None:
        """Start the successor of the next worker that is to be replaced."""
        while self._old:
            pid = self._old[0]
            if pid in self._living:
                try:
                    self._start(DELAY_FIRST_S, self._living[pid].slot, replaces=pid)
                except OSError as exc:
                    note(f"no worker can be started ({exc.strerror}); the old ones go on")
                    self._old.clear()
                return
            self._old.pop(0)  # it ended by itself; its successor is a new one anyway
        note("all workers have been replaced")

    def _relieve(self, pid: int) -> None:
        """Let a worker drain, whose successor serves now."""
        worker = self._living.get(pid)
        if worker is not None and self._stopping is None:
            worker.until = time.monotonic() + self._stop_s
            with contextlib.suppress(ProcessLookupError):
                # one that still starts has nothing to let go of, and may not listen for that yet
                os.kill(pid, REPLACE if worker.ready else signal.SIGTERM)

    def _kill_all(self) -> None:
        """Kill the workers that did not drain in time."""
        for pid in self._living:
            self._kill(pid)
        self._code = max(self._code, 1)
        self._stopping = time.monotonic() + GRACE_S

    def _kill(self, pid: int) -> None:
        note(f"worker {pid} did not end in time; killing it")
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def _collect(self) -> None:
        """Collect the exit codes of workers that ended, and plan their successors."""
        while self._living:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            worker = self._living.pop(pid, None)
            if self._places is not None:
                self._places.retire(pid)
            if worker is not None:
                self._ended(pid, worker, os.waitstatus_to_exitcode(status))

    def _ended(self, pid: int, worker: Worker, code: int) -> None:
        if self._stopping is not None:
            # one that was told to end before it could listen for that ends by the signal itself
            worker.slot.close()  # without it nobody accepts there
            told = code in (-signal.SIGTERM, -signal.SIGINT) and not worker.ready
            self._code = max(self._code, 0 if told else abs(code))
            return
        if not self._announced and not worker.ready:
            # it said why; its successors would die of the same
            self._code = abs(code) or 1
            self._pass_on(signal.SIGTERM)
            return
        if self._old and (pid == self._old[0] or worker.replaces == self._old[0]):
            self._ended_while_replacing(pid, worker, code)
            return
        now = time.monotonic()
        young = now - worker.started < STEADY_S
        pause = worker.delay if young else 0.0
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        note(f"worker {pid} ended ({how}); starting another in {pause:g} s")
        follow = min(worker.delay * 2, DELAY_MAX_S) if young else DELAY_FIRST_S
        if pause:
            worker.slot.close()  # nobody is there to accept: the kernel asks the others
        self._due.append((now + pause, follow, worker.slot))

    def _ended_while_replacing(self, pid: int, worker: Worker, code: int) -> None:
        """Handle the end of a worker that is being replaced, or of its successor."""
        other = next((one for one in self._living.values() if one.slot is worker.slot), None)
        if pid == self._old[0] and other is not None:
            other.replaces = None
            self._old.pop(0)
            self._next()
            return
        note(f"worker {pid}, a new one, ended (exit code {code}); the old ones go on")
        self._old.clear()
        if other is None or other.until is not None:
            self._due.append((time.monotonic() + DELAY_FIRST_S, DELAY_FIRST_S, worker.slot))


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
