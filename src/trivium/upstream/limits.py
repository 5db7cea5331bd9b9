"""How many connections the client may have, and for how long."""

import msgspec


class UpstreamLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What the client may use. The settings' ``[upstream]`` table has the defaults and why."""

    keepalive_s: float
    """An idle connection is not reused after this."""
    connections_max: int
    """Open connections to one origin; beyond it calls wait."""
    wait_s: float
    """How long a call waits for a connection."""
    header_bytes_max: int
    """Status line and headers of an answer."""
