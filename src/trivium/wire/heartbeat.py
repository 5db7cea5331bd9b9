"""What may be sent in a silence, so that nothing on the way takes a stream for dead.

The bytes are legal between any two frames of the shape, and before the first.

* chat, completions, responses: a comment. The official SDKs, the AI SDK and LangChain skip it.
* messages: the vendor's own ``ping`` event.
* generate as server-sent events: an empty event, which ends as the stream's own do. A comment would
  break the official Python SDK, whose reader takes each line that does not begin with ``data: ``
  for an error; a chunk without candidates makes the chats of the official SDKs leave the whole turn
  out of what they send next; one with an empty text is sent back by Go as a part ``{}``.
* generate as a JSON array: white space.
* converse: an event of a kind that nobody declares (``converse/frame.py``).

Sources: the SDKs of openai 3.52, anthropic 2.11 and google-genai 3.4, run and read 2026-11-21;
empty events: google-genai 3.4, @google/genai 2.32 and 3.1, AI SDK 6 and 7, 2026-11-23.
"""

from typing import Final

from trivium.wire.operation import BINARY_STREAMS, Shape

COMMENT: Final = b": keep-alive\n\n"
PING: Final = b'event: ping\ndata: {"type":"ping"}\n\n'
BLANK: Final = b"\r\n\r\n"
SPACE: Final = b"\n"


def heartbeat(shape: Shape, *, array: bool = False, blank: bytes = BLANK) -> bytes:
    """One heartbeat. ``array``: a generate stream as one array; ``blank``: what ends its events."""
    if shape is Shape.MESSAGES:
        return PING
    if shape is Shape.CONVERSE:
        from trivium.wire.converse.frame import HEARTBEAT

        return HEARTBEAT
    if shape is not Shape.GENERATE:
        return COMMENT
    return SPACE if array else blank


def is_answer(sent: bytes, shape: Shape) -> bool:
    """Whether what is sent of a stream of events says more than heartbeats do."""
    if b"data:" in sent:
        return True
    if shape not in BINARY_STREAMS:
        return False
    from trivium.wire.converse.frame import HEARTBEAT

    return bool(sent.replace(HEARTBEAT, b""))
