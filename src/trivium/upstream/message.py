"""Writes requests to vendors. The only place where a vendor's credential meets a socket.

Who decides a header, strongest first: the gateway (framing, credential), the operator (the
channel's ``headers``), the caller (what the provider forwards), the provider's defaults.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode, urlsplit

from trivium import __version__
from trivium.providers.address import target
from trivium.providers.base import Auth, Provider
from trivium.routing.model import Channel, TimeLimits
from trivium.settings.syntax import FRAMING
from trivium.upstream.request import Body, Origin, Request
from trivium.wire.operation import Operation

ENTRIES_MAX: Final = 1024
"""Heads kept ready: channels times credentials times models in use. All go when it is exceeded."""

_TOKEN: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")
_TARGET: Final = re.compile(rb"/[\x21-\x7e]*")
_HOST: Final = re.compile(r"[0-9A-Za-z._~:%-]+")
_NOTHING: Final[Mapping[str, str]] = {}
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

_GATEWAYS: Final = frozenset(name.encode() for name in FRAMING)
"""Nobody else sets these: settings that do are refused, callers' are left out."""

_CREDENTIALS: Final = frozenset({b"authorization", b"x-api-key", b"x-goog-api-key", b"api-key"})
"""Never a caller's: what callers present is the gateway's key. An operator may set one by hand."""

_AUTH: Final[Mapping[Auth, tuple[bytes, bytes]]] = {
    Auth.BEARER: (b"authorization", b"Bearer "),
    Auth.X_API_KEY: (b"x-api-key", b""),
    Auth.X_GOOG_API_KEY: (b"x-goog-api-key", b""),
    Auth.API_KEY: (b"api-key", b""),
}


class _Head:
    """What requests of one kind have in common."""

    __slots__ = ("channel", "defaults", "forwards", "origin", "start", "whole")

    def __init__(
        self,
        channel: Channel,
        origin: Origin,
        start: bytes,
        defaults: Mapping[bytes, bytes],
        forwards: frozenset[bytes],
    ) -> None:
        self.channel = channel
        """Kept so that its identity cannot become another's."""
        self.origin = origin
        self.start = start
        """From the request line to the last header that no caller can change."""
        self.defaults = defaults
        """Header lines that a caller's replaces, by name."""
        self.whole = start + b"".join(defaults.values()) + b"content-length: "
        """``start`` and ``defaults`` up to the value of content-length."""
        self.forwards = forwards
        """Names of callers' headers that may travel."""


class Composer:
    """Composes requests, and remembers what was the same in the last ones."""

    def __init__(self) -> None:
        self._heads: dict[tuple[int, int, Operation, str, bool, bool], _Head] = {}

    def compose(
        self,
        channel: Channel,
        credential: int,
        operation: Operation,
        model: str,
        body: bytes | Body,
        *,
        forwarded: Sequence[tuple[bytes, bytes]] = (),
        stream: bool = False,
        array: bool = False,
        limits: TimeLimits | None = None,
    ) -> Request:
        """One request to a channel, ready to be written.

        ``credential`` is an index of the channel's credentials, without meaning when it has none.
        ``model`` is the channel's own name. ``forwarded`` are the caller's headers, names in lower
        case; those that the provider does not forward, and values that are none, are left out.
        ``stream``: server-sent events are wanted. ``array``: a generate-content stream as a JSON
        array. ``limits``: instead of the channel's. A ``body`` that is not bytes is written in
        pieces, with the content type it names. Raises ``ValueError`` for a target or an operator's
        header that cannot be written, both of which the settings' checks have seen to.
        """
        if not isinstance(body, bytes):
            head = _head(
                channel, credential, operation, model,
                stream=stream, array=array, content_type=body.content_type,
            )  # fmt: skip
            payload = _with_forwarded(head, forwarded, b"", length=body.size)
            limits = limits or channel.limits
            return Request(
                origin=head.origin, payload=payload, limits=limits, paced=stream, body=body
            )
        key = (id(channel), credential, operation, model, stream, array)
        known = self._heads.get(key)
        if known is None or known.channel is not channel:
            head = _head(channel, credential, operation, model, stream=stream, array=array)
            if len(self._heads) >= ENTRIES_MAX:
                self._heads.clear()
            self._heads[key] = head
        else:
            head = known
        if forwarded:
            payload = _with_forwarded(head, forwarded, body)
        else:
            payload = b"%b%d\r\n\r\n%b" % (head.whole, len(body), body)
        limits = limits or channel.limits
        return Request(origin=head.origin, payload=payload, limits=limits, paced=stream)

    def errand(self, channel: Channel, method: bytes, below: str) -> Request:
        """A request without a body about something below the channel's responses: ``below`` is
        the rest of the path. Raises ``ValueError`` as ``compose`` does.
        """
        head = _head(channel, 0, Operation.RESPONSES, "", stream=False, array=False)
        line, _, rest = head.whole.partition(b"\r\n")
        path, _, query = line.split(b" ")[1].partition(b"?")
        more, _, own = below.encode("ascii", "replace").partition(b"?")
        joined = b"&".join(part for part in (query, own) if part)
        target = path + more + (b"?" + joined if joined else b"")
        if not _TARGET.fullmatch(target):
            raise ValueError(f"channel {channel.name!r}: no request can be written to this path")
        payload = b"%b %b HTTP/1.1\r\n%b0\r\n\r\n" % (method, target, rest)
        return Request(origin=head.origin, payload=payload, limits=channel.limits)

    def glance(self, channel: Channel, credential: int, path: str) -> Request:
        """A GET of any path at the channel's host. Raises ``ValueError`` as ``compose`` does."""
        operation = next(iter(channel.provider.paths))
        head = _head(channel, credential, operation, "m", stream=False, array=False)
        line = path.encode("ascii", "replace")
        if not _TARGET.fullmatch(line):
            raise ValueError(f"channel {channel.name!r}: no request can be written to this path")
        rest = head.whole.partition(b"\r\n")[2]
        payload = b"GET %b HTTP/1.1\r\n%b0\r\n\r\n" % (line, rest)
        return Request(origin=head.origin, payload=payload, limits=channel.limits)

    def visit(
        self,
        channel: Channel,
        credential: int,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] = _NOTHING,
        body: bytes | Body = b"",
        accept: bytes = b"application/json",
        more: Sequence[tuple[bytes, bytes]] = (),
    ) -> Request:
        """Any request to a path below the channel's base URL; ``more``: headers of ours.

        Raises ``ValueError`` as ``compose`` does.
        """
        provider = channel.provider
        operation = next(iter(provider.paths))
        content_type = b"application/json" if isinstance(body, bytes) else body.content_type
        head = _head(
            channel, credential, operation, "m",
            stream=False, array=False, content_type=content_type, accept=accept,
        )  # fmt: skip
        asked = urlencode({**provider.query, **query})
        whole = urlsplit(channel.base_url).path + path + (f"?{asked}" if asked else "")
        line = whole.encode("ascii", "replace")
        if not _TARGET.fullmatch(line) or not whole.isascii():
            raise ValueError(f"channel {channel.name!r}: no request can be written to this path")
        lines = b"".join(_line(name, value) for name, value in more if _VALUE.fullmatch(value))
        size = len(body) if isinstance(body, bytes) else body.size
        payload = b"%b %b HTTP/1.1\r\n%b%b%d\r\n\r\n%b" % (
            method.encode(),
            line,
            lines,
            head.whole.partition(b"\r\n")[2],
            size,
            body if isinstance(body, bytes) else b"",
        )
        return Request(
            origin=head.origin,
            payload=payload,
            limits=channel.limits,
            body=None if isinstance(body, bytes) else body,
        )


def _head(
    channel: Channel,
    credential: int,
    operation: Operation,
    model: str,
    *,
    stream: bool,
    array: bool,
    content_type: bytes = b"application/json",
    accept: bytes = b"application/json",
) -> _Head:
    provider = channel.provider
    scheme, host, port, path = target(provider, channel.base_url, operation, model, array=array)
    line = path.encode("ascii", "replace")
    if not _TARGET.fullmatch(line) or not _HOST.fullmatch(host) or not path.isascii():
        raise ValueError(f"channel {channel.name!r}: no request can be written to this address")
    operators = _operators(channel)
    headers = {
        b"host": _authority(scheme, host, port),
        b"user-agent": f"trivium/{__version__}".encode(),
        b"accept": b"text/event-stream" if stream and not array else _accept(operation, accept),
        b"accept-encoding": b"identity",
        b"content-type": content_type,
    }
    if provider.auth is not Auth.NONE and channel.credentials:
        name, prefix = _AUTH[provider.auth]
        headers[name] = prefix + _credential(channel, credential)
    headers |= operators
    defaults = {
        name: _line(name, value)
        for name, value in _defaults(provider).items()
        if name not in headers
    }
    start = b"POST %b HTTP/1.1\r\n" % line + b"".join(
        _line(name, value) for name, value in headers.items()
    )
    return _Head(
        channel=channel,
        origin=Origin(scheme, host, port, channel.proxy),
        start=start,
        defaults=defaults,
        forwards=frozenset(name.encode() for name in provider.forwards)
        - _GATEWAYS
        - _CREDENTIALS
        - frozenset(operators),
    )


def _accept(operation: Operation, accept: bytes) -> bytes:
    return b"*/*" if operation is Operation.SPEECH else accept


def _with_forwarded(
    head: _Head,
    forwarded: Sequence[tuple[bytes, bytes]],
    body: bytes,
    *,
    length: int | None = None,
) -> bytes:
    lines = [
        (name, b"%b: %b\r\n" % (name, value))
        for name, value in forwarded
        if name in head.forwards and _VALUE.fullmatch(value)
    ]
    named = {name for name, _ in lines}
    return b"".join(
        (
            head.start,
            *(line for name, line in head.defaults.items() if name not in named),
            *(line for _, line in lines),
            b"content-length: %d\r\n\r\n" % (len(body) if length is None else length),
            body,
        )
    )


def _operators(channel: Channel) -> dict[bytes, bytes]:
    """The channel's own headers, checked."""
    found: dict[bytes, bytes] = {}
    for name, value in channel.headers.items():
        low = name.lower().encode("utf-8")
        raw = value.strip().encode("utf-8")
        if low in _GATEWAYS:
            raise ValueError(
                f"channel {channel.name!r}: header {name!r} is written by the gateway itself"
            )
        if not _TOKEN.fullmatch(low) or not _VALUE.fullmatch(raw):
            raise ValueError(
                f"channel {channel.name!r}: header {name!r} is not a header name with one line "
                'of text, for example "x-team" = "research"'
            )
        found[low] = raw
    return found


def _defaults(provider: Provider) -> dict[bytes, bytes]:
    return {name.lower().encode(): value.encode() for name, value in provider.headers.items()}


def _credential(channel: Channel, index: int) -> bytes:
    value = channel.credentials[index].reveal().encode("utf-8")
    if not value or not _VALUE.fullmatch(value) or value != value.strip():
        # the credential itself is not shown
        raise ValueError(
            f"channel {channel.name!r}: credential {index + 1} is not one line of text"
        )
    return value


def _authority(scheme: str, host: str, port: int) -> bytes:
    shown = f"[{host}]" if ":" in host else host
    return (shown if port == _DEFAULT_PORTS[scheme] else f"{shown}:{port}").encode("ascii")


def _line(name: bytes, value: bytes) -> bytes:
    return b"%b: %b\r\n" % (name, value)
