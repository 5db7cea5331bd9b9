"""What is known of the opaque state in one request. ``pipeline/sticky.py`` finds it out."""

from collections.abc import Mapping

import msgspec

from trivium.conversation.opaque import Origin
from trivium.recall.traces.model import Trace


class Recalled(msgspec.Struct, frozen=True):
    """What is known of the state in one request."""

    traces: Mapping[str, Trace] = msgspec.field(default_factory=dict)
    """Of the calls in its history, by id."""
    sealed: bool = False
    """Whether envelopes of ours are in it, which no vendor must see."""
    makers: frozenset[Origin] = frozenset()
    """Channels that are known to have made values which stand there as they made them."""
