"""Marks of opaque state in a request that nobody has parsed: whose turn it is to answer.

A conversation that carries signatures or encrypted reasoning goes back to whoever made them. Most
requests carry none, so the question is first asked with a search for a few words; only a body that
has one is looked into, from its end, and never parsed. Asked before that is whether a request is
words alone: state, and references to files (``references.py``), stand in parts that have a type, in
calls and their results, or under a member of their own.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Final

from trivium.wire.envelope import PREFIX
from trivium.wire.operation import Shape
from trivium.wire.references import ESCAPE
from trivium.wire.request_structs import StateRef, StateRefs

CALL_PREFIX: Final = "call_tvm"
"""Begins the id of every call under which something is remembered
(``response_store/signatures/tracer.py``).
"""
CALL_DIGITS: Final = 24
MARKS_MAX: Final = 4096
"""Marks of each group that count in one request, the last ones."""
LOOKS_MAX: Final = 4 * MARKS_MAX
"""Words of each group that are looked at, the last ones: a text may be full of such as are none."""

_ENVELOPE: Final = PREFIX.encode()
_CALL: Final = CALL_PREFIX.encode()
_ENVELOPES: Final = re.compile(re.escape(_ENVELOPE) + rb"[A-Za-z0-9+/_=-]*")
_CALLS: Final = re.compile(rb'"(' + _CALL + rb'[0-9a-f]{%d})"' % CALL_DIGITS)
_VALUE: Final = rb'\s*:\s*"([A-Za-z0-9+/_-]{16,})'
_SLOTS: Final[Mapping[Shape, tuple[tuple[bytes, re.Pattern[bytes]], ...]]] = {
    Shape.CHAT: (
        (b'"thought_signature"', re.compile(_VALUE)),
        (b'"reasoning.encrypted"', re.compile(rb'\s*,\s*"data"' + _VALUE)),
        (b'"reasoning.text"', re.compile(rb'[^{}]*"signature"' + _VALUE)),
    ),
    Shape.RESPONSES: ((b'"encrypted_content"', re.compile(_VALUE)),),
    Shape.MESSAGES: (
        (b'"signature"', re.compile(_VALUE)),
        (b'"redacted_thinking"', re.compile(rb'\s*,\s*"data"' + _VALUE)),
    ),
    Shape.GENERATE: (
        (b'"thoughtSignature"', re.compile(_VALUE)),
        (b'"thought_signature"', re.compile(_VALUE)),
    ),
    Shape.CONVERSE: (
        (b'"signature"', re.compile(_VALUE)),
        (b'"redactedContent"', re.compile(_VALUE)),
    ),
    Shape.COHERE: (),  # its vendor has none
}
"""Where each shape's vendors put opaque values: a word, and what follows it up to the value."""

_STEMS: Final[Mapping[Shape, tuple[bytes, ...]]] = {
    shape: tuple(word for word, _ in slots) for shape, slots in _SLOTS.items()
} | {Shape.CHAT: (b'"thought_signature"', b'"reasoning.')}
"""Where none of these stands, no word does: two begin alike, and one search is cheaper."""

NAMING: Final = frozenset(
    {Shape.CHAT, Shape.MESSAGES, Shape.RESPONSES, Shape.CONVERSE, Shape.COHERE}
)
"""Shapes whose callers send every call back under the id they were given."""

_OURS: Final = {shape: (_ENVELOPE, _CALL) if shape in NAMING else (_ENVELOPE,) for shape in _SLOTS}
"""What the gateway itself leaves in a request."""
SIGNS: Final = {shape: _OURS[shape] + stems for shape, stems in _STEMS.items()}
"""Where none of these stands, a body of the shape carries no state."""
_TAIL: Final = 64
"""Characters of a value that tell it from all others: its end is cipher text or a digest."""


PARTS: Final[Mapping[Shape, tuple[bytes, ...]]] = {
    Shape.CHAT: (b'"type"', b'"tool_call', b'"extra_content"', ESCAPE),
    Shape.RESPONSES: (b'"type"', b'"prompt"', ESCAPE),
    Shape.MESSAGES: (b'"type"', b'"container"', ESCAPE),
    Shape.COHERE: (b'"type"', b'"tool_call', ESCAPE),
}
"""Where none of these stands, which a text may also hold, there are words alone. A word may be
hidden by an escape. Google's parts, and
Amazon's, have no word in common: their bodies are never known to be."""


def is_plain(body: bytes, shape: Shape) -> bool:
    """Whether a body of this shape can neither carry state nor refer to anything."""
    if shape not in PARTS:
        return False
    for word in PARTS[shape]:  # noqa: SIM110 - a generator is a call for each word
        if body.rfind(word) >= 0:
            return False
    return True


def any_in(body: bytes, shape: Shape) -> bool:
    """Whether a body could carry state. Some microseconds for a body of 24 KB."""
    for sign in SIGNS[shape]:
        if body.rfind(sign) >= 0:
            words = (*_OURS[shape], *(word for word, _ in _SLOTS[shape]))
            return any(body.rfind(word) >= 0 for word in words)
    return False


def found(body: bytes, shape: Shape) -> StateRefs:
    """Every mark of a request."""
    envelopes = [
        StateRef(hit.start(), hit[0].decode().replace("-", "+").replace("_", "/"))
        for hit in _last(_ENVELOPE, _ENVELOPES, body)
    ]
    calls: dict[str, int] = {}
    if shape in NAMING:
        for hit in _last(b'"' + _CALL, _CALLS, body):
            calls.setdefault(hit[1].decode(), hit.start())
    return StateRefs(
        tuple(envelopes), tuple(StateRef(at, id_) for id_, at in calls.items()), native(body, shape)
    )


def _last(word: bytes, mark: re.Pattern[bytes], body: bytes) -> list[re.Match[bytes]]:
    """The last marks of a body, in order of appearance."""
    hits: list[re.Match[bytes]] = []
    at, end = body.rfind(word), len(body)
    looks = LOOKS_MAX
    while at >= 0 and looks and len(hits) < MARKS_MAX:
        looks -= 1
        # no further than to the next such word, here and below: no byte is looked at twice
        hit = mark.match(body, at, end)
        if hit is not None:
            hits.append(hit)
        at, end = body.rfind(word, 0, at), at
    hits.reverse()
    return hits


def native(data: bytes, shape: Shape) -> tuple[StateRef, ...]:
    """The vendors' own values in a request or in an answer; keys are digests of them."""
    if all(data.rfind(stem) < 0 for stem in _STEMS[shape]):
        return ()
    marks: list[StateRef] = []
    for word, value in _SLOTS[shape]:
        at, end = data.rfind(word), len(data)
        looks = LOOKS_MAX
        while at >= 0 and looks and len(marks) < MARKS_MAX:
            looks -= 1
            hit = value.match(data, at + len(word), end)
            if hit is not None and not hit[1].startswith(_ENVELOPE):
                marks.append(StateRef(at, _digest(hit[1])))
            at, end = data.rfind(word, 0, at), at
    return tuple(sorted(marks, key=_place)) if marks else ()


def _place(mark: StateRef) -> int:
    return mark.at


def _digest(value: bytes) -> str:
    """The same for both alphabets of base64, and however the padding is written."""
    tail = value[-_TAIL:].replace(b"-", b"+").replace(b"_", b"/")
    return "sig_" + hashlib.sha256(tail).hexdigest()[:32]
