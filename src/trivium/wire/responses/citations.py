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


_rows: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_annotation: Final = msgspec.json.Decoder(Annotation).decode

_NOTHING: Final = frozenset({b"", b"null", b"[]"})


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
    return tuple(one for row in _rows_of(raw) if (one := citation(row)) is not None)


def answered(raw: bytes | msgspec.Raw) -> tuple[Citation, ...]:
    """Those of an answer's text. Raises ``Fault`` when there are too many."""
    rows = _rows_of(raw)
    if len(rows) > caps.CITATIONS_MAX:
        raise caps.too_many("citations", caps.CITATIONS_MAX)
    return tuple(one for row in rows if (one := citation(row)) is not None)


def _rows_of(raw: bytes | msgspec.Raw) -> list[msgspec.Raw]:
    if bytes(raw) in _NOTHING:
        return []
    try:
        return _rows(raw)
    except (ValueError, RecursionError):
        return []


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
