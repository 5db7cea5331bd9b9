"""The engine as a child process: started, waited for, stopped, and never left behind.

It runs in a session of its own, so that Ctrl-C reaches only the demo, which stops it after the
last answer. Should the demo be killed, the pipe that holds the engine's standard input closes and
the engine ends by itself (``child.py``).
"""

import contextlib
import http.client
import os
import secrets
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

MODULE: Final = "trivium.demo.llama"
START_S: Final = 60.0
"""The model loads in about a second; a cold disk needs several."""
STOP_S: Final = 5.0
"""After its input has ended the engine exits at once; later it is killed."""


class EngineError(Exception):
    """The engine did not come up. The message is for people and names the log."""


class Engine:
    """A running engine. A context manager: leaving it stops the process."""

    def __init__(self, process: subprocess.Popen[bytes], address: str, key: str) -> None:
        self._process = process
        self.address = address
        """``http://127.0.0.1:PORT``."""
        self.key = key
        """Random, known to this process and the engine alone."""

    @property
    def pid(self) -> int:
        """The engine's process id."""
        return self._process.pid

    @classmethod
    def start(
        cls, log: Path, environ: Mapping[str, str], *, module: str = MODULE, wait_s: float = START_S
    ) -> Self:
        """Start ``module`` and wait until it is healthy. Raises EngineError.

        ``log`` is overwritten. Call it from the main thread: on Linux a child with a death signal
        dies with the *thread* that made it.
        """
        key = secrets.token_urlsafe(32)
        until = time.monotonic() + wait_s
        with open(log, "wb", opener=_private) as output:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                # -P: a folder named trivium in the working directory is not ours
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env={**environ, "HF_HUB_OFFLINE": "1"},
                start_new_session=True,
            )
        engine = cls(process, "", key)
        try:
            engine.address = engine._address(until)
            engine._healthy(until)
        except EngineError as exc:
            engine.stop()
            raise EngineError(f"{exc}{_last_line(log)}") from None
        except BaseException:
            engine.stop()
            raise
        return engine

    def stop(self) -> None:
        """End the process and collect it. Harmless when it has ended already."""
        process = self._process
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _address(self, until: float) -> str:
        """Hand over the key, and return the address that the engine prints."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(self.key.encode() + b"\n")
            process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            raise EngineError("the local engine was not ready in time")
        line = process.stdout.readline().decode().strip()
        if not line:
            raise EngineError(f"the local engine ended at start ({_ending(process)})")
        return line

    def _healthy(self, until: float) -> None:
        """Wait until the engine reports that its model is loaded."""
        host = urlsplit(self.address).netloc
        while time.monotonic() < until:
            if self._process.poll() is not None:
                raise EngineError(f"the local engine ended at start ({_ending(self._process)})")
            connection = http.client.HTTPConnection(host, timeout=5.0)
            try:
                connection.request("GET", "/health")
                if connection.getresponse().status == 200:
                    return
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            time.sleep(0.1)
        raise EngineError("the local engine was not healthy in time")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _ending(process: subprocess.Popen[bytes]) -> str:
    """Return in words how a process that closed its output has ended."""
    try:
        code = process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        return "it closed its output"
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    said = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f": {said[:200]} (log: {log})" if said else f" (log: {log})"
