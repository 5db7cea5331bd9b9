"""Citations between ``groundingMetadata`` and stretches of text, both ways.

The vendor counts UTF-8 bytes inside one part, the canonical citation code points. An offset that
is none, or that falls into the middle of a character, is never made up: the citation then holds
for the whole part. ``searchEntryPoint`` has no place outside this shape.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from trivium.conversation.parts import Citation
from trivium.wire.generate.long_text import LongText
from trivium.wire.lenient import objects_of, string

_STEP: Final = 512
_CONTINUED: Final = bytes(range(0x80, 0xC0))
"""Bytes that go on with a character."""
_QUOTED: Final = 2
"""Times that a text is quoted in all: thousands of citations may each be of all of it."""
_QUOTED_BYTES: Final = 65_536


class Offsets:
    """Translates offsets into one text from one count to the other."""

    __slots__ = ("_bytes", "_characters", "_data", "_left", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._data = b"" if text.isascii() else text.encode("utf-8", "surrogatepass")
        self._characters: list[int] = []
        """Characters before every ``_STEP`` bytes; made when first asked for."""
        self._bytes: list[int] = []
        """Bytes before every ``_STEP`` characters."""
        self._left = _QUOTED * len(text) + _QUOTED_BYTES

    def in_characters(self, at: int) -> int | None:
        """Characters before an offset in bytes; ``None``: outside, or inside of a character."""
        data = self._data
        if not data:
            return at if 0 <= at <= len(self._text) else None
        if (
            not 0 <= at <= len(data)
            or data[at : at + 1].translate(None, _CONTINUED) != data[at : at + 1]
        ):
            return None
        if not self._characters:
            total = 0
            for start in range(0, len(data) + 1, _STEP):
                self._characters.append(total)
                total += len(data[start : start + _STEP].translate(None, _CONTINUED))
        step = at // _STEP
        return self._characters[step] + len(data[step * _STEP : at].translate(None, _CONTINUED))

    def in_bytes(self, at: int) -> int:
        """Bytes before an offset in characters."""
        text = self._text
        at = min(at, len(text))
        if not self._data:
            return at
        if not self._bytes:
            total = 0
            for start in range(0, len(text) + 1, _STEP):
                self._bytes.append(total)
                total += _size(text[start : start + _STEP])
        step = at // _STEP
        return self._bytes[step] + _size(text[step * _STEP : at])

    def quoted(self, start: int, end: int) -> str | None:
        """The text between two offsets; ``None`` when too much has been quoted already."""
        self._left -= max(0, end - start)
        return None if self._left < 0 else self._text[start:end]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def citations(grounding: Any, sources: Any, text: str) -> list[Citation]:
    """Citations of a text part from a candidate's grounding and ``citationMetadata``."""
    out: list[Citation] = []
    data = Offsets(text)
    if isinstance(grounding, dict):
        chunks = [_source(chunk) for chunk in objects_of(grounding.get("groundingChunks"))]
        supports = objects_of(grounding.get("groundingSupports"))
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
        for row in objects_of(sources.get("citations") or sources.get("citationSources")):
            if isinstance(row.get("uri"), str):
                start, end = _span(row, data)
                out.append(Citation(row["uri"], string(row.get("title")), start, end))
    return out


def queries(grounding: Any) -> tuple[str, ...]:
    """What was searched for, from a candidate's grounding."""
    found = grounding.get("webSearchQueries") if isinstance(grounding, dict) else None
    rows = found if isinstance(found, list) else []
    return tuple(row for row in rows if isinstance(row, str) and row)


def grounding(
    parts: Iterable[tuple[int, str | LongText, Iterable[Citation]]], searched: Sequence[str] = ()
) -> dict[str, Any] | None:
    """``groundingMetadata`` of text parts: (index in the content, text, citations).

    ``None`` when none of them names a source and nothing was searched for.
    """
    chunks: list[dict[str, Any]] = []
    known: dict[tuple[str, str | None], int] = {}
    supports: list[dict[str, Any]] = []
    for index, text, cited in parts:
        data = Offsets(text) if isinstance(text, str) else text
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


def _segment(index: int, data: Offsets | LongText, start: int, end: int) -> dict[str, Any]:
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
            uri, title = string(found.get("uri")), string(found.get("title"))
            return (uri, title) if uri or title else None
    return None
