"""Where a caller is, and whether its key may be used from there. Pure.

A proxy's word counts only if the operator trusts it: ``X-Forwarded-For`` is read from its end, over
trusted proxies, to the first address that is none. What stands before that is what callers wrote.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TypeAlias

from trivium.faults import Fault, Kind
from trivium.identity.model import Caller, Network

Address: TypeAlias = IPv4Address | IPv6Address


@lru_cache(maxsize=4096)
def address(text: str) -> Address | None:
    """Return the address in a text that may carry a port, brackets or a zone. An IPv4 address that
    is written as IPv6 comes back as IPv4; a text without an address gives ``None``.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        return found.ipv4_mapped
    return found


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Networks of checked texts."""
    return tuple(map(ip_network, texts))


def origin(peer: str, forwarded: Sequence[bytes], trusted: Sequence[Network]) -> Address | None:
    """Return the caller's own address, or ``None`` when it cannot be determined.

    ``peer``: the address of the connection. ``forwarded``: every ``X-Forwarded-For``, in order.
    """
    found = address(peer)
    if found is None or not _is_in(found, trusted):
        return found
    hops = b",".join(forwarded).decode("latin-1")
    for hop in reversed(hops.split(",") if hops.strip() else []):
        found = address(hop)
        if found is None or not _is_in(found, trusted):
            return found
    return found


def scheme(own: str, peer: str, forwarded: Sequence[bytes], trusted: Sequence[Network]) -> str:
    """``http`` or ``https``, as the caller speaks it: the port's own, or a trusted proxy's word.

    ``forwarded``: every ``X-Forwarded-Proto``, in order; the last word is the nearest proxy's.
    """
    found = address(peer)
    if found is None or not forwarded or not _is_in(found, trusted):
        return own
    said = forwarded[-1].decode("latin-1").rpartition(",")[2].strip().lower()
    return said if said in ("http", "https") else own


def check(
    caller: Caller, peer: str, forwarded: Sequence[bytes], trusted: Sequence[Network]
) -> None:
    """Refuse a key that is bound to other addresses. Raises ``Fault`` (NOT_PERMITTED)."""
    if not caller.networks:
        return
    found = origin(peer, forwarded, trusted)
    if found is None or not _is_in(found, caller.networks):
        raise Fault(
            Kind.NOT_PERMITTED,
            f"This key may not be used from the address {found or 'of this connection'}.",
        )


def _is_in(where: Address, allowed: Sequence[Network]) -> bool:
    return any(where in network for network in allowed)
