"""Citations of Cohere's shape and canonical ones, both ways.

Offsets count code points of the block that ``content_index`` names, or of the plan. Sources are the
caller's documents and the results of its tools; of any other shape's citation the source is a
document with address and title.
Source: cohere-python 7.3.1, ``Citation``, ``Source``, read 2026-11-28.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.parts import Citation, Native
from trivium.wire.cohere.documents import SHAPE, title
from trivium.wire.lenient import decoded, objects_of, string

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_decode_rows: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_any: Final = msgspec.json.Decoder().decode
PLAN: Final = "PLAN"
TEXT: Final = "TEXT_CONTENT"
THOUGHT: Final = "THINKING_CONTENT"
SNIPPET_MAX: Final = 1_000
"""Code points of a cited stretch that is repeated in its citation: of ranges within one another
each would repeat all of those in it."""

SOURCE_BYTES_MAX: Final = 4_096
"""Of a document that is repeated in each of its citations; of a longer one the title is."""

Sources = Mapping[str, tuple[str, Any]]
"""A request's documents by their titles: each its id, and what it is."""


def read(row: Mapping[str, Any]) -> Citation:
    """One citation of a text; offsets that are none are left out."""
    found = objects_of(row.get("sources"))
    source = next((one for one in found if isinstance(one.get("document"), dict)), {})
    document = source.get("document") or {}
    url = string(document.get("url"))
    start, end = row.get("start"), row.get("end")
    there = type(start) is int and type(end) is int and 0 <= start <= end
    return Citation(
        url=url if url is not None and url.startswith(("http://", "https://")) else None,
        title=string(document.get("title")) or string(source.get("id")),
        start=start if there else None,
        end=end if there else None,
        quoted=string(document.get("text")) or string(document.get("snippet")),
        native=Native(SHAPE, _encode(row)),
    )


def place(row: Mapping[str, Any]) -> tuple[str, int]:
    """What a citation lies on: its kind, and the number of the block."""
    at = row.get("content_index")
    return string(row.get("type")) or TEXT, at if type(at) is int and at >= 0 else 0


def has_place(citation: Citation) -> bool:
    """Whether anything is known of a citation's source that this shape can say."""
    own = citation.native is not None and citation.native.shape == SHAPE
    return own or citation.url is not None or citation.title is not None


def written(
    citation: Citation, at: int, said: str | None, length: int, sources: Sources, kind: str = TEXT
) -> dict[str, Any] | None:
    """One citation of the text in block ``at``; ``None`` for a source that cannot be named.

    ``said``: the whole text, of which a short stretch is repeated; ``None``: it is not kept.
    ``length``: of the text, which a citation without offsets covers.
    """
    if not has_place(citation):
        return None
    start = 0 if citation.start is None else citation.start
    end = length if citation.end is None else citation.end
    row: dict[str, Any] = {"start": start, "end": end}
    if said is not None and end - start <= SNIPPET_MAX:
        row["text"] = said[start:end]
    row["sources"] = _sources(citation, sources)
    if kind == TEXT:
        row["content_index"] = at
    row["type"] = kind
    return row


def _sources(citation: Citation, sources: Sources) -> list[Any]:
    native = citation.native
    if native is not None and native.shape == SHAPE:
        own = decoded(_decode, native.data)
        return objects_of(own.get("sources")) if own is not None else []
    known = None if citation.title is None else sources.get(citation.title)
    if citation.url is None and known is not None:
        id_, document = known
        return [{"type": "document", "id": id_, "document": document}]
    data = {"title": citation.title, "url": citation.url, "text": citation.quoted}
    document = {name: value for name, value in data.items() if value is not None}
    return [{"type": "document", "id": citation.url or citation.title or "", "document": document}]


def sources_of(members: Mapping[str, msgspec.Raw]) -> Sources:
    """The documents of a request, as its answer may cite them."""
    raw = members.get("documents")
    rows = None if raw is None else decoded(_decode_rows, raw)
    out: dict[str, tuple[str, Any]] = {}
    for at, one in enumerate(rows or ()):
        row = decoded(_decode_any, one)
        name = title(row, at)
        data = row.get("data") if isinstance(row, dict) else {"text": row}
        id_ = string(row.get("id")) if isinstance(row, dict) else None
        shown = data if len(bytes(one)) <= SOURCE_BYTES_MAX else {"title": name}
        out.setdefault(name, (id_ or f"doc:{at}", shown))
    return out
