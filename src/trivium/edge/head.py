"""What a request's head must be beyond what llhttp asks.

The parser lets through, and we refuse: a request line without version, versions other than 1.0
and 1.1, HTTP/1.0 with a transfer coding, no Host or two, a Host that is no host. Each could be read
in two ways by two servers in a row. Pure.
"""

import re
from collections.abc import Mapping
from typing import Final

from trivium.faults import Fault, Kind
from trivium.pipeline.services import Headers

_HOST: Final = re.compile(rb"(?:[A-Za-z0-9._~!$&'()*+,;=%-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?")
_TARGET: Final = re.compile(rb"[Hh][Tt][Tt][Pp][Ss]?://[^/?#]*")
_ONCE: Final = (b"host", b"content-length", b"transfer-encoding")
REFUSED_BODY_BYTES_MAX: Final = 65_536
"""A refused request with a body no longer than this keeps its connection."""
LATER: Final = frozenset({b"transfer-encoding", b"expect"})
"""Headers of a body whose size is not known yet, or that is sent when it is asked for."""
_OFFERS: Final = frozenset({b"upgrade", b"connection", b"http2-settings"})


def check(version: str, headers: Headers, table: Mapping[bytes, bytes]) -> bool:
    """Refuse an ambiguous head. Returns whether the request is HTTP/1.0. Raises ``Fault``.

    ``headers`` are all lines in order, names in lower case; ``table`` the last of each name.
    """
    http10 = version == "1.0"
    if not http10 and version != "1.1":
        raise Fault(Kind.MALFORMED_HTTP, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
    if len(table) != len(headers):
        for name in _ONCE:
            if sum(n == name for n, _ in headers) > 1:
                raise Fault(
                    Kind.MALFORMED_HTTP, f"The `{name.decode()}` header occurs more than once."
                )
    host = table.get(b"host")
    if host is None:
        if not http10:
            raise Fault(Kind.MALFORMED_HTTP, "An HTTP/1.1 request needs a `Host` header.")
    elif not _HOST.fullmatch(host):
        raise Fault(Kind.MALFORMED_HTTP, "The `Host` header is not a host name.")
    coding = table.get(b"transfer-encoding")
    if coding is not None and (http10 or coding.lower() != b"chunked"):
        raise Fault(
            Kind.MALFORMED_HTTP, "Only `Transfer-Encoding: chunked` with HTTP/1.1 is accepted."
        )
    encoding = table.get(b"content-encoding")
    if encoding is not None and encoding.lower() != b"identity":
        raise Fault(
            Kind.MEDIA_TYPE, "Compressed request bodies are not accepted: send the body as it is."
        )
    return http10


def origin_form(target: bytes) -> bytes:
    """The path of ``http://host/path``, as a proxy would be asked, and ``/*`` for ``*``.

    Raises ``Fault`` (MALFORMED_HTTP) for what has none.
    """
    if target == b"*":
        return b"/*"
    found = _TARGET.match(target)
    if found is None:
        raise Fault(Kind.MALFORMED_HTTP, "The request target is not a path.")
    rest = target[found.end() :]
    return rest if rest[:1] == b"/" else b"/" + rest


def is_websocket(headers: Headers) -> bool:
    """Whether the upgrade that is offered is to a WebSocket."""
    return any(name == b"upgrade" and b"websocket" in value.lower() for name, value in headers)


def without_upgrade(method: bytes, target: bytes, version: str, headers: Headers) -> bytes:
    """The head again, without the offer to speak something else (``h2c``)."""
    lines = [name + b": " + value for name, value in headers if name not in _OFFERS]
    return b"%b %b HTTP/%b\r\n%b\r\n\r\n" % (method, target, version.encode(), b"\r\n".join(lines))


def waits(headers: Mapping[bytes, bytes], *, http10: bool) -> bool:
    """Whether the caller sends its body only when asked for it. Raises ``Fault``
    (MALFORMED_HTTP).
    """
    expect = headers.get(b"expect")
    if expect is None:
        return False
    if expect.lower() != b"100-continue":
        raise Fault(Kind.MALFORMED_HTTP, "Only `Expect: 100-continue` is understood.")
    return not http10


def is_large(headers: Mapping[bytes, bytes]) -> bool:
    """Whether the body of a refused request is not worth taking in, or not on its way."""
    length = int(headers.get(b"content-length") or 0)
    return bool(headers.keys() & LATER) or length > REFUSED_BODY_BYTES_MAX
