"""The engine's process: it reads its key, prints its address, and ends with the demo.

Three descriptors carry all of it. Standard input brings the key as one line and stays open as long
as the demo lives; when it closes, however the demo ended, the engine stops. Standard output carries
one line, the address; everything else the engine prints goes to standard error, which is its log.
The key is never an argument, because arguments can be read by everyone.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Final, NoReturn, Protocol

_PR_SET_PDEATHSIG: Final = 1  # linux/prctl.h


class EngineServer(Protocol):
    """A server that runs in threads of its own for as long as its object lives."""

    @property
    def listening_address(self) -> str:
        """Return the address as ``http://127.0.0.1:PORT``."""
        ...


def serve(start: Callable[[str], EngineServer]) -> NoReturn:
    """Run the engine of ``start`` until the demo ends, with the key from standard input."""
    _end_with_parent()
    # Ctrl-C is for the demo, which still needs the engine while it finishes running answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.dup(1)
    os.dup2(2, 1)
    key = sys.stdin.buffer.readline().strip().decode()
    if key:
        engine = start(key)
        os.write(answers, engine.listening_address.encode() + b"\n")
        os.close(answers)
        sys.stdin.buffer.read()
    os._exit(0)  # the engine's own threads would keep the interpreter waiting


def _end_with_parent() -> None:
    """Have the kernel end this process with its parent, should another keep the pipe open."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
