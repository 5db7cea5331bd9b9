"""What lies on stretches of text: url citations, both ways.

Source: OpenAI's API reference, chat completions, ``annotations``, read 2026-11-21.
Citation offsets count code points of the message's whole content; the canonical ones count from
their part's own start.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from trivium.conversation.parts import Citation, Native

_encode: Final = msgspec.json.Encoder().encode


def citations(annotations: Iterable[Any], base: int) -> list[Citation]:
    """Citations of ``annotations``, for a part that begins at ``base`` of the content."""
    found: list[Citation] = []
    for annotation in annotations:
        if not isinstance(annotation, dict):
            continue
        native = Native("chat", _encode(annotation))
        cited = annotation.get("url_citation")
        if not isinstance(cited, dict) or not isinstance(cited.get("url"), str):
            found.append(Citation(native=native))  # of a kind that only its maker knows
            continue
        title, start, end = cited.get("title"), cited.get("start_index"), cited.get("end_index")
        first = last = None
        if isinstance(start, int) and isinstance(end, int) and base <= start <= end:
            first, last = start - base, end - base
        found.append(
            Citation(
                url=cited["url"],
                title=title if isinstance(title, str) else None,
                start=first,
                end=last,
                native=native,
            )
        )
    return found


def annotation(citation: Citation, base: int, length: int) -> dict[str, Any] | None:
    """The ``url_citation`` of a part of ``length`` at ``base``; ``None``: its source has no URL."""
    if citation.url is None:
        return None
    return {
        "type": "url_citation",
        "url_citation": {
            "start_index": base + (0 if citation.start is None else citation.start),
            "end_index": base + (length if citation.end is None else citation.end),
            "url": citation.url,
            "title": citation.title or "",
        },
    }
