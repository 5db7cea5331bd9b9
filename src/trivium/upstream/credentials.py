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
from trivium.upstream.repeated_call import Presenter, RepeatedCall
from trivium.upstream.request import Draft, Request
from trivium.upstream.signing import (
    SignaturePresenter,
    SignedHead,
    VendorClocks,
    finished,
    unusable,
)
from trivium.upstream.tokens import TokenSource, VendorTokens, revealed
from trivium.upstream.vendor_identity import VendorIdentity

KEPT_MAX: Final = 1_024
"""Heads that are signed, channels times models in use, of which is kept what requests share. All go
when it is exceeded."""


class Credentials:
    """Makes the calls of drafts. Belongs to a client, by which it makes them."""

    def __init__(self, client: Client, clock: Clock, ca_file: str | None = None) -> None:
        """``ca_file``: what libraries that find identities check certificates against."""
        self._client = client
        self._clocks = VendorClocks(clock)
        self._tokens = VendorTokens(client, clock, ca_file)
        self._kept: dict[int, SignedHead] = {}
        """By the identity of the draft's head."""

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
        head = draft.head
        kind = head.channel.form
        if isinstance(kind, Renewed):
            return TokenPresenter(request, draft, kind, self._tokens.of(head, kind))
        assert isinstance(kind, Signing)
        kept = self._kept.get(id(head))
        if kept is None or kept.head is not head:
            kept = SignedHead(head, kind, revealed(head.channel, head.credential))
            if head.is_shared:
                if len(self._kept) >= KEPT_MAX:
                    self._kept.clear()
                self._kept[id(head)] = kept
        source = self._tokens.of(head, kind) if kept.is_found else None
        return SignaturePresenter(request, draft, kept, source, self._clocks)


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

    def _carrying(self, found: FoundSecret) -> Request:
        self._found = found
        header = self._kind.header
        try:
            token = found.parts[TOKEN]
            return finished(self._request, self._draft, {header.header: header.prefix + token})
        except KeyError:
            raise unusable(self._draft.head, ValueError("the finder found no token")) from None
        except ValueError as error:
            raise unusable(self._draft.head, error) from None
