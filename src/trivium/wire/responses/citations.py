"""Citations of output text, both ways.

Source: openai-python 3.52.0, ``ResponseOutputText``, read 2026-11-21. Offsets count code points.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.parts import Citation, Native
from trivium.wire import caps
from trivium.wire.lenient import decoded
from trivium.wire.responses.answer_structs import Annotation

_SHAPE: Final = "responses"


_annotation: Final = msgspec.json.Decoder(Annotation).decode


def citation(raw: bytes | msgspec.Raw) -> Citation | None:
    """One annotation; ``None`` when it cannot be read."""
    data = bytes(raw)
    if (found := decoded(_annotation, data)) is None:
        return None
    return Citation(
        url=found.url,
        title=found.title or found.filename,
        start=found.start_index,
        end=found.end_index,
        native=Native(_SHAPE, data),
    )


def citations(raw: bytes | msgspec.Raw) -> tuple[Citation, ...]:
    """All annotations of a caller's text that can be read."""
    rows = caps.rows(raw)
    return tuple(one for row in rows if (one := citation(row)) is not None) if rows else ()


def answered(raw: bytes | msgspec.Raw) -> tuple[Citation, ...]:
    """Those of an answer's text. Raises ``Fault`` when there are too many."""
    return tuple(one for row in caps.cited(raw) if (one := citation(row)) is not None)


def annotation(cited: Citation, length: int) -> Any | None:
    """A citation as an annotation; ``None`` when it has no counterpart.

    ``length`` of the part's text, for citations of the whole part. Offsets are never made up.
    """
    if cited.native is not None and cited.native.shape == _SHAPE:
        return msgspec.Raw(msgspec.json.format(cited.native.data, indent=-1))
    if cited.url is None:
        return None
    return {
        "type": "url_citation",
        "url": cited.url,
        "title": cited.title or "",
        "start_index": 0 if cited.start is None else cited.start,
        "end_index": length if cited.end is None else cited.end,
    }
