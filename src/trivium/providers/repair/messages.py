"""The messages shape of llama.cpp's server, made what the official SDKs read.

* A streamed ``tool_use`` block begins without ``input``. Anthropic's begins with ``"input": {}``,
  and clients that build the block from its start read the member without looking.
* When the first token is only a part of a character (most emoji), ``message_start`` is never sent,
  and with it the count of input tokens. The SDKs' stream helpers fail without it, and read the
  count as a number: ours is an estimate, and the usage is marked as one.

Ids that begin with ``chatcmpl-`` stay: no client looks at them.

Source: llama.cpp's server in xllamacpp 2026.10.11549, recorded 2026-11-21.
"""

from typing import Any, Final

import msgspec

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


_BEGUN: Final = frozenset({"content_block_start", "message_delta", "message_stop"})
"""Events that cannot come first; before ``ping`` and ``error`` nothing is missing."""


class OpeningRepair:
    """Adds the first event to a stream that lacks it. One object per answer."""

    __slots__ = ("_at", "_input", "_model", "_open", "guessed")

    def __init__(self, *, model: str, at: int, input_tokens: int) -> None:
        """``input_tokens``: an estimate of the request, for a stream that does not count it."""
        self._model = model
        self._at = at
        self._input = input_tokens
        self._open = False
        self.guessed = False
        """Whether the count of input tokens is ours."""

    def rewrite(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """(event name or empty, data) of what becomes of one frame's data."""
        if self._open:
            return [(b"", data)]
        try:
            event = _decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return [(b"", data)]
        kind = event.get("type") if isinstance(event, dict) else None
        self._open = kind == "message_start" or kind in _BEGUN
        if kind not in _BEGUN:
            return [(b"", data)]
        self.guessed = True
        return [(b"message_start", _encode(self._start())), (b"", data)]

    def _start(self) -> dict[str, Any]:
        message: dict[str, Any] = {
            "id": f"msg_{self._at:x}",
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": self._model,
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": self._input, "output_tokens": 0},
        }
        return {"type": "message_start", "message": message}


def rewrite(data: bytes) -> bytes:
    """One frame's data with the missing member, or as it was."""
    if b'"tool_use"' not in data or b"content_block_start" not in data:
        return data
    try:
        event = _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return data
    block = event.get("content_block") if isinstance(event, dict) else None
    if not isinstance(block, dict) or block.get("type") != "tool_use" or "input" in block:
        return data
    block["input"] = {}
    return _encode(event)
