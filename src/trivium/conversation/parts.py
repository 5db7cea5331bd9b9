"""What is said, piece by piece: text, media, reasoning, refusals, vendors' own blocks.

A part's class is its kind. Order matters, nothing is merged: a signature belongs to the exact part
it came on. Parts are values; change one with ``msgspec.structs.replace``.
"""

from enum import Enum, unique
from typing import Final

import msgspec

from trivium.conversation.opaque import Opaque


class Native(msgspec.Struct, frozen=True, gc=False):
    """Raw JSON that only one shape understands."""

    shape: str
    data: bytes


class CacheMark(msgspec.Struct, frozen=True, gc=False):
    """The caller's mark that everything up to here is to be cached."""

    ttl: str | None = None
    """``5m`` or ``1h`` (messages), ``30m`` or ``12h`` (OpenAI); ``None``: the vendor's default."""


class Inline(msgspec.Struct, frozen=True, gc=False):
    """Bytes that travel in the body."""

    mime: str
    data: str
    """Standard base64 with padding, whatever alphabet it came in."""
    name: str | None = None
    """File name."""


class Remote(msgspec.Struct, frozen=True, gc=False):
    """A URL that the vendor is to fetch; never a ``data:`` URL, those are ``Inline``."""

    url: str
    mime: str | None = None
    name: str | None = None


class Stored(msgspec.Struct, frozen=True, gc=False):
    """A file uploaded to a vendor; its id means nothing to any other."""

    shape: str
    """Shape of the request that named it, which tells the family of vendors."""
    id: str
    mime: str | None = None


class Pieces(msgspec.Struct, frozen=True, gc=False):
    """A document written out in the body: plain text, or text and images."""

    parts: "tuple[Text | Image, ...]"


Source = Inline | Remote | Stored


class Citation(msgspec.Struct, frozen=True, gc=False):
    """The source of a stretch of text."""

    url: str | None = None
    title: str | None = None
    start: int | None = None
    """First code point in the part's own text; ``None``: the whole part."""
    end: int | None = None
    """Code point after the last one."""
    quoted: str | None = None
    """The source's words, where the vendor gives them."""
    native: Native | None = None
    """The citation as its maker wrote it."""


class TokenLogprob(msgspec.Struct, frozen=True, gc=False):
    """A token with its log probability, and the likeliest others at its place."""

    token: str
    logprob: float
    top: "tuple[TokenLogprob, ...]" = ()
    """The likeliest tokens at this place, if asked for; theirs are empty."""
    data: bytes | None = None
    """Bytes of the token; ``None``: the UTF-8 of ``token``."""


@unique
class ReasoningForm(Enum):
    """How much of the reasoning a part shows."""

    FULL = "full"  # the model's own words
    SUMMARY = "summary"
    HIDDEN = "hidden"  # nothing readable: only attachments


class PartBase(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The members that every part has."""

    opaque: tuple[Opaque, ...] = ()
    """What only the maker can read and what was attached to this very part."""
    cache: CacheMark | None = None


class Text(PartBase, frozen=True, gc=False):
    """A piece of text. It may be empty where an attachment belongs to it."""

    text: str
    citations: tuple[Citation, ...] = ()
    logprobs: tuple[TokenLogprob, ...] = ()


class Image(PartBase, frozen=True, gc=False):
    """A picture that the model looks at, or that it made."""

    source: Source
    detail: str | None = None
    """``auto``, ``low``, ``high`` or ``original``."""


class Audio(PartBase, frozen=True, gc=False):
    """Sound, from the caller or from the model."""

    source: Source | None
    """``None`` where an assistant's earlier audio is named by ``id`` only."""
    transcript: str = ""
    id: str | None = None
    expires: int | None = None
    """Unix seconds."""


class Video(PartBase, frozen=True, gc=False):
    """A video that the model watches."""

    source: Source
    metadata: Native | None = None
    """Offsets and frame rate, generate only."""


class Document(PartBase, frozen=True, gc=False):
    """A file to read: PDF, text, anything a model takes as a document."""

    source: Source | Pieces
    title: str | None = None
    context: str | None = None
    citable: bool = False
    """Whether the caller asked for citations from it."""
    native: Native | None = None
    """The document as its caller wrote it, for its own shape; the rest says the same."""


class SearchResult(PartBase, frozen=True, gc=False):
    """A search result that the caller found itself and wants cited."""

    source: str
    title: str
    texts: tuple[Text, ...]
    citable: bool = False


class Refusal(PartBase, frozen=True, gc=False):
    """The model's own words when it declines."""

    text: str


class Reasoning(PartBase, frozen=True, gc=False):
    """The model's thinking. Sections of a summary are joined by ``SECTION``."""

    text: str
    form: ReasoningForm = ReasoningForm.FULL


class VendorPart(PartBase, frozen=True, gc=False):
    """A block of one shape that no other has: server tools, compaction, executable code.

    It goes back to its own shape verbatim. Elsewhere the loss is reported; in a history ``text``
    stands in its place, where there is one, in an answer nothing does.
    """

    native: Native
    kind: str
    """Its ``type``, or for generate the member's name."""
    text: str = ""
    """A plain rendering: what was searched, run or found."""
    queries: tuple[str, ...] = ()
    """What was searched for on the web: some shapes have a place for that alone."""
    known: bool = True
    """``False`` in an answer: of a kind that its vendor has not documented to us."""


SECTION: Final = "\n\n"
"""Stands between the sections of a reasoning summary."""
