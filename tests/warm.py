"""`trivium` as a process that need not import itself first, which is most of what it takes to
start: each is forked from one that has imported everything, as a supervisor forks its workers.

What is started this way has a process, signals, an environment and an exit of its own. Where the
start itself is looked at, or the memory of a process, `subprocess` starts it from nothing.

    process = warm.popen([TRIVIUM, "serve"], cwd=folder, stdout=subprocess.DEVNULL, stderr=log)
    done = warm.run([TRIVIUM, "user", "list"], cwd=folder, capture_output=True, text=True)
"""

import atexit
import contextlib
import gc
import importlib
import os
import pkgutil
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
from pathlib import Path

import msgspec

import trivium

TRIVIUM = Path(sys.executable).with_name("trivium")
FIRST = (
    "trivium.cli.main",
    "trivium.wiring.serve",
    "sqlalchemy.dialects.sqlite.aiosqlite",
    "sqlalchemy.dialects.postgresql.asyncpg",
    "uvloop",
)
"""What is imported before every other module of the package, some of which need packages that are
not there.
"""
MIGRATIONS = ".migrations"
"""These are programs that Alembic runs."""
MATTERS = (
    *("PYTHON", "LD_", "MALLOC_", "GLIBC_", "TZ", "LANG", "LC_", "SSL_", "OPENSSL_", "UVLOOP"),
    *("FAKETIME", "COVERAGE", "SQLALCHEMY", "CRYPTOGRAPHY"),
)
"""How names in an environment begin that an interpreter or a library reads when it starts."""


def mattering(env):
    """What of an environment cannot be changed after a start."""
    return {name: value for name, value in env.items() if name.startswith(MATTERS)}


HERE = dict(os.environ)
"""The environment of the tests, before any of them changed it."""


class Order(msgspec.Struct):
    """What is to be started. Its three streams and the end of a pipe come beside it."""

    argv: list[str]
    cwd: str
    env: dict[str, str]


class Process:
    """One that was started, with what `subprocess.Popen` has that tests use."""

    def __init__(self, pid, status):
        self.pid = pid
        self.returncode = None
        self.stderr = None
        """What it says, when that goes into a pipe."""
        self._status = status
        """Says how it ended, once it has."""
        self._turn = threading.Lock()

    def _read(self, limit_s):
        with self._turn:
            if self.returncode is None and select.select([self._status], [], [], limit_s)[0]:
                said = os.read(self._status, 4)
                os.close(self._status)
                # without a word the process they were forked from is gone, and nobody knows
                self.returncode = struct.unpack("i", said)[0] if said else -signal.SIGKILL
        return self.returncode

    def poll(self):
        return self._read(0)

    def wait(self, timeout=None):
        code = self._read(timeout)
        if code is None:
            raise subprocess.TimeoutExpired([str(TRIVIUM)], timeout)
        return code

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


class Forking:
    """The process that forks, for as long as this one lives."""

    def __init__(self):
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__], stdin=theirs, stdout=subprocess.DEVNULL, env=HERE
            )
        self._turn = threading.Lock()
        atexit.register(self.close)

    def fork(self, order, streams):
        """The process of an order."""
        reading, writing = os.pipe()
        try:
            with self._turn:
                socket.send_fds(self._line, [msgspec.json.encode(order)], [*streams, writing])
                said = self._line.recv(4)
        finally:
            os.close(writing)
        if not said:
            raise RuntimeError("the process that forks others has ended")
        return Process(struct.unpack("i", said)[0], reading)

    def close(self):
        """End it. Those it forked go on."""
        self._line.close()
        self._process.wait()


_FORKING = []
_MAKING = threading.Lock()


def suits(argv, env):
    """Whether it can be forked: this `trivium`, in an environment that lets it start likewise."""
    return (
        sys.platform == "linux"
        and Path(argv[0]) == TRIVIUM
        and mattering(env) == mattering(HERE)
        # what measures coverage begins and ends with an interpreter
        and not any(name.startswith("COVERAGE") for name in env)
    )


def popen(argv, *, cwd, stdout, stderr, env=None):
    """Start it, as `subprocess.Popen` does; streams are files or what `subprocess` calls them."""
    env = dict(os.environ if env is None else env)
    if not suits(argv, env):
        return subprocess.Popen(argv, cwd=cwd, stdout=stdout, stderr=stderr, env=env)
    heard = None
    with contextlib.ExitStack() as stack:
        null = stack.enter_context(Path(os.devnull).open("r+b"))
        if stderr == subprocess.PIPE:
            heard, stderr = (
                os.fdopen(end, mode) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True)
            )
            stack.enter_context(stderr)
        where = [null if one == subprocess.DEVNULL else one for one in (stdout, stderr)]
        process = _forked(argv, cwd, env, [one.fileno() for one in (null, *where)])
    process.stderr = heard
    return process


def _forked(argv, cwd, env, streams):
    with _MAKING:
        if not _FORKING:
            _FORKING.append(Forking())
    order = Order([str(part) for part in argv], str(cwd), env)
    return _FORKING[0].fork(order, streams)


def run(
    argv, *, cwd, env=None, stdin=None, capture_output=False, text=False, check=False, timeout=None
):
    """Run it to its end, as `subprocess.run` does; without ``capture_output`` nobody hears it."""
    env = dict(os.environ if env is None else env)
    if not suits(argv, env):
        return subprocess.run(
            argv, cwd=cwd, env=env, input=stdin, capture_output=capture_output, text=text,
            check=check, timeout=timeout,
        )  # fmt: skip
    with contextlib.ExitStack() as stack:
        files = [
            stack.enter_context(os.fdopen(os.memfd_create(name), "r+b"))
            for name in ("stdin", "stdout", "stderr")
        ]
        files[0].write((stdin or "").encode() if text else stdin or b"")
        files[0].seek(0)
        process = _forked(argv, cwd, env, [file.fileno() for file in files])
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        said = (None, None)
        if capture_output:
            said = [_content(file, text=text) for file in files[1:]]
    done = subprocess.CompletedProcess(argv, code, *said)
    if check:
        done.check_returncode()
    return done


def _content(file, *, text):
    file.seek(0)
    return file.read().decode() if text else file.read()


class Parent:
    """What the process does that forks: wait for orders, and for the ends of its children."""

    def __init__(self, line):
        self._line = line
        self._ends = {}
        """Where it is said how a child ended, by its pid."""
        self._wake, woken = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(woken, False)
        self._woken = woken
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)

    def run(self):
        """Until nobody gives orders any more; in a child, return what it is to do."""
        while True:
            readable, _, _ = select.select([self._line, self._wake], [], [])
            if self._wake in readable:
                os.read(self._wake, 4096)
                self._bury()
            if self._line in readable:
                said, streams, _, _ = socket.recv_fds(self._line, 2**20, 4)
                if not said:
                    return None
                order = msgspec.json.decode(said, type=Order)
                pid = os.fork()
                if pid == 0:
                    self._forget(streams[3])
                    return order, streams[:3]
                for stream in streams[:3]:
                    os.close(stream)
                self._ends[pid] = streams[3]
                self._line.send(struct.pack("i", pid))

    def _bury(self):
        while self._ends:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            end = self._ends.pop(pid)
            os.write(end, struct.pack("i", os.waitstatus_to_exitcode(status)))
            os.close(end)

    def _forget(self, end):
        """In a child: what is its parent's alone."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self._line.close()
        for one in (self._wake, self._woken, end, *self._ends.values()):
            os.close(one)


def become(order, streams):
    """Be the command, and end with its exit code."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in set(streams) - {0, 1, 2}:
        os.close(stream)
    os.chdir(order.cwd)
    os.environ.clear()
    os.environ.update(order.env)
    sys.argv[:] = order.argv
    from trivium.cli.main import main

    code = 1
    try:
        main()
        code = 0
    except SystemExit as exc:
        code = exc.code if isinstance(exc.code, int) else int(exc.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        threading._shutdown()
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def serve_orders():
    """What this file is as a program."""
    once = importlib.import_module("once")
    sys.path[0] = str(TRIVIUM.parent)
    line = socket.socket(fileno=os.dup(0))
    for name in FIRST:
        importlib.import_module(name)
    for found in pkgutil.walk_packages(trivium.__path__, "trivium."):
        if MIGRATIONS not in found.name:
            with contextlib.suppress(ImportError):
                importlib.import_module(found.name)
    once.build_commands_once()
    once.look_at_settings_once()
    importlib.import_module("typer").main.get_command(sys.modules[FIRST[0]].app)
    msgspec.inspect.type_info(sys.modules["trivium.settings.model"].Settings)
    assert 1 == len(list(Path("/proc/self/task").iterdir())), (
        "a process with threads is not to be forked"
    )
    gc.collect()
    gc.freeze()
    order = Parent(line).run()
    if order is not None:
        become(*order)


if __name__ == "__main__":
    serve_orders()
