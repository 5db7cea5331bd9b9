"""Why an answer ended: one closed set, with the vendor's own word beside it.

Each shape's tables between its words and these live in its codec; an unknown word is ``OTHER``,
never ``STOP``: a cut or refused answer must not look complete.
"""

from enum import Enum, unique

import msgspec


@unique
class Unified(Enum):
    """Reasons that callers can act on."""

    STOP = "stop"
    STOP_SEQUENCE = "stop_sequence"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    CONTEXT_FULL = "context_full"
    CONTENT_FILTER = "content_filter"  # policy, before or during the answer
    PAUSED = "paused"  # a vendor's own loop wants to be continued; never a completion
    OTHER = "other"  # a word we do not know

    __hash__ = object.__hash__


class Finish(msgspec.Struct, frozen=True, gc=False):
    """The end of one candidate."""

    unified: Unified
    raw: str = ""
    """The vendor's word; empty where we derived the reason."""
    stop_sequence: str | None = None
    """Which of the caller's stop sequences fired, where the vendor says."""
    category: str | None = None
    """Kind of policy that stopped it, where the vendor says."""
    explanation: str | None = None
    """The vendor's words about it."""
    token: str | None = None
    """Generate: the continuation token of a paused answer."""
