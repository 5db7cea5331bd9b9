"""Citations of the messages shape and canonical ones, both ways.

A messages citation covers its whole text block; only sources with a URL mean anything in other
shapes. Source: SDK types 2.11, read on 2026-11-21.
"""

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import Final

import msgspec

from trivium.conversation.parts import Citation, Native, Text
from trivium.wire import caps
from trivium.wire.lenient import decoded
from trivium.wire.messages import answer_structs as forms

SHAPE: Final = "messages"
"""What ``Native.shape`` says of this shape's own JSON."""


_decode: Final = msgspec.json.Decoder(forms.AnswerCitation).decode
_encode: Final = msgspec.json.Encoder().encode


_SPANS_MAX: Final = 10_000
"""Pieces of a text that its citations may cover, each counted: of ranges within one another each
piece has all of those around it. Beyond it one is told with the first of its pieces alone.
"""


def read(raw: bytes | msgspec.Raw) -> Citation | None:
    """One citation; ``None`` when it is no object.

    One that was ``written`` here of another vendor's comes back as such: no vendor of this shape
    gave it an index, and so none may see it.
    """
    if (seen := decoded(_decode, raw)) is None:
        return None
    url = seen.url if seen.url is not None else seen.source
    title = seen.title if seen.title is not None else seen.document_title
    return Citation(
        url=url if isinstance(url, str) and url.startswith(("http://", "https://")) else None,
        title=title if isinstance(title, str) else None,
        quoted=seen.cited_text if isinstance(seen.cited_text, str) else None,
        native=None if seen.encrypted_index == "" else Native(SHAPE, bytes(raw)),
    )


def read_all(raw: bytes | msgspec.Raw) -> tuple[Citation, ...]:
    """Citations of a caller's text block; none when the member is null, absent or nonsense."""
    return tuple(found for row in caps.rows(raw) if (found := read(row)) is not None)


def answered(raw: bytes | msgspec.Raw) -> tuple[Citation, ...]:
    """Those of a text block of an answer. Raises ``Fault`` when there are too many."""
    return tuple(found for row in caps.cited(raw) if (found := read(row)) is not None)


def written(citation: Citation, text: str = "") -> bytes | None:
    """One citation as JSON; ``None`` for a source that this shape cannot name.

    ``text`` is what the citation covers: clients show it where the source's own words are not
    known. ``encrypted_index`` is the maker's to fill; without one it is empty.
    """
    if citation.native is not None and citation.native.shape == SHAPE:
        return citation.native.data
    if citation.url is None:
        return None
    return _encode(
        {
            "type": "web_search_result_location",
            "cited_text": citation.quoted or text,
            "encrypted_index": "",
            "title": citation.title,
            "url": citation.url,
        }
    )


def segments(text: Text) -> list[tuple[str, tuple[Citation, ...]]]:
    """A text cut where its citations begin and end, each piece with those that cover it.

    Joined, the pieces are the text. Citations of the whole text stay with every piece's first.
    """
    cuts = {0, len(text.text)}
    for one in text.citations:
        if one.start is not None and one.end is not None:
            cuts.update(min(max(at, 0), len(text.text)) for at in (one.start, one.end))
    if len(cuts) <= 2:
        return [(text.text, text.citations)]
    edges = sorted(cuts)
    covering: list[list[Citation]] = [[] for _ in edges[1:]]
    left = _SPANS_MAX
    for one in text.citations:
        first, last = 0, 1
        if one.start is not None and one.end is not None:
            first, last = bisect_left(edges, one.start), bisect_right(edges, one.end) - 1
        left -= max(0, last - first)
        for place in range(first, last if left >= 0 else min(last, first + 1)):
            covering[place].append(one)
    return [
        (text.text[start:end], tuple(found))
        for (start, end), found in zip(pairwise(edges), covering, strict=True)
    ]
