"""The messages shape of llama.cpp's server: a streamed ``tool_use`` block begins without ``input``.

Anthropic's begins with ``"input": {}``, and clients that build the block from its start read the
member without looking. Ids that begin with ``chatcmpl-`` stay: no client looks at them.

Source: llama.cpp's server in xllamacpp 2026.10.11549, recorded 2026-11-21.
"""

from typing import Final

import msgspec

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


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
