"""Puts the credential into requests that do not carry it yet: a token, or a signature.

A draft is written when it goes out, so that each attempt is signed anew and carries the token of
that moment. What need not be waited for is not: a valid token, and the signature of a body that is
held in one piece, by parts that are given or were found already.
"""

from typing import Final

from trivium.clock import Clock
from trivium.providers.credential import (
    TOKEN,
    FoundSecret,
    Refusals,
    Remedy,
    Renewed,
    Signing,
)
from trivium.routing.model import Channel
from trivium.upstream.answer import AnswerHeaders
from trivium.upstream.call import Call, Client, Sink
from trivium.upstream.late_head import LateHead, ready, started, unusable
from trivium.upstream.repeated_call import RepeatedCall
from trivium.upstream.request import Draft, DraftHead, Presenter, Request
from trivium.upstream.signing import SignedHead, VendorClocks
from trivium.upstream.tokens import TokenSource, VendorTokens
from trivium.upstream.vendor_identity import VendorIdentity

KEPT_MAX: Final = 1_024
"""Heads, channels times models in use, of which is kept what requests share. All go when it is
exceeded."""


class Credentials:
    """Makes the calls of drafts. Belongs to a client, by which it makes them."""

    def __init__(self, client: Client, clock: Clock, ca_file: str | None = None) -> None:
        """``ca_file``: what libraries that find identities check certificates against."""
        self._client = client
        self._clocks = VendorClocks(clock)
        self._tokens = VendorTokens(client, clock, ca_file)
        self._kept: dict[int, LateHead] = {}
        """By the identity of the draft's head, which each keeps, so that it is no other's."""

    def written(self, request: Request, draft: Draft) -> Request:
        """As the client's: the request itself where a secret or a large body's signature is
        waited for. Raises ``Fault`` for a secret that the provider cannot use.
        """
        return self._presenter(request, draft).now() or request

    def repeated(self, presenter: Presenter, sink: Sink) -> RepeatedCall:
        """What stands between a call and its sink, where a refusal has it made once more."""
        return RepeatedCall(self._client, presenter, sink)

    async def open(self, request: Request, sink: Sink) -> Call:
        """As the client's. Raises ``Fault``, also where no secret can be had.

        What is written already is written anew: it has waited since.
        """
        draft = request.draft
        presenter = request.presenter if draft is None else self._presenter(request, draft)
        assert presenter is not None
        ready = await presenter.later()
        if presenter.refusals is None:
            return await self._client.open(ready, sink)
        repeated = self.repeated(presenter, sink)
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
        head = draft.head
        kept = self._kept.get(id(head))
        if kept is None:
            kept = self._late(head)
            if head.is_shared:
                if len(self._kept) >= KEPT_MAX:
                    self._kept.clear()
                self._kept[id(head)] = kept
        return kept.presenter(request, draft)

    def _late(self, head: DraftHead) -> LateHead:
        kind = head.channel.form
        if isinstance(kind, Renewed):
            return TokenHead(head, self._tokens, kind)
        assert isinstance(kind, Signing)
        return SignedHead(head, self._tokens, kind, self._clocks)


class TokenHead(LateHead):
    """What requests of one head have in common that present a token: all, while it is valid."""

    __slots__ = ("_found", "_start", "kind")

    def __init__(self, head: DraftHead, tokens: VendorTokens, kind: Renewed) -> None:
        super().__init__(head, tokens)
        self.kind = kind
        self._found: FoundSecret | None = None
        """Whose token ``_start`` has."""
        self._start = b""

    def presenter(self, request: Request, draft: Draft) -> Presenter:
        """What presents the token in one of the requests."""
        return TokenPresenter(request, draft, self, self.source(self.kind))

    def start(self, found: FoundSecret) -> bytes:
        """A request with the token, up to the value of content-length. Raises ``ValueError``."""
        if found is not self._found:
            token = found.parts.get(TOKEN)
            if token is None:
                raise ValueError("the finder found no token")
            header = self.kind.header
            self._start = started(self.head, {header.header: header.prefix + token})
            self._found = found
        return self._start


class TokenPresenter:
    """Presents a token with a life."""

    __slots__ = ("_draft", "_found", "_kept", "_request", "_source", "refusals")

    def __init__(
        self, request: Request, draft: Draft, kept: TokenHead, source: TokenSource
    ) -> None:
        self.refusals: Refusals | None = kept.kind.refusals
        self._request = request
        self._draft = draft
        self._kept = kept
        self._source = source
        self._found: FoundSecret | None = None

    def now(self) -> Request | None:
        """The request with a token that is there."""
        found = self._source.valid()
        return None if found is None else self._carrying(found, self)

    async def later(self) -> Request:
        """The request with a token that is waited for."""
        return self._carrying(await self._source.wait())

    async def again(
        self,
        remedy: Remedy,  # noqa: ARG002 - mypyc deletes no argument of a coroutine
        headers: AnswerHeaders,  # noqa: ARG002
    ) -> Request | None:
        """The request with another token."""
        refused = self._found
        assert refused is not None
        found = await self._source.another(refused)
        return None if found is None else self._carrying(found)

    def _carrying(self, found: FoundSecret, presenter: Presenter | None = None) -> Request:
        self._found = found
        try:
            start = self._kept.start(found)
        except ValueError as error:
            raise unusable(self._draft.head, error) from None
        return ready(self._request, self._draft, start, presenter)
