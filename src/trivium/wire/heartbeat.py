"""What may be sent in a silence, so that nothing on the way takes a stream for dead.

The bytes are legal between any two frames of the shape, and before the first.

* chat, completions, responses: a comment. The official SDKs, the AI SDK and LangChain skip it.
* messages: the vendor's own ``ping`` event.
* generate as server-sent events: a chunk that says an empty text, as the vendor's own last chunks
  do. A comment would break the official Python SDK, whose reader takes each line that does not
  begin with ``data: `` for an error; a chunk without candidates has no text to print, and makes the
  chats of both official SDKs leave the whole turn out of what they send next.
* generate as a JSON array: white space.

Sources: the SDKs of openai 3.52, anthropic 2.11 and google-genai 3.4, run and read 2026-11-21.
"""

from typing import Final

import msgspec

from trivium.wire.operation import Shape

COMMENT: Final = b": keep-alive\n\n"
PING: Final = b'event: ping\ndata: {"type":"ping"}\n\n'
SPACE: Final = b"\n"

_encode = msgspec.json.Encoder().encode


def heartbeat(shape: Shape, model: str, request_id: str, *, array: bool = False) -> bytes:
    """One heartbeat. ``model`` is the public name; ``array``: a generate stream as one array."""
    if shape is Shape.MESSAGES:
        return PING
    if shape is not Shape.GENERATE:
        return COMMENT
    if array:
        return SPACE
    told = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "index": 0}],
        "modelVersion": model,
        "responseId": request_id.removeprefix("req_"),
    }
    return b"data: " + _encode(told) + b"\n\n"
