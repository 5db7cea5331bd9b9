"""One HTTP request to a vendor, composed and not yet written. See ``upstream/call.py``."""

from collections.abc import AsyncIterator
from typing import Protocol

import msgspec

from trivium.providers.credential import Refusals, Remedy
from trivium.routing.model import Channel, TimeLimits
from trivium.upstream.answer import AnswerHeaders


class Origin(msgspec.Struct, frozen=True, gc=False):
    """Where connections go; connections are pooled and limited per origin."""

    scheme: str
    """``http`` or ``https``."""
    host: str
    port: int
    proxy: str | None = None
    """``http://…`` or ``socks5://…``; ``None``: direct."""


class Body(Protocol):
    """A request body that is too large to be held: written piece by piece."""

    size: int
    """Bytes of the whole."""
    content_type: bytes

    def pieces(self) -> AsyncIterator[bytes]:
        """All of it, from the start; each attempt asks again. Raises ``Fault``."""
        ...


class DraftHead(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What is written before a draft's body, without its credential and its length."""

    channel: Channel
    credential: int
    """Which of the channel's credentials."""
    method: bytes
    target: bytes
    """Path and query."""
    lines: tuple[tuple[bytes, bytes], ...]
    """Every header but the credential's and ``content-length``, names in lower case; ``host`` is
    the first."""
    named: frozenset[bytes]
    """Headers that the operator wrote by hand: no credential takes their place."""
    is_shared: bool = False
    """Whether other requests have this very object, so that what is worked out of it is kept."""


class Draft(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A request that waits for its credential: a token, or a signature over all of it."""

    head: DraftHead
    body: bytes | Body


class Presenter(Protocol):
    """Writes one draft with its credential, as often as it is sent."""

    refusals: Refusals | None
    """Which answers have it sent once more; ``None``: none."""

    def now(self) -> "Request | None":
        """The request, ready, with this as its ``presenter`` where refusals have it sent once more;
        ``None`` where something is waited for. Raises ``Fault``.
        """
        ...

    async def later(self) -> "Request":
        """The request, ready, however long it takes. Raises ``Fault`` where it cannot be."""
        ...

    async def again(self, remedy: Remedy, headers: AnswerHeaders) -> "Request | None":
        """The request as it is to be sent after a refusal; ``None``: there is no other way.

        ``headers`` are the refusal's. Raises ``Fault``.
        """
        ...


class Request(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One HTTP request, ready to be written."""

    origin: Origin
    payload: bytes
    """Head and body in one piece: one write."""
    limits: TimeLimits
    paced: bool = False
    """Whether the answer is taken apart as it comes, so that it is handed on in slices."""
    body: Body | None = None
    """What follows the payload, which is then the head alone."""
    draft: Draft | None = None
    """What it is written of by ``upstream/credentials.py`` when it goes out; the payload is empty
    then. ``None``: it is written."""
    presenter: Presenter | None = None
    """What wrote it, and writes it again where its credential is refused."""
