"""Which addresses of strangers may be connected to: those of the public internet, and no other.

A caller's URL is a way to make the gateway speak to its own neighbours: metadata services, admin
ports, databases. So every address that a name resolves to is looked at after the look-up, and those
very addresses are connected to: there is no second look-up in between that could say otherwise.
Numbers in any spelling (decimal, octal, IPv6 with an IPv4 address inside) go the same way, because
what is judged is what the system's resolver made of them.

Ranges: IANA's special-purpose registries as Python's ``ipaddress`` has them, RFC 6052 (NAT64),
RFC 3056 (6to4), RFC 4380 (Teredo). Read 2026-11-21.
"""

import ipaddress
import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urljoin, urlsplit

import msgspec

from trivium.faults import Fault, Kind
from trivium.upstream.request import Origin
from trivium.upstream.resolve import Address, Lookup

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

URL_CHARACTERS_MAX: Final = 8192
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_SPECIAL: Final[tuple[Network, ...]] = (
    ipaddress.IPv4Network("192.0.0.0/24"),
    ipaddress.IPv4Network("192.88.99.0/24"),
    ipaddress.IPv6Network("64:ff9b:1::/48"),
)
"""In the registries, and public to the ``ipaddress`` of some Python that we run on."""
_PORTS: Final = {"http": 80, "https": 443}
_HOST: Final = re.compile(r"[0-9A-Za-z._:-]{1,253}")
_SAFE: Final = re.compile(r"[\x21-\x7e]+")


class NotPublicError(OSError):
    """None of a name's addresses may be connected to."""


class Destination(msgspec.Struct, frozen=True):
    """Where a URL points."""

    origin: Origin
    authority: str
    """As a Host header has it."""
    target: str
    """Path and query, as a request line has them."""
    url: str
    """Whole, for a redirect to be read against."""


def is_public(address: str, allowed: Sequence[Network] = ()) -> bool:
    """Whether an address is the public internet's, or in a range that the operator allows."""
    try:
        ip: Ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner = _inside(ip)
    if any(ip in network or inner in network for network in allowed):
        return True
    if any(one in network for one in (ip, inner) for network in _SPECIAL):
        return False
    return all(one.is_global and not one.is_multicast for one in (ip, inner))


def _inside(ip: Ip) -> Ip:
    """The IPv4 address that an IPv6 one leads to; itself where there is none."""
    if isinstance(ip, ipaddress.IPv4Address):
        return ip
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip.teredo is not None:
        return ip.teredo[1]
    if ip in _NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip


def guarded(lookup: Lookup, allowed: Sequence[Network] = ()) -> Lookup:
    """A look-up that keeps public addresses only, and raises ``NotPublicError`` without any."""

    async def look(host: str, port: int) -> list[Address]:
        found = [one for one in await lookup(host, port) if is_public(str(one[4][0]), allowed)]
        if not found:
            raise NotPublicError("no public address")
        return found

    return look


def place(url: str, *, before: Destination | None = None) -> Destination:
    """Where a URL points; ``before``: the place whose redirect it is.

    Raises ``Fault`` (INVALID_VALUE) for one that is not fetched, whatever it resolves to.
    """
    if before is not None:
        url = urljoin(before.url, url)
    if len(url) > URL_CHARACTERS_MAX:
        raise _refused(f"it has more than {URL_CHARACTERS_MAX} characters")
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError:
        raise _refused("it is no URL") from None
    scheme, host = split.scheme.lower(), split.hostname or ""
    if scheme not in _PORTS:
        raise _refused("only http and https are fetched")
    if before is not None and before.origin.scheme == "https" and scheme != "https":
        raise _refused("it redirects from https to http")
    if split.username is not None or split.password is not None:
        raise _refused("it holds a user name")
    if not _HOST.fullmatch(host):
        raise _refused("its host is none")
    target = (split.path or "/") + (f"?{split.query}" if split.query else "")
    if not _SAFE.fullmatch(target):
        raise _refused("its path holds characters that must be percent-encoded")
    shown = f"[{host}]" if ":" in host else host
    number = port or _PORTS[scheme]
    return Destination(
        origin=Origin(scheme, host, number),
        authority=shown if number == _PORTS[scheme] else f"{shown}:{number}",
        target=target,
        url=url,
    )


def _refused(why: str) -> Fault:
    return Fault(Kind.INVALID_VALUE, f"This URL cannot be fetched: {why}.")
