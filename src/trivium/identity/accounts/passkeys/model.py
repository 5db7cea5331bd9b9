"""Passkeys as pages see them, and where they work."""

from ipaddress import ip_address
from urllib.parse import urlsplit

import msgspec


class Passkey(msgspec.Struct, frozen=True, kw_only=True):
    """One passkey of a user."""

    id: int
    name: str
    synced: bool
    """Whether it is kept by the maker of the device as well, and so survives it."""
    created_at: int
    """Seconds since the epoch."""
    used_at: int | None
    """Seconds since the epoch; ``None``: not yet."""


class Challenge(msgspec.Struct, frozen=True, kw_only=True):
    """The options that a browser signs, and the ticket for its answer."""

    step: str
    """Comes back with the answer; good once, for five minutes."""
    options: str
    """JSON for ``navigator.credentials``."""


def party_of(origin: str) -> str | None:
    """The name passkeys are bound to: the host of our origin; ``None`` where browsers allow none.

    Web Authentication, level 2, section 5.1.2 and 4 (secure context): a name, over https, or
    ``localhost``.
    """
    parts = urlsplit(origin)
    host = parts.hostname or ""
    try:
        ip_address(host)
    except ValueError:
        return host if host and (parts.scheme == "https" or host == "localhost") else None
    return None
