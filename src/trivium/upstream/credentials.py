"""Puts the credential into requests that do not carry it yet: a token, or a signature.

A draft is written when it goes out, so that each attempt is signed anew and carries the token of
that moment. What need not be waited for is not: a valid token, and the signature of a body that is
held in one piece.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

import msgspec
import structlog

from trivium.clock import Clock
from trivium.faults import Fault, Kind
from trivium.providers.credential import Renewed, Signature, Signing, Unsigned
from trivium.upstream.answer import AnswerHeaders
from trivium.upstream.call import Call, Client, Sink
from trivium.upstream.request import Body, Draft, Request
from trivium.upstream.request_writer import FIXED, checked_line, written
from trivium.upstream.tokens import TokenSource, VendorTokens, revealed

log = structlog.get_logger(__name__)

_UNAUTHORIZED: Final = 401


class Credentials:
    """Makes the calls of drafts. Belongs to a client, by which it makes them."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._tokens = VendorTokens(client, clock)

    def open_now(self, request: Request, draft: Draft, sink: Sink) -> Call | None:
        """As the client's: ``None`` where a token or a large body's signature is waited for.

        Raises ``Fault`` for a secret that the provider cannot use.
        """
        kind = draft.channel.provider.credential
        if isinstance(kind, Signing):
            body = draft.body
            if not isinstance(body, bytes):
                return None
            signature = self._begun(kind, request, draft)
            if body:
                signature.update(body)
            return self._client.open_now(_signed(request, draft, signature), sink)
        assert isinstance(kind, Renewed)
        source = self._tokens.of(draft, kind)
        token = source.valid()
        if token is None:
            return None
        renewing = Renewing(self._client, request, draft, source, sink)
        call = self._client.open_now(renewing.carrying(token), renewing)
        return None if call is None else renewing.attached(call)

    async def open(self, request: Request, draft: Draft, sink: Sink) -> Call:
        """As the client's. Raises ``Fault``, also where no token can be had."""
        kind = draft.channel.provider.credential
        if isinstance(kind, Signing):
            signature = self._begun(kind, request, draft)
            if not isinstance(draft.body, bytes):
                await _read(signature, draft.body)
            elif draft.body:
                signature.update(draft.body)
            return await self._client.open(_signed(request, draft, signature), sink)
        assert isinstance(kind, Renewed)
        source = self._tokens.of(draft, kind)
        renewing = Renewing(self._client, request, draft, source, sink)
        ready = renewing.carrying(await source.wait())
        return renewing.attached(await self._client.open(ready, renewing))

    def close(self) -> None:
        """Renew no token any more."""
        self._tokens.close()

    def _begun(self, kind: Signing, request: Request, draft: Draft) -> Signature:
        path, _, query = draft.target.partition(b"?")
        headers: dict[str, str] = {}
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
            at=self._clock.now(),
        )
        try:
            return kind.begin(revealed(draft.channel, draft.credential), unsigned)
        except ValueError as error:
            raise _unusable(draft, error) from None


def _unusable(draft: Draft, error: ValueError) -> Fault:
    """The fault of a credential that cannot be written; the log has the provider's own words."""
    log.warning("credential_unusable", channel=draft.channel.name, why=str(error))
    return Fault(Kind.UPSTREAM_CREDENTIAL, "The gateway has no usable credential for the upstream.")


async def _read(signature: Signature, body: Body) -> None:
    """Let a signature read a large body, a piece a turn of the loop."""
    async for piece in body.pieces():
        signature.update(piece)
        await asyncio.sleep(0)


def _signed(request: Request, draft: Draft, signature: Signature) -> Request:
    try:
        return _finished(request, draft, signature.headers())
    except ValueError as error:
        raise _unusable(draft, error) from None


def _finished(request: Request, draft: Draft, added: Mapping[str, str]) -> Request:
    """The request with the credential's headers; the operator's own go before them.

    Raises ``ValueError`` for what is no header, and for those that frame a request.
    """
    lines = [checked_line(name.lower(), value) for name, value in added.items()]
    own = {name: value for name, value in lines if name not in draft.named}
    if not FIXED.isdisjoint(own):
        raise ValueError("a credential may not set the headers that frame a request")
    kept = [line for line in draft.lines if line[0] not in own]
    head = written(draft.method, draft.target, (*kept, *own.items()))
    payload = head + draft.body if isinstance(draft.body, bytes) else head
    return msgspec.structs.replace(request, payload=payload, draft=None)


class Renewing(Sink, Call):
    """A call that carries a token: on the vendor's first 401 it is made once more with another."""

    __slots__ = (
        "_call", "_client", "_draft", "_is_over", "_is_paused", "_is_second", "_request", "_sink",
        "_source", "_task", "_token", "reused",
    )  # fmt: skip

    def __init__(
        self, client: Client, request: Request, draft: Draft, source: TokenSource, sink: Sink
    ) -> None:
        self._client = client
        self._request = request
        self._draft: Draft | None = draft
        self._source = source
        self._sink = sink
        self._token = ""
        self._call: Call | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_second = self._is_paused = self._is_over = False
        self.reused = False

    def carrying(self, token: str) -> Request:
        """The request with a token."""
        draft = self._draft
        assert draft is not None
        kind = draft.channel.provider.credential
        assert isinstance(kind, Renewed)
        self._token = token
        header = kind.header
        return _finished(self._request, draft, {header.header: header.prefix + token})

    def attached(self, call: Call) -> Call:
        """Run by this call from now on; the object itself."""
        self._call = call
        self.reused = call.reused
        return self

    # --- the vendor's side ----------------------------------------------------------------------

    def head(self, status: int, headers: AnswerHeaders) -> None:
        """The first 401 has the token renewed; any other head is the answer's."""
        if status != _UNAUTHORIZED or self._is_second:
            self._draft = None  # not to be written again: streams would keep their prompts
            self._sink.head(status, headers)
            return
        self._is_second = True
        self._hang_up()
        self._task = asyncio.get_running_loop().create_task(self._again(headers), name="token")

    def data(self, data: bytes) -> None:
        """Body bytes of one read."""
        self._sink.data(data)

    def done(self, rest: bytes = b"") -> None:
        """The answer is whole."""
        self._call = None
        self._sink.done(rest)

    def broke(self, fault: Fault) -> None:
        """The answer cannot go on."""
        self._call = None
        self._sink.broke(fault)

    # --- the caller's side ----------------------------------------------------------------------

    def pause(self) -> None:
        """Stop reading, also what is to come."""
        self._is_paused = True
        if self._call is not None:
            self._call.pause()

    def resume(self) -> None:
        """Read the answer again, also of a call that is still to come."""
        self._is_paused = False
        if self._call is not None:
            self._call.resume()

    def abort(self) -> None:
        """Hang up and call the sink no more. Harmless after the end."""
        self._is_over = True
        if self._task is not None:
            self._task.cancel()
        self._hang_up()

    # --- own ------------------------------------------------------------------------------------

    def _hang_up(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call.abort()

    async def _again(self, refusal: AnswerHeaders) -> None:
        """Make the call with another token, or hand on the refusal."""
        try:
            token = await self._source.another(self._token)
            if token is not None:
                call = await self._client.open(self.carrying(token), self)
                self._call = call
                if self._is_paused:
                    call.pause()
                return
        except Fault as fault:
            self._sink.broke(fault)
            return
        self._sink.head(_UNAUTHORIZED, refusal)
        self._sink.done()
