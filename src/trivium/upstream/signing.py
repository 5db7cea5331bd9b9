"""Signs requests as they go out: by parts that are given or found, at the vendor's own time.

What requests of one head have in common is worked out once (``SignedHead``): what is left for each
is its signature and its last lines (``bench/signing.py`` measures it).
"""

import asyncio
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

import structlog

from trivium.clock import Clock
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
from trivium.upstream.late_head import LENGTH, LateHead, ready, started, unusable
from trivium.upstream.request import Body, Draft, DraftHead, Origin, Presenter, Request
from trivium.upstream.request_writer import checked_line
from trivium.upstream.tokens import TokenSource, VendorTokens, revealed

log = structlog.get_logger(__name__)

APART_S: Final = 60.0
"""A clock that differs by less is not what a vendor refuses: vendors allow for minutes."""
CLOCKS_MAX: Final = 256
"""Hosts whose clocks are remembered; all go when it is exceeded."""

_END: Final = b"\r\n" + LENGTH
"""Behind what a request has of its own."""


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


class SignedHead(LateHead):
    """What the signed requests of one head have in common."""

    __slots__ = (
        "_added", "_clocks", "_found", "_is_open", "_signer", "_start", "is_found", "kind", "parts",
    )  # fmt: skip

    def __init__(
        self, head: DraftHead, tokens: VendorTokens, kind: Signing, clocks: VendorClocks
    ) -> None:
        super().__init__(head, tokens)
        self.kind = kind
        self.parts: Mapping[str, str] = revealed(head.channel, head.credential)
        """Those of the secret that the channel gives."""
        finder = kind.finder
        self.is_found = finder is not None and finder.needed(self.parts)
        """Whether others have to be found."""
        self._clocks = clocks
        self._found: FoundSecret | None = None
        """Whose parts the signer has."""
        self._signer: Signer | None = None
        self._added: Mapping[str, str] | None = None
        """The signer's headers that ``_start`` has."""
        self._start = b""
        """From the request line to the beginning of what each request has of its own."""
        self._is_open = False
        """Whether that begins within a line; not where the operator wrote the last one by hand."""

    def presenter(self, request: Request, draft: Draft) -> Presenter:
        """What signs one of the requests."""
        source = self.source(self.kind) if self.is_found else None
        return SignaturePresenter(request, draft, self, source, self._clocks)

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

    def start(
        self, origin: Origin, body: bytes, found: FoundSecret | None, at: float
    ) -> bytes | None:
        """A request, signed, up to the value of content-length; ``None``: nothing can be kept for
        this one.

        Raises ``ValueError`` for what is no header, and for those that frame a request.
        """
        signer = self._signer
        if signer is None or found is not self._found:
            prepare = self.kind.prepare
            if prepare is None or not self.head.is_shared:
                return None
            signer = prepare(self.whole(found), self.unsigned(origin, at))
            self._signer, self._found = signer, found
        added, ending = signer.sign(body, at)
        if added is not self._added:
            self._write(added)
        own = ending.encode()
        if not own.isalnum():
            own = checked_line("signature", ending)[1]
        return self._start + own + _END if self._is_open else self._start

    def _write(self, added: Mapping[str, str]) -> None:
        """Take the signer's headers. Raises ``ValueError`` as ``start`` does."""
        self._added = None
        whole = started(self.head, added)
        last = [name.lower().encode() for name in added][-1:]
        self._is_open = bool(last) and last[0] not in self.head.named
        self._start = whole.removesuffix(_END) if self._is_open else whole
        self._added = added


class SignaturePresenter:
    """Signs a request, by parts that are given or found."""

    __slots__ = (
        "_at", "_clocks", "_draft", "_found", "_kept", "_request", "_source", "refusals",
    )  # fmt: skip

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
        return self._whole(body, self)

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

    def _whole(self, body: bytes, presenter: Presenter | None = None) -> Request:
        """The request with a body that is held."""
        request = self._request
        origin = request.origin
        try:
            self._at = at = self._clocks.now(origin.host)
            start = self._kept.start(origin, body, self._found, at)
        except ValueError as error:
            raise unusable(self._draft.head, error) from None
        if start is None:
            signature = self._begun(len(body))
            if body:
                signature.update(body)
            return self._signed(signature, presenter)
        return ready(request, self._draft, start, presenter)

    def _begun(self, size: int) -> Signature:
        kept, origin = self._kept, self._request.origin
        self._at = self._clocks.now(origin.host)
        unsigned = kept.unsigned(origin, self._at, size)
        try:
            return kept.kind.begin(kept.whole(self._found), unsigned)
        except ValueError as error:
            raise unusable(self._draft.head, error) from None

    def _signed(self, signature: Signature, presenter: Presenter | None = None) -> Request:
        try:
            start = started(self._draft.head, signature.headers())
        except ValueError as error:
            raise unusable(self._draft.head, error) from None
        return ready(self._request, self._draft, start, presenter)


async def _read(signature: Signature, body: Body) -> None:
    """Let a signature read a large body, a piece a turn of the loop."""
    async for piece in body.pieces():
        signature.update(piece)
        await asyncio.sleep(0)
