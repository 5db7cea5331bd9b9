"""A streamed answer as canonical events: one vocabulary for six shapes.

Order, which every reader keeps and every writer may rely on::

    Start (PartStart Delta* Cited* PartEnd | UsageReport | KeepAlive)* Finished+ UsageReport* Done

``Failed`` may stand anywhere instead of the rest, ``KeepAlive`` anywhere; after ``Done`` or
``Failed`` there is nothing. Part indexes are 0, 1, 2 … in order of start, over all candidates.
Parts may overlap (chat and responses interleave parallel calls); ``sequential_parts.py`` sorts them
out for shapes that cannot. A function call gets at least one Delta, ``{}`` when it has no
arguments.

A hundred deltas are read and written within 300 µs, so events are small structs without
garbage-collector overhead and are told apart by ``type(event) is Delta``.
"""

from collections.abc import Iterable

import msgspec

from trivium.conversation.finish import Finish
from trivium.conversation.items import Part
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import Citation, TokenLogprob
from trivium.conversation.usage import Usage
from trivium.faults import Fault


class Start(msgspec.Struct, gc=False):
    """The upstream began to answer. Exactly one, first."""

    id: str = ""
    """The vendor's id of the answer."""
    model: str = ""
    """The vendor's own model name."""
    usage: Usage | None = None
    """What is known of the input so far (messages says it at once)."""
    service_tier: str | None = None


class PartStart(msgspec.Struct, gc=False):
    """A part opens. Texts, reasoning, refusals and calls come empty and grow by deltas.

    Anything else (media, vendors' blocks) comes whole and has no delta.
    """

    index: int
    part: Part
    candidate: int = 0


class Delta(msgspec.Struct, gc=False):
    """More of a part's text, or of a call's arguments. Never empty."""

    index: int
    text: str
    logprobs: tuple[TokenLogprob, ...] = ()


class Deltas(msgspec.Struct, gc=False):
    """Deltas of one part that follow each other, none of them with probabilities.

    Each means what a ``Delta`` of its own does, and costs its text alone. ``spelled`` has them
    one by one, for whoever looks at every text.
    """

    index: int
    texts: list[str]


class Cited(msgspec.Struct, gc=False):
    """A citation of the open text part; its offsets count from the part's own start."""

    index: int
    citation: Citation


class PartEnd(msgspec.Struct, gc=False):
    """A part is complete."""

    index: int
    opaque: tuple[Opaque, ...] = ()
    """Attachments that came after the start; added to those of ``PartStart.part``."""


class UsageReport(msgspec.Struct, gc=False):
    """Counters so far, for the whole answer: replaces earlier ones, never adds."""

    usage: Usage


class Finished(msgspec.Struct, gc=False):
    """A candidate ended; all its parts have."""

    finish: Finish
    candidate: int = 0


class KeepAlive(msgspec.Struct, gc=False):
    """The upstream is alive and has nothing to say."""


class Done(msgspec.Struct, gc=False):
    """The upstream ended the answer as its shape does."""

    service_tier: str | None = None
    """The tier that served it, where only the end tells."""


class Failed(msgspec.Struct):
    """The answer broke off: an error event, a cut, nonsense. Nothing follows."""

    fault: Fault


Event = (
    Start
    | PartStart
    | Delta
    | Deltas
    | Cited
    | PartEnd
    | UsageReport
    | Finished
    | KeepAlive
    | Done
    | Failed
)
"""The closed set."""


def spelled(events: Iterable[Event]) -> list[Event]:
    """The same events, each delta by itself."""
    out: list[Event] = []
    for event in events:
        if type(event) is Deltas:
            index = event.index
            out += [Delta(index, text) for text in event.texts]
        else:
            out.append(event)
    return out
