"""Writes requests to vendors, with their credential where that is a header known beforehand.

Where it is not, the request is a draft that ``upstream/credentials.py`` writes when it goes out.
Who decides a header, strongest first: the gateway (framing, credential), the operator (the
channel's ``headers``), the caller (what the provider forwards), the provider's defaults.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias
from urllib.parse import urlencode, urlsplit

from trivium import __version__
from trivium.providers.address import target
from trivium.providers.base import EVENTS, JSON, Provider
from trivium.providers.credential import STATIC, Renewed, Signing, Static
from trivium.routing.model import Channel, TimeLimits
from trivium.settings.syntax import FRAMING
from trivium.upstream.request import Body, Draft, DraftHead, Origin, Request
from trivium.wire.operation import Operation

ENTRIES_MAX: Final = 1024
"""Heads kept ready: channels times credentials times models in use. All go when it is exceeded."""
CALLERS_MAX: Final = 16
"""Sets of callers' headers that are kept of one head for drafts; all go when it is exceeded. A
client library sends the same ones with each request."""
CALLERS_BYTES_MAX: Final = 512
"""Names and values of a set that is kept."""

_TOKEN: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")
_TARGET: Final = re.compile(rb"/[\x21-\x7e]*")
_HOST: Final = re.compile(r"[0-9A-Za-z._~:%-]+")
_NOTHING: Final[Mapping[str, str]] = {}
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

FIXED: Final = frozenset(name.encode() for name in FRAMING)
"""Nobody else sets these: settings that do are refused, callers' are left out."""

_CREDENTIALS: Final = frozenset(kind.header.encode() for kind in STATIC.values() if kind)
"""Never a caller's: what callers present is the gateway's key. An operator may set one by hand."""
_JSON: Final = JSON.encode()
_Key: TypeAlias = tuple[int, int, Operation, str, bool, bool]
"""Channel's identity, credential, operation, model, whether a stream, whether a JSON array."""


class _Head:
    """What requests of one kind have in common."""

    __slots__ = (
        "callers", "channel", "credential", "default_lines", "defaults", "drafted", "forwards",
        "headers", "is_late", "named", "origin", "start", "target", "whole",
    )  # fmt: skip

    def __init__(
        self,
        channel: Channel,
        credential: int,
        origin: Origin,
        target: bytes,
        headers: Mapping[bytes, bytes],
        defaults: Mapping[bytes, bytes],
        forwards: frozenset[bytes],
        named: frozenset[bytes],
    ) -> None:
        self.channel = channel
        """Kept so that its identity cannot become another's."""
        self.credential = credential
        self.is_late = is_late(channel)
        """Whether the credential is put in when the request goes out."""
        self.origin = origin
        self.target = target
        self.headers = headers
        """Those that no caller can change."""
        self.defaults = defaults
        """Those that a caller's replaces."""
        self.forwards = forwards
        """Names of callers' headers that may travel."""
        self.named = named
        """Names of headers that the operator wrote."""
        self.start = b"POST %b HTTP/1.1\r\n" % target + _written(headers.items())
        """From the request line to the last header that no caller can change."""
        self.default_lines = {name: _line(name, value) for name, value in defaults.items()}
        self.whole = self.start + b"".join(self.default_lines.values()) + b"content-length: "
        """``start`` and ``defaults`` up to the value of content-length."""
        self.drafted = DraftHead(
            channel=channel,
            credential=credential,
            method=b"POST",
            target=target,
            lines=(*headers.items(), *defaults.items()),
            named=named,
            is_shared=True,
        )
        """Of drafts to which no caller adds a header."""
        self.callers: dict[tuple[tuple[bytes, bytes], ...], DraftHead] = {}
        """Of the others, by what their callers add."""


class Composer:
    """Composes requests, and remembers what was the same in the last ones."""

    def __init__(self) -> None:
        self._heads: dict[_Key, _Head] = {}
        self._late: dict[_Key, _Head] = {}
        """Apart, so that a request with a fixed credential is not asked for its kind."""

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
        ``stream``: an answer in frames is wanted. ``array``: a generate-content stream as a JSON
        array. ``limits``: instead of the channel's. A ``body`` that is not bytes is written in
        pieces, with the content type it names. Raises ``ValueError`` for a target or an operator's
        header that cannot be written, both of which the settings' checks have seen to.
        """
        if not isinstance(body, bytes):
            head = _head(
                channel, credential, operation, model,
                stream=stream, array=array, content_type=body.content_type,
            )  # fmt: skip
            return _request(head, body, forwarded=forwarded, stream=stream, limits=limits)
        key = (id(channel), credential, operation, model, stream, array)
        known = self._heads.get(key)
        if known is None or known.channel is not channel:
            head = self._new(key, channel, operation, model)
            if head.is_late:
                drafted = _with_callers(head, forwarded) if forwarded else head.drafted
                draft = Draft(head=drafted, body=body)
                limits = limits or channel.limits
                return Request(
                    origin=head.origin, payload=b"", limits=limits, paced=stream, draft=draft
                )
        else:
            head = known
        if forwarded:
            payload = _with_forwarded(head, forwarded, body)
        else:
            payload = b"%b%d\r\n\r\n%b" % (head.whole, len(body), body)
        limits = limits or channel.limits
        return Request(origin=head.origin, payload=payload, limits=limits, paced=stream)

    def _new(self, key: _Key, channel: Channel, operation: Operation, model: str) -> _Head:
        """A head that is not among those with a fixed credential: made, or one of the others."""
        late = self._late.get(key)
        if late is not None and late.channel is channel:
            return late
        head = _head(channel, key[1], operation, model, stream=key[4], array=key[5])
        heads = self._late if head.is_late else self._heads
        if len(heads) >= ENTRIES_MAX:
            heads.clear()
        heads[key] = head
        return head

    def buffered_call(self, channel: Channel, method: bytes, below: str) -> Request:
        """A request without a body about something below the channel's responses: ``below`` is
        the rest of the path. Raises ``ValueError`` as ``compose`` does.
        """
        head = _head(channel, 0, Operation.RESPONSES, "", stream=False, array=False)
        path, _, query = head.target.partition(b"?")
        more, _, own = below.encode("ascii", "replace").partition(b"?")
        joined = b"&".join(part for part in (query, own) if part)
        line = path + more + (b"?" + joined if joined else b"")
        return _request(head, b"", method=method, line=line)

    def glance(self, channel: Channel, credential: int, path: str) -> Request:
        """A GET of any path at the channel's host. Raises ``ValueError`` as ``compose`` does."""
        operation = next(iter(channel.provider.paths))
        head = _head(channel, credential, operation, "m", stream=False, array=False)
        return _request(head, b"", method=b"GET", line=path.encode("ascii", "replace"))

    def visit(
        self,
        channel: Channel,
        credential: int,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] = _NOTHING,
        body: bytes | Body = b"",
        accept: bytes = _JSON,
        more: Sequence[tuple[bytes, bytes]] = (),
    ) -> Request:
        """Any request to a path below the channel's base URL; ``more``: headers of ours.

        Raises ``ValueError`` as ``compose`` does.
        """
        provider = channel.provider
        operation = next(iter(provider.paths))
        content_type = _JSON if isinstance(body, bytes) else body.content_type
        head = _head(
            channel, credential, operation, "m",
            stream=False, array=False, content_type=content_type, accept=accept,
        )  # fmt: skip
        asked = urlencode({**provider.query, **query})
        whole = urlsplit(channel.base_url).path + path + (f"?{asked}" if asked else "")
        line = whole.encode("ascii") if whole.isascii() else b""
        return _request(head, body, method=method.encode(), line=line, more=more)


def is_late(channel: Channel) -> bool:
    """Whether a channel's requests are drafts: its credential is a token or a signature.

    Where nothing of it is given, an engine that asks for none stands there, and gets none.
    """
    kind = channel.form
    if not isinstance(kind, Renewed | Signing):
        return False
    return not kind.parts or bool(channel.credentials) or bool(channel.parts)


def _head(
    channel: Channel,
    credential: int,
    operation: Operation,
    model: str,
    *,
    stream: bool,
    array: bool,
    content_type: bytes = _JSON,
    accept: bytes = b"",
) -> _Head:
    """``accept``: instead of what the provider's row asks for."""
    provider = channel.provider
    framed = stream and not array
    scheme, host, port, path = target(provider, channel.base_url, operation, model, stream=framed)
    line = path.encode("ascii", "replace")
    if not _TARGET.fullmatch(line) or not _HOST.fullmatch(host) or not path.isascii():
        raise ValueError(f"channel {channel.name!r}: no request can be written to this address")
    operators = _operators(channel)
    headers = {
        b"host": _authority(scheme, host, port),
        b"user-agent": f"trivium/{__version__}".encode(),
        b"accept": accept or _accept(provider, operation, framed=framed),
        b"accept-encoding": b"identity",
        b"content-type": content_type,
    }
    kind = channel.form
    if isinstance(kind, Static) and channel.credentials:
        headers[kind.header.encode()] = kind.prefix.encode() + _credential(channel, credential)
    own = _CREDENTIALS if kind is None or isinstance(kind, Signing) else _named_too(kind)
    headers |= operators
    return _Head(
        channel=channel,
        credential=credential,
        origin=Origin(scheme, host, port, channel.proxy),
        target=line,
        headers=headers,
        defaults={
            name: value for name, value in _defaults(provider).items() if name not in headers
        },
        forwards=frozenset(name.encode() for name in provider.forwards)
        - FIXED
        - own
        - frozenset(operators),
        named=frozenset(operators),
    )


def _named_too(kind: Static | Renewed) -> frozenset[bytes]:
    """Headers of credentials, a provider's own among them."""
    header = kind.header if isinstance(kind, Static) else kind.header.header
    return _CREDENTIALS | {header.encode()}


def _accept(provider: Provider, operation: Operation, *, framed: bool) -> bytes:
    if framed:
        return provider.stream_accept.get(operation, EVENTS).encode()
    return provider.accept.get(operation, JSON).encode()


def _request(
    head: _Head,
    body: bytes | Body,
    *,
    method: bytes = b"POST",
    line: bytes | None = None,
    forwarded: Sequence[tuple[bytes, bytes]] = (),
    more: Sequence[tuple[bytes, bytes]] = (),
    stream: bool = False,
    limits: TimeLimits | None = None,
) -> Request:
    """Any request: written, or a draft. ``line``: instead of the head's path and query."""
    channel = head.channel
    target = head.target if line is None else line
    if not _TARGET.fullmatch(target):
        raise ValueError(f"channel {channel.name!r}: no request can be written to this path")
    callers = [each for each in forwarded if each[0] in head.forwards]
    added = [(name, value) for name, value in (*callers, *more) if _VALUE.fullmatch(value)]
    names = {name for name, _ in added}
    size = len(body) if isinstance(body, bytes) else body.size
    lines = (
        *head.headers.items(),
        *(each for each in head.defaults.items() if each[0] not in names),
        *added,
    )
    draft, payload = None, b""
    if head.is_late:
        drafted = DraftHead(
            channel=channel,
            credential=head.credential,
            method=method,
            target=target,
            lines=lines,
            named=head.named,
        )
        draft = Draft(head=drafted, body=body)
    else:
        payload = written(method, target, (*lines, (b"content-length", b"%d" % size)))
        if isinstance(body, bytes):
            payload += body
    return Request(
        origin=head.origin,
        payload=payload,
        limits=limits or channel.limits,
        paced=stream,
        body=None if isinstance(body, bytes) else body,
        draft=draft,
    )


def _with_callers(head: _Head, forwarded: Sequence[tuple[bytes, bytes]]) -> DraftHead:
    """A draft's head with a caller's headers, those that travel."""
    added = tuple(
        [line for line in forwarded if line[0] in head.forwards and _VALUE.fullmatch(line[1])]
    )
    if not added:
        return head.drafted
    known = head.callers.get(added)
    if known is not None:
        return known
    names = {name for name, _ in added}
    defaults = [line for line in head.defaults.items() if line[0] not in names]
    is_shared = sum([len(name) + len(value) for name, value in added]) <= CALLERS_BYTES_MAX
    found = DraftHead(
        channel=head.channel,
        credential=head.credential,
        method=b"POST",
        target=head.target,
        lines=(*head.headers.items(), *defaults, *added),
        named=head.named,
        is_shared=is_shared,
    )
    if is_shared:
        if len(head.callers) >= CALLERS_MAX:
            head.callers.clear()
        head.callers[added] = found
    return found


def checked_line(name: str, value: str) -> tuple[bytes, bytes]:
    """A header of the provider's code. Raises ``ValueError``, without the value, for no header."""
    raw_name, raw = name.encode("utf-8"), value.encode("utf-8")
    if not _TOKEN.fullmatch(raw_name) or not _VALUE.fullmatch(raw):
        raise ValueError(f"{name!r} cannot be written as a header")
    return raw_name, raw


def written(method: bytes, target: bytes, lines: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return a request's head as it goes over the wire."""
    return b"%b %b HTTP/1.1\r\n%b\r\n" % (method, target, _written(lines))


def _with_forwarded(head: _Head, forwarded: Sequence[tuple[bytes, bytes]], body: bytes) -> bytes:
    lines = [
        (name, b"%b: %b\r\n" % (name, value))
        for name, value in forwarded
        if name in head.forwards and _VALUE.fullmatch(value)
    ]
    named = {name for name, _ in lines}
    return b"".join(
        (
            head.start,
            *(line for name, line in head.default_lines.items() if name not in named),
            *(line for _, line in lines),
            b"content-length: %d\r\n\r\n" % len(body),
            body,
        )
    )


def _operators(channel: Channel) -> dict[bytes, bytes]:
    """The channel's own headers, checked."""
    found: dict[bytes, bytes] = {}
    for name, value in channel.headers.items():
        low = name.lower().encode("utf-8")
        raw = value.strip().encode("utf-8")
        if low in FIXED:
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


def _written(lines: Iterable[tuple[bytes, bytes]]) -> bytes:
    return b"".join([b"%b: %b\r\n" % each for each in lines])


def _line(name: bytes, value: bytes) -> bytes:
    return b"%b: %b\r\n" % (name, value)
