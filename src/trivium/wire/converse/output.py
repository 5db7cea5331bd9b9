"""What a model wrote in a Converse answer: frames and their words, for ``wire/output_count.py``."""

from collections.abc import Iterator
from typing import Any, Final

from trivium.faults import Fault
from trivium.wire.event_stream import EventFrames
from trivium.wire.lenient import objects_of

_LEAST: Final = 16


def frames_of(run: bytes) -> Iterator[bytes]:
    """Whole frames, one by one; what cannot be one ends it."""
    at = 0
    while at + _LEAST <= len(run):
        size = int.from_bytes(run[at : at + 4])
        if size < _LEAST or at + size > len(run):
            return
        yield run[at : at + size]
        at += size


def payloads(run: bytes) -> list[bytes]:
    """The JSON of the frames in a run."""
    try:
        return [frame.payload for frame in EventFrames().feed(run)]
    except Fault:
        return []


def texts(block: dict[str, Any]) -> tuple[str, str, Any]:
    """The words of a content block or of a delta, its reasoning, and what a call is given.

    Anything that is no such thing is empty, or ``None``.
    """
    said = _text(block.get("text"))
    cited = block.get("citationsContent")
    if isinstance(cited, dict):
        said += "".join([_text(row.get("text")) for row in objects_of(cited.get("content"))])
    thought = block.get("reasoningContent")
    inner: Any = None
    if isinstance(thought, dict):
        whole = thought.get("reasoningText")
        inner = whole.get("text") if isinstance(whole, dict) else thought.get("text")
    call = block.get("toolUse")
    return said, _text(inner), call.get("input") if isinstance(call, dict) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
