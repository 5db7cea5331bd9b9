"""What the pass-through lane needs to know of each operation: read, splice, watch.

An operation's passage never builds a body. It checks what the specification limits, names the few
members to replace, and watches the answer for usage and for its own terminal event.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire.peek import Members


class RequestFacts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a request says about itself, read before anything is decided."""

    model: str
    """The public model name asked for."""
    stream: bool = False
    """Whether the answer is to be streamed."""
    output_max: int | None = None
    """The request's own limit on output tokens, over all choices; ``None`` when it sets none."""
    choices: int = 1
    """Answers asked for (``n``, ``best_of``, prompts): a limit that we assume, where the request
    sets none, holds for each of them."""
    seconds: int | None = None
    """Length of the video asked for; ``None`` where none is."""
    size: str = ""
    """Its size, or that of the images asked for: ``1280x720``; empty: not said."""
    quality: str = ""
    """Of the images asked for, ``high``; empty: not said."""
    known: Usage | None = None
    """Of speech, transcripts and reranks: what is used whatever the upstream says, such as
    characters, seconds and searches; ``None`` for everything else."""
    searches_max: int = 0
    """Search units of a rerank at most, as vendors may split long documents."""
    usage_wanted: bool = False
    """Whether the caller itself asked for usage inside the stream (chat and completions)."""
    foreign: bool = False
    """Whether the body is spelled as another shape's, which this route takes and a vendor would
    refuse: it is translated even to its own shape."""
    referred: int = 0
    """Input tokens at most of what the body names and does not hold (``wire/references.py``), where
    anything limits what the caller may spend."""
    array: bool = False
    """Whether the stream is one JSON array (generate-content without ``alt=sse``)."""


class AnswerFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a whole, unstreamed answer says about itself."""

    usage: Usage | None = None
    """``None`` when the vendor reported none."""
    error: bytes | None = None
    """The raw ``error`` member of an answer that came with status 200, else ``None``."""


class PieceWritten(Exception):  # noqa: N818 - no error: the rest follows in later turns
    """A part of what was read is written: ``feed`` of no bytes writes the next one."""

    def __init__(self, out: bytes, *, repeats: bool = False) -> None:
        super().__init__()
        self.out = out
        """Bytes for the caller, to be sent before the next part is written."""
        self.repeats = repeats
        """Whether they say nothing but what was said before."""


class StreamWatch(Protocol):
    """Watches one streamed answer on its way to the caller. One object per answer; pure."""

    @property
    def usage(self) -> Usage | None:
        """The last usage reported so far."""
        ...

    finished: bool
    """Whether the upstream ended the answer as its shape does; stays false when ``end`` had to."""

    @property
    def stopped(self) -> bool:
        """Whether the model has said why it ended: at most its count and the end are to come."""
        ...

    @property
    def error(self) -> bytes | Fault | None:
        """The error that came inside the stream: the raw object, or what it was found to mean."""
        ...

    def feed(self, data: bytes) -> bytes:
        """What to forward for the bytes of one upstream read: ordinarily whole blocks, unchanged.

        The bytes of a block that is still open are held back until it is whole. An error event is
        never forwarded, nor is anything after it: ``error`` is set, and the pipeline ends the
        stream with its own words. Raises ``Fault`` (UPSTREAM_BROKE) when a frame outgrows its
        limit, and ``PieceWritten`` when there is more than should be written in one turn of the
        loop: until all of it is, ``finished`` and ``error`` tell nothing new.
        """
        ...

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """Bytes that end the answer legally after the upstream's last byte.

        ``fault`` says why it broke, ``None`` for a clean end of the body. Empty when the terminal
        event has already passed; otherwise the held-back rest if it is whole, then the shape's
        own error and terminal events. A clean end without the terminal event is a failure too.
        Raises ``PieceWritten`` as ``feed`` does: once all is written, it is asked again. What is
        not written by then is left out.
        """
        ...


class PassThroughSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One operation's pass-through behaviour."""

    facts: Callable[[Members], RequestFacts]
    """Read and check the request. Raises ``Fault`` naming the member.

    For generate-content operations the model and the stream flag come from the path: the edge
    fills them in with ``msgspec.structs.replace`` and this function leaves ``model`` empty.
    """
    changes: Callable[[Members, RequestFacts, str, bool], Mapping[str, bytes | None]]
    """Members to splice: (members, facts, the channel's own model name, whether to ask for usage).

    The last is ``True`` where the provider can report usage inside a stream; operations whose
    streams always carry it ignore it. What the caller itself asked for travels either way.
    """
    answer: Callable[[bytes], AnswerFacts]
    """Read a whole 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content."""
    watch: Callable[[RequestFacts], StreamWatch] | None = None
    """A fresh watch for a streamed answer; ``None`` where the operation never streams."""
