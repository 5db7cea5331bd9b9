"""Files that a vendor keeps elsewhere: its redirect is followed, and nothing of ours travels.

A vendor may answer a request for a file with an address of some object store, signed and good for a
while. It is fetched here and never shown to the caller, who could pass it on. The vendor chooses
where it points, and a vendor may be wrong or worse, so the door is the one for strangers'
addresses (``upstream/public_addresses.py``): public addresses only, looked at again after each
redirect. No credential goes there.
"""

import ssl
from collections.abc import Callable, Sequence
from typing import Final

from trivium import __version__
from trivium.routing.model import TimeLimits
from trivium.settings.model import UpstreamSettings
from trivium.upstream.pool import PooledClient
from trivium.upstream.public_addresses import Destination, Network, guarded
from trivium.upstream.request import Request
from trivium.upstream.resolve import Resolver, system_lookup

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
REDIRECTS_MAX: Final = 3


def client(
    limits: UpstreamSettings,
    *,
    tls: Callable[[], ssl.SSLContext],
    now: Callable[[], float],
    networks: Sequence[Network] = (),
) -> PooledClient:
    """A client that connects to public addresses only, and to ``networks`` of the operator's.

    ``now`` gives the loop's seconds.
    """
    lookup = guarded(system_lookup, networks)
    return PooledClient(limits, resolver=Resolver(30.0, now, lookup), tls=tls, now=now)


def request(
    place: Destination, limits: TimeLimits, more: Sequence[tuple[bytes, bytes]] = ()
) -> Request:
    """A GET of a file; ``more``: headers that say which part of it is wanted."""
    lines = b"".join(b"%b: %b\r\n" % pair for pair in more)
    head = (
        f"GET {place.target} HTTP/1.1\r\nhost: {place.authority}\r\n"
        f"user-agent: trivium/{__version__}\r\naccept: */*\r\naccept-encoding: identity\r\n"
    )
    return Request(
        origin=place.origin, payload=head.encode("ascii") + lines + b"\r\n", limits=limits
    )
