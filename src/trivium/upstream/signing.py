"""Signs requests as they go out: by parts that are given or found, at the vendor's own time.

What requests of one head have in common is worked out once (``SignedHead``): what is left for each
is its signature and its last lines (``bench/signing.py`` measures it).
"""

import asyncio
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime
from typing import Final

import structlog

from trivium.clock import Clock
from trivium.faults import Fault, Kind
from trivium.providers.credential import (
    FoundSecret,
    Refusals,
    Remedy,
    Signature,
    Signer,
    Signing,
    Unsigned,
)
from trivium.upstream.answer import AnswerHeaders
from trivium.upstream.repeated_call import Presenter
from trivium.upstream.request import Body, Draft, DraftHead, Origin, Request
from trivium.upstream.request_writer import FIXED, checked_line, written
from trivium.upstream.tokens import TokenSource

log = structlog.get_logger(__name__)

APART_S: Final = 60.0
"""A clock that differs by less is not what a vendor refuses: vendors allow for minutes."""
CLOCKS_MAX: Final = 256
"""Hosts whose clocks are remembered; all go when it is exceeded."""


class VendorClocks:
    """How far vendors' clocks are from ours, where that had requests refused."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._apart: dict[str, float] = {}

    def now(self, host: str) -> float:
        """Seconds since the epoch, as the host counts them."""
        return self._clock.now() + self._apart.get(host, 0.0)

    def set(self, host: str, date: str, signed_at: float) -> bool:
        """Take a ``date`` header for the host's time; whether it is far from when a request was
        signed, by the host's time as it was taken then: another one may have been told meanwhile.

        A text that is no date says nothing.
        """
        try:
            at = parsedate_to_datetime(date).timestamp()
        except (ValueError, OverflowError):
            return False
        is_apart = abs(at - signed_at) >= APART_S
        if abs(at - self.now(host)) < APART_S:
            return is_apart
        apart = at - self._clock.now()
        log.warning("clock_apart", host=host, seconds=round(apart))
        if len(self._apart) >= CLOCKS_MAX:
            self._apart.clear()
        self._apart[host] = apart
        return is_apart


class SignedHead:
    """What the signed requests of one head have in common."""

    __slots__ = (
        "_found",
        "_names",
        "_own",
        "_signer",
        "_start",
        "head",
        "is_found",
        "kind",
        "parts",
    )

    def __init__(self, head: DraftHead, kind: Signing, parts: Mapping[str, str]) -> None:
        """``parts``: those of the secret that the channel gives."""
        self.head = head
        self.kind = kind
        self.parts = parts
        finder = kind.finder
        self.is_found = finder is not None and finder.needed(parts)
        """Whether others have to be found."""
        self._found: FoundSecret | None = None
        """Whose parts the signer has."""
        self._signer: Signer | None = None
        self._names: tuple[str, ...] = ()
        self._own: tuple[bytes | None, ...] = ()
        """The names as they are written; ``None`` for one that the operator wrote by hand."""
        self._start = b""
        """From the request line to the last header that is the same in all."""

    def whole(self, found: FoundSecret | None) -> Mapping[str, str]:
        """All parts of the secret."""
        return self.parts if found is None else {**self.parts, **found.parts}

    def unsigned(self, origin: Origin, at: float, size: int | None = None) -> Unsigned:
        """A request as a signature is made of it; ``size``: its body's, where that is told."""
        head = self.head
        lines = head.lines if size is None else (*head.lines, (b"content-length", b"%d" % size))
        headers: dict[str, str] = {}
        for name, value in lines:
            word, text = name.decode(), value.decode("latin-1")
            headers[word] = f"{headers[word]}, {text}" if word in headers else text
        path, _, query = head.target.partition(b"?")
        return Unsigned(
            method=head.method.decode(),
            scheme=origin.scheme,
            host=headers["host"],
            path=path.decode(),
            query=query.decode(),
            headers=headers,
            at=at,
        )

    def payload(
        self, origin: Origin, body: bytes, found: FoundSecret | None, at: float
    ) -> bytes | None:
        """A request, signed, with its body; ``None``: nothing can be kept for this one.

        Raises ``ValueError`` for what is no header, and for those that frame a request.
        """
        signer = self._signer
        if signer is None or found is not self._found:
            prepare = self.kind.prepare
            if prepare is None or not self.head.is_shared:
                return None
            signer = prepare(self.whole(found), self.unsigned(origin, at))
            self._signer, self._found = signer, found
        added = signer.sign(body, at)
        names = tuple(added)
        if names != self._names:
            own = _own_names(self.head, names)
            self._start = _start(self.head, own)
            self._own = tuple(name if name in own else None for name in map(_low, names))
            self._names = names
        pieces = [self._start]
        for name, text in zip(self._own, added.values(), strict=True):
            if text.isascii() and text.isprintable():
                value = text.encode()
            else:
                value = checked_line("a header", text)[1]
            if name is not None:
                pieces.append(b"%b: %b\r\n" % (name, value))
        pieces.append(b"content-length: %d\r\n\r\n" % len(body))
        pieces.append(body)
        return b"".join(pieces)


class SignaturePresenter(Presenter):
    """Signs a request, by parts that are given or found."""

    __slots__ = ("_at", "_clocks", "_draft", "_found", "_kept", "_request", "_source")

    def __init__(
        self,
        request: Request,
        draft: Draft,
        kept: SignedHead,
        source: TokenSource | None,
        clocks: VendorClocks,
    ) -> None:
        """``source``: ``None`` where nothing has to be found."""
        self.refusals: Refusals | None = kept.kind.refusals
        self._request = request
        self._draft = draft
        self._kept = kept
        self._source = source
        self._clocks = clocks
        self._found: FoundSecret | None = None
        self._at = 0.0
        """When it was signed last, by the vendor's time."""

    def now(self) -> Request | None:
        """The request, signed, where its body is held in one piece."""
        body = self._draft.body
        if not isinstance(body, bytes):
            return None
        if self._source is not None:
            self._found = self._source.valid()
            if self._found is None:
                return None
        return self._whole(body)

    async def later(self) -> Request:
        """The request, signed, once its secret is there and its body was read."""
        if self._source is not None:
            self._found = await self._source.wait()
        return await self._read()

    async def again(self, remedy: Remedy, headers: AnswerHeaders) -> Request | None:
        """The request, signed by another secret or another clock."""
        if remedy is Remedy.CLOCK:
            dates = headers.values(b"date")
            host = self._request.origin.host
            if dates and self._clocks.set(host, dates[0].decode("latin-1"), self._at):
                return await self._read()
        if self._source is None or self._found is None:
            return None
        found = await self._source.another(self._found)
        if found is None:
            return None
        self._found = found
        return await self._read()

    async def _read(self) -> Request:
        body = self._draft.body
        if isinstance(body, bytes):
            return self._whole(body)
        signature = self._begun(body.size)
        await _read(signature, body)
        return self._signed(signature)

    def _whole(self, body: bytes) -> Request:
        """The request with a body that is held."""
        request = self._request
        origin = request.origin
        try:
            self._at = at = self._clocks.now(origin.host)
            payload = self._kept.payload(origin, body, self._found, at)
        except ValueError as error:
            raise unusable(self._draft.head, error) from None
        if payload is None:
            signature = self._begun(len(body))
            if body:
                signature.update(body)
            return self._signed(signature)
        return Request(origin=origin, payload=payload, limits=request.limits, paced=request.paced)

    def _begun(self, size: int) -> Signature:
        kept, origin = self._kept, self._request.origin
        self._at = self._clocks.now(origin.host)
        unsigned = kept.unsigned(origin, self._at, size)
        try:
            return kept.kind.begin(kept.whole(self._found), unsigned)
        except ValueError as error:
            raise unusable(self._draft.head, error) from None

    def _signed(self, signature: Signature) -> Request:
        try:
            return finished(self._request, self._draft, signature.headers())
        except ValueError as error:
            raise unusable(self._draft.head, error) from None


def unusable(head: DraftHead, error: ValueError) -> Fault:
    """The fault of a credential that cannot be written; the log has the provider's own words."""
    log.warning("credential_unusable", channel=head.channel.name, why=str(error))
    return Fault(Kind.UPSTREAM_CREDENTIAL, "The gateway has no usable credential for the upstream.")


def finished(request: Request, draft: Draft, added: Mapping[str, str]) -> Request:
    """The request with the credential's headers; the operator's own go before them.

    Raises ``ValueError`` for what is no header, and for those that frame a request.
    """
    head, body = draft.head, draft.body
    own = _own_names(head, added)
    size = len(body) if isinstance(body, bytes) else body.size
    lines = [checked_line(word.lower(), text) for word, text in added.items()]
    rest = [line for line in lines if line[0] in own]
    rest.append((b"content-length", b"%d" % size))
    kept = [line for line in head.lines if line[0] not in own]
    payload = written(head.method, head.target, (*kept, *rest))
    return Request(
        origin=request.origin,
        payload=payload + body if isinstance(body, bytes) else payload,
        limits=request.limits,
        paced=request.paced,
        body=request.body,
    )


async def _read(signature: Signature, body: Body) -> None:
    """Let a signature read a large body, a piece a turn of the loop."""
    async for piece in body.pieces():
        signature.update(piece)
        await asyncio.sleep(0)


def _low(word: str) -> bytes:
    return word.lower().encode()


def _own_names(head: DraftHead, words: Iterable[str]) -> frozenset[bytes]:
    """Names of a credential's headers, but those that the operator wrote by hand.

    Raises ``ValueError`` for what is no name, and for those that frame a request.
    """
    names = frozenset(checked_line(word.lower(), "")[0] for word in words)
    if not names.isdisjoint(FIXED):
        raise ValueError("a credential may not set the headers that frame a request")
    return names - head.named


def _start(head: DraftHead, own: frozenset[bytes]) -> bytes:
    """A head without the lines that a credential's own take the place of, and without its end."""
    kept = [line for line in head.lines if line[0] not in own]
    return written(head.method, head.target, kept)[:-2]
