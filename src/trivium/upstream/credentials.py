"""Puts the credential into requests that do not carry it yet: a token, or a signature.

A draft is written when it goes out, so that each attempt is signed anew and carries the token of
that moment. What need not be waited for is not: a valid token, and the signature of a body that is
held in one piece, by parts that are given or were found already.
"""

import asyncio
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

import structlog

from trivium.clock import Clock
from trivium.faults import Fault, Kind
from trivium.providers.credential import (
    TOKEN,
    FoundSecret,
    Refusals,
    Remedy,
    Renewed,
    Signature,
    Signing,
    Unsigned,
)
from trivium.routing.model import Channel
from trivium.upstream.answer import AnswerHeaders
from trivium.upstream.call import Call, Client, Sink
from trivium.upstream.repeated_call import Presenter, RepeatedCall
from trivium.upstream.request import Body, Draft, Request
from trivium.upstream.request_writer import FIXED, checked_line, written
from trivium.upstream.tokens import TokenSource, VendorIdentity, VendorTokens, revealed

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

    def set(self, host: str, date: str) -> bool:
        """Take a ``date`` header for the host's time; whether it is far from what we took it for.

        A text that is no date says nothing.
        """
        try:
            at = parsedate_to_datetime(date).timestamp()
        except (ValueError, OverflowError):
            return False
        if abs(at - self.now(host)) < APART_S:
            return False
        apart = at - self._clock.now()
        log.warning("clock_apart", host=host, seconds=round(apart))
        if len(self._apart) >= CLOCKS_MAX:
            self._apart.clear()
        self._apart[host] = apart
        return True


class Credentials:
    """Makes the calls of drafts. Belongs to a client, by which it makes them."""

    def __init__(self, client: Client, clock: Clock, ca_file: str | None = None) -> None:
        """``ca_file``: what libraries that find identities check certificates against."""
        self._client = client
        self._clocks = VendorClocks(clock)
        self._tokens = VendorTokens(client, clock, ca_file)

    def open_now(self, request: Request, draft: Draft, sink: Sink) -> Call | None:
        """As the client's: ``None`` where a secret or a large body's signature is waited for.

        Raises ``Fault`` for a secret that the provider cannot use.
        """
        presenter = self._presenter(request, draft)
        ready = presenter.now()
        if ready is None:
            return None
        if presenter.refusals is None:
            return self._client.open_now(ready, sink)
        repeated = RepeatedCall(self._client, presenter, sink)
        call = self._client.open_now(ready, repeated)
        return None if call is None else repeated.attached(call)

    async def open(self, request: Request, draft: Draft, sink: Sink) -> Call:
        """As the client's. Raises ``Fault``, also where no secret can be had."""
        presenter = self._presenter(request, draft)
        ready = await presenter.later()
        if presenter.refusals is None:
            return await self._client.open(ready, sink)
        repeated = RepeatedCall(self._client, presenter, sink)
        return repeated.attached(await self._client.open(ready, repeated))

    def identity(self, channel: Channel, credential: int) -> VendorIdentity | None:
        """How the secret of a channel's account stands; ``None``: no request has wanted it."""
        return self._tokens.identity(channel, credential)

    def identities(self) -> list[VendorIdentity]:
        """How those of all accounts stand that requests wanted."""
        return self._tokens.identities()

    def close(self) -> None:
        """Renew nothing any more."""
        self._tokens.close()

    def _presenter(self, request: Request, draft: Draft) -> Presenter:
        kind = draft.channel.form
        if isinstance(kind, Renewed):
            return TokenPresenter(request, draft, kind, self._tokens.of(draft, kind))
        assert isinstance(kind, Signing)
        finder = kind.finder
        parts = revealed(draft.channel, draft.credential)
        source = None
        if finder is not None and finder.needed(parts):
            source = self._tokens.of(draft, kind)
        return SignaturePresenter(request, draft, kind, parts, source, self._clocks)


class TokenPresenter(Presenter):
    """Presents a token with a life."""

    __slots__ = ("_draft", "_found", "_kind", "_request", "_source")

    def __init__(self, request: Request, draft: Draft, kind: Renewed, source: TokenSource) -> None:
        self.refusals: Refusals | None = kind.refusals
        self._request = request
        self._draft = draft
        self._kind = kind
        self._source = source
        self._found: FoundSecret | None = None

    def now(self) -> Request | None:
        """The request with a token that is there."""
        found = self._source.valid()
        return None if found is None else self._carrying(found)

    async def later(self) -> Request:
        """The request with a token that is waited for."""
        return self._carrying(await self._source.wait())

    async def again(self, remedy: Remedy, headers: AnswerHeaders) -> Request | None:
        """The request with another token."""
        del remedy, headers
        refused = self._found
        assert refused is not None
        found = await self._source.another(refused)
        return None if found is None else self._carrying(found)

    def _carrying(self, found: FoundSecret) -> Request:
        self._found = found
        header = self._kind.header
        try:
            token = found.parts[TOKEN]
            return _finished(self._request, self._draft, {header.header: header.prefix + token})
        except KeyError:
            raise _unusable(self._draft, ValueError("the finder found no token")) from None
        except ValueError as error:
            raise _unusable(self._draft, error) from None


class SignaturePresenter(Presenter):
    """Signs a request, by parts that are given or found."""

    __slots__ = ("_clocks", "_draft", "_found", "_given", "_kind", "_request", "_source")

    def __init__(
        self,
        request: Request,
        draft: Draft,
        kind: Signing,
        given: Mapping[str, str],
        source: TokenSource | None,
        clocks: VendorClocks,
    ) -> None:
        """``source``: ``None`` where nothing has to be found."""
        self.refusals: Refusals | None = kind.refusals
        self._request = request
        self._draft = draft
        self._kind = kind
        self._given = given
        self._source = source
        self._clocks = clocks
        self._found: FoundSecret | None = None

    def now(self) -> Request | None:
        """The request, signed, where its body is held in one piece."""
        body = self._draft.body
        if not isinstance(body, bytes):
            return None
        if self._source is not None:
            self._found = self._source.valid()
            if self._found is None:
                return None
        signature = self._begun()
        if body:
            signature.update(body)
        return self._signed(signature)

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
            if dates and self._clocks.set(host, dates[0].decode("latin-1")):
                return await self._read()
        if self._source is None or self._found is None:
            return None
        found = await self._source.another(self._found)
        if found is None:
            return None
        self._found = found
        return await self._read()

    async def _read(self) -> Request:
        signature, body = self._begun(), self._draft.body
        if not isinstance(body, bytes):
            await _read(signature, body)
        elif body:
            signature.update(body)
        return self._signed(signature)

    def _begun(self) -> Signature:
        draft, request = self._draft, self._request
        path, _, query = draft.target.partition(b"?")
        headers = {name.decode(): value.decode("latin-1") for name, value in draft.lines}
        if len(headers) < len(draft.lines):  # one comes twice
            headers.clear()
            for name, value in draft.lines:
                word, text = name.decode(), value.decode("latin-1")
                headers[word] = f"{headers[word]}, {text}" if word in headers else text
        unsigned = Unsigned(
            method=draft.method.decode(),
            scheme=request.origin.scheme,
            host=headers["host"],
            path=path.decode(),
            query=query.decode(),
            headers=headers,
            at=self._clocks.now(request.origin.host),
        )
        parts = self._given
        if self._found is not None:
            parts = {**parts, **self._found.parts}
        try:
            return self._kind.begin(parts, unsigned)
        except ValueError as error:
            raise _unusable(draft, error) from None

    def _signed(self, signature: Signature) -> Request:
        try:
            return _finished(self._request, self._draft, signature.headers())
        except ValueError as error:
            raise _unusable(self._draft, error) from None


def _unusable(draft: Draft, error: ValueError) -> Fault:
    """The fault of a credential that cannot be written; the log has the provider's own words."""
    log.warning("credential_unusable", channel=draft.channel.name, why=str(error))
    return Fault(Kind.UPSTREAM_CREDENTIAL, "The gateway has no usable credential for the upstream.")


async def _read(signature: Signature, body: Body) -> None:
    """Let a signature read a large body, a piece a turn of the loop."""
    async for piece in body.pieces():
        signature.update(piece)
        await asyncio.sleep(0)


def _finished(request: Request, draft: Draft, added: Mapping[str, str]) -> Request:
    """The request with the credential's headers; the operator's own go before them.

    Raises ``ValueError`` for what is no header, and for those that frame a request.
    """
    own: dict[bytes, bytes] = {}
    for word, text in added.items():
        name, value = checked_line(word.lower(), text)
        if name in FIXED:
            raise ValueError("a credential may not set the headers that frame a request")
        if name not in draft.named:
            own[name] = value
    kept = [line for line in draft.lines if line[0] not in own]
    head = written(draft.method, draft.target, (*kept, *own.items()))
    payload = head + draft.body if isinstance(draft.body, bytes) else head
    return Request(
        origin=request.origin,
        payload=payload,
        limits=request.limits,
        paced=request.paced,
        body=request.body,
    )
