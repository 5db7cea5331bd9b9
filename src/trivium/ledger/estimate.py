"""What a request used where the vendor did not say, or said nonsense: by one written rule.

A token is taken for four bytes (what English prose comes to in the vendors' tokenizers; code and
other scripts are denser). Input: the request's body, JSON and all, which errs upwards by the
punctuation. Output: the text in what was delivered. Of a stream the last piece delivered is kept;
its share of text is taken for the share of the whole, so nothing is counted while it runs.

An answer that broke off costs what the vendor had reported of its input, if it had, and the larger
of its reported and its delivered output: vendors that report as they go begin with a count of 1.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.wire.sse import frames

TOKEN_BYTES: Final = 4
COUNT_MAX: Final = 2**27 - 1
"""Tokens of one class in one answer, 134 million, beyond which a count is a vendor's mistake."""
SECONDS_MAX: Final = 1_000_000.0
"""Media of one answer: eleven days."""
_DEPTH_MAX: Final = 32

_TEXTS: Final = frozenset(
    {
        "arguments",
        "content",
        "delta",
        "input",
        "partial_json",
        "reasoning",
        "reasoning_content",
        "refusal",
        "text",
        "thinking",
    }
)
"""Members that hold what a model wrote, in every shape; objects below them count as well."""
_WRITTEN: Final = frozenset({"args", "input"})
"""Members whose whole value a model wrote: the arguments of calls that are not text."""

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


def tokens(size: int) -> int:
    """Tokens of so many bytes, rounded up."""
    return -(-size // TOKEN_BYTES)


def is_believable(usage: Usage) -> bool:
    """Whether no counter is negative or beyond anything a vendor could mean."""
    # HOT: once a request, and most use these four alone. Joined bit by bit, so one comparison sees
    # the sign and size of all
    joined = usage.fresh | usage.cache_read | usage.output | usage.reasoning
    if not (
        usage.cache_write_short
        or usage.cache_write_long
        or usage.audio_input
        or usage.audio_output
        or usage.image_input
        or usage.image_output
        or usage.requests != 1
        or usage.characters
        or usage.images
        or usage.seconds
    ):
        return 0 <= joined <= COUNT_MAX
    joined |= (
        usage.cache_write_short
        | usage.cache_write_long
        | usage.audio_input
        | usage.audio_output
        | usage.image_input
        | usage.image_output
        | usage.requests
        | (usage.characters or 0)
    )
    for images in usage.images:
        joined |= images.count
    return 0 <= joined <= COUNT_MAX and 0 <= (usage.seconds or 0.0) <= SECONDS_MAX


def used(
    reported: Usage | None, input_tokens: int, delivered: int, sample: bytes, *, finished: bool
) -> Usage:
    """What an answer used.

    ``input_tokens``: the estimate for want of a report. ``delivered``: bytes of the answer that the
    caller was sent; ``sample``: the last of them, all of them when it came in one piece.
    ``finished``: the vendor ended it as its shape does, so that its report is the last word; but
    for an input that it says nothing of.
    """
    if reported is not None and not is_believable(reported):
        reported = None
    if finished and reported is not None:
        if reported.estimated and not reported.input_total:
            return msgspec.structs.replace(reported, fresh=input_tokens)
        return reported
    text = _text_of(sample) * delivered // len(sample) if sample else 0
    written = tokens(text)
    if reported is None:
        return Usage(fresh=input_tokens, output=written, estimated=True)
    missing = max(0, written - reported.output_total)
    fresh = reported.fresh if reported.input_total else input_tokens
    return msgspec.structs.replace(
        reported, fresh=fresh, output=reported.output + missing, estimated=True
    )


def _text_of(data: bytes) -> int:
    """Bytes a model wrote in a piece of an answer: events, an array's rows, or one object."""
    start = data.lstrip()[:1]
    if start not in (b"{", b"[", b","):
        return sum(_text_in(frame.data) for frame in frames(data))
    # rows of an array come with a comma before or a bracket around
    body = data.strip().strip(b",").strip()
    return _text_in(body) or _text_in(b"[" + body.strip(b"[],\r\n ") + b"]")


def _text_in(data: bytes) -> int:
    try:
        return _written(_decode(data), 0)
    except (ValueError, RecursionError):
        return 0


def _written(value: Any, depth: int) -> int:
    """Bytes of text under the members that hold it."""
    if depth > _DEPTH_MAX:
        return 0
    if isinstance(value, list):
        return sum(_written(item, depth + 1) for item in value)
    if not isinstance(value, dict):
        return 0
    size = 0
    for name, inner in value.items():
        if isinstance(inner, str):
            size += len(inner.encode()) if name in _TEXTS else 0
        elif name in _WRITTEN and isinstance(inner, dict):
            size += len(_encode(inner)) if inner else 0
        else:
            size += _written(inner, depth + 1)
    return size
