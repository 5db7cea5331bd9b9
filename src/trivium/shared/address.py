"""Where the shared state is. Pure."""

from urllib.parse import unquote, urlsplit

import msgspec

from trivium.secret import Secret

PORT = 6379


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Host, port, database and credentials of a server."""

    host: str
    port: int = PORT
    tls: bool = False
    user: str = ""
    """Empty: the server's default user."""
    password: Secret | None = None
    database: int = 0


def parse(url: str) -> Address:
    """Of ``valkey://USER:PASSWORD@HOST:PORT/0``; ``redis://`` the same, ``…s://`` with TLS.

    Raises ``ValueError`` for a database that is no number; the settings have checked the rest.
    """
    parts = urlsplit(url)
    return Address(
        host=parts.hostname or "127.0.0.1",
        port=parts.port or PORT,
        tls=parts.scheme in ("rediss", "valkeys"),
        user=unquote(parts.username or ""),
        password=Secret(unquote(parts.password)) if parts.password else None,
        database=int(parts.path.strip("/") or 0),
    )
