"""Heads of requests whose credential is put in as they go out, and what such requests share."""

from collections.abc import Mapping
from typing import Final

import structlog

from trivium.faults import Fault, Kind
from trivium.providers.credential import Renewed, Signing
from trivium.upstream.request import Draft, DraftHead, Presenter, Request
from trivium.upstream.request_writer import FIXED, checked_line, written
from trivium.upstream.tokens import TokenSource, VendorTokens

log = structlog.get_logger(__name__)

LENGTH: Final = b"content-length: "


class LateHead:
    """What the requests of one head have in common."""

    __slots__ = ("_source", "_tokens", "head")

    def __init__(self, head: DraftHead, tokens: VendorTokens) -> None:
        self.head = head
        self._tokens = tokens
        self._source: TokenSource | None = None

    def presenter(self, request: Request, draft: Draft) -> Presenter:
        """What writes one of the requests."""
        raise NotImplementedError

    def source(self, kind: Renewed | Signing) -> TokenSource:
        """Where the account's secret comes from."""
        source = self._source
        if source is None or source.is_closed:
            source = self._source = self._tokens.of(self.head, kind)
        return source


def unusable(head: DraftHead, error: ValueError) -> Fault:
    """The fault of a credential that cannot be written; the log has the provider's own words."""
    log.warning("credential_unusable", channel=head.channel.name, why=str(error))
    return Fault(Kind.UPSTREAM_CREDENTIAL, "The gateway has no usable credential for the upstream.")


def started(head: DraftHead, added: Mapping[str, str]) -> bytes:
    """A head up to the value of content-length, with the credential's headers: they take the place
    of others, but never of the operator's own.

    Raises ``ValueError`` for what is no header, and for those that frame a request.
    """
    lines = [checked_line(word.lower(), text) for word, text in added.items()]
    names = frozenset([name for name, _ in lines])
    if not names.isdisjoint(FIXED):
        raise ValueError("a credential may not set the headers that frame a request")
    own = names - head.named
    kept = [line for line in head.lines if line[0] not in own]
    kept += [line for line in lines if line[0] in own]
    return written(head.method, head.target, kept)[:-2] + LENGTH


def ready(
    request: Request, draft: Draft, start: bytes, presenter: Presenter | None = None
) -> Request:
    """The request, written. ``start``: its head up to the value of content-length. ``presenter``:
    what writes it again after a refusal, as far as any has that done.
    """
    body = draft.body
    if isinstance(body, bytes):
        payload = b"%b%d\r\n\r\n%b" % (start, len(body), body)
    else:
        payload = b"%b%d\r\n\r\n" % (start, body.size)
    return Request(
        origin=request.origin,
        payload=payload,
        limits=request.limits,
        paced=request.paced,
        body=request.body,
        presenter=None if presenter is None or presenter.refusals is None else presenter,
    )
