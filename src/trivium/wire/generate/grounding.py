"""Citations between ``groundingMetadata`` and stretches of text, both ways.

The vendor counts UTF-8 bytes inside one part, the canonical citation code points. An offset that
is none, or that falls into the middle of a character, is never made up: the citation then holds
for the whole part. ``searchEntryPoint`` has no place outside this shape.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from trivium.conversation.parts import Citation
from trivium.wire.generate.offsets import Offsets


def citations(grounding: Any, sources: Any, text: str) -> list[Citation]:
    """Citations of a text part from a candidate's grounding and ``citationMetadata``."""
    out: list[Citation] = []
    data = Offsets(text)
    if isinstance(grounding, dict):
        chunks = [_source(chunk) for chunk in _list(grounding.get("groundingChunks"))]
        supports = _list(grounding.get("groundingSupports"))
        for support in supports:
            segment = support.get("segment")
            segment = segment if isinstance(segment, dict) else {}
            start, end = _span(segment, data)
            indices = support.get("groundingChunkIndices")
            for at in indices if isinstance(indices, list) else ():
                source = chunks[at] if type(at) is int and 0 <= at < len(chunks) else None
                if source is not None:
                    out.append(Citation(*source, start, end))
        if not supports:
            out.extend(Citation(*source) for source in chunks if source is not None)
    if isinstance(sources, dict):
        for row in _list(sources.get("citations") or sources.get("citationSources")):
            if isinstance(row.get("uri"), str):
                start, end = _span(row, data)
                out.append(Citation(row["uri"], _str(row.get("title")), start, end))
    return out


def queries(grounding: Any) -> tuple[str, ...]:
    """What was searched for, from a candidate's grounding."""
    found = grounding.get("webSearchQueries") if isinstance(grounding, dict) else None
    rows = found if isinstance(found, list) else []
    return tuple(row for row in rows if isinstance(row, str) and row)


def grounding(
    parts: Iterable[tuple[int, str, Iterable[Citation]]], searched: Sequence[str] = ()
) -> dict[str, Any] | None:
    """``groundingMetadata`` of text parts: (index in the content, text, citations).

    ``None`` when none of them names a source and nothing was searched for.
    """
    chunks: list[dict[str, Any]] = []
    known: dict[tuple[str, str | None], int] = {}
    supports: list[dict[str, Any]] = []
    for index, text, cited in parts:
        data = Offsets(text)
        for citation in cited:
            if citation.url is None:
                continue
            key = (citation.url, citation.title)
            if key not in known:
                known[key] = len(chunks)
                web = {"uri": citation.url}
                if citation.title is not None:
                    web["title"] = citation.title
                chunks.append({"web": web})
            if citation.start is not None and citation.end is not None:
                supports.append(
                    {
                        "segment": _segment(index, data, citation.start, citation.end),
                        "groundingChunkIndices": [known[key]],
                    }
                )
    out: dict[str, Any] = {
        "webSearchQueries": searched,
        "groundingChunks": chunks,
        "groundingSupports": supports,
    }
    return {name: rows for name, rows in out.items() if rows} or None


def _segment(index: int, data: Offsets, start: int, end: int) -> dict[str, Any]:
    segment: dict[str, Any] = {"partIndex": index} if index else {}
    segment["startIndex"] = data.in_bytes(start)
    segment["endIndex"] = data.in_bytes(end)
    if (words := data.quoted(start, end)) is not None:
        segment["text"] = words
    return segment


def _span(segment: dict[str, Any], data: Offsets) -> tuple[int | None, int | None]:
    start, end = segment.get("startIndex", 0), segment.get("endIndex")
    if type(start) is not int or type(end) is not int or start >= end:
        return None, None
    first, last = data.in_characters(start), data.in_characters(end)
    return (None, None) if first is None or last is None else (first, last)


def _source(chunk: dict[str, Any]) -> tuple[str | None, str | None] | None:
    for kind in ("web", "retrievedContext", "maps"):
        found = chunk.get(kind)
        if isinstance(found, dict):
            uri, title = _str(found.get("uri")), _str(found.get("title"))
            return (uri, title) if uri or title else None
    return None


def _list(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _str(value: Any) -> str | None:
    return value if isinstance(value, str) else None
