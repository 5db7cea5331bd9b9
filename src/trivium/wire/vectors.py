"""The contract of embeddings between shapes: each shape reads and writes both ends, no pair does.

All functions are pure and never stream.
"""

from collections.abc import Callable, Mapping

import msgspec

from trivium.conversation.losses import Report
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault


class CallerVectors(msgspec.Struct, frozen=True, kw_only=True):
    """One operation as its callers speak it."""

    read_request: Callable[[Mapping[str, msgspec.Raw], str], VectorRequest]
    """From the body's members and the model asked for. Raises ``Fault`` naming the member;
    UNREPRESENTABLE for input that is no text."""
    write_answer: Callable[[VectorAnswer, VectorRequest, str], bytes]
    """The whole body for the caller; the last is the model it asked for."""


class UpstreamVectors(msgspec.Struct, frozen=True, kw_only=True):
    """One operation as an upstream speaks it and no caller; fields as those of ``Vectors``."""

    write_request: Callable[[VectorRequest, str, Report], bytes]
    read_answer: Callable[[bytes, int, Callable[[bytes], Fault]], VectorAnswer]


class Vectors(CallerVectors, frozen=True, kw_only=True):
    """One operation, both ends."""

    write_request: Callable[[VectorRequest, str, Report], bytes]
    """The body for the upstream; the second is the channel's own model name. Raises ``Fault``
    (UNREPRESENTABLE) through the report only."""
    read_answer: Callable[[bytes, int, Callable[[bytes], Fault]], VectorAnswer]
    """From an upstream's 200 body: as many vectors as there were texts, in their order. The last
    says what an error in the body means. Raises that, or UPSTREAM_BROKE."""
