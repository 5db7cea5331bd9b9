"""The contract of the translation lane: what each shape's codec exports, and what it is given.

A codec is pure: ids, time and secrets come in as arguments, nothing goes out but values. It has two
halves, the caller's and the upstream's, of three jobs each. ``chat``, ``responses``, ``messages``,
``generate``, ``converse`` and ``cohere`` have both: the six modules of docs/translation-model.md
and one ``CODEC``; ``completions`` has the caller's half, and a provider's own shape the upstream's.
There is no module for a pair of shapes.
"""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

import msgspec

from trivium.conversation.answer import Answer
from trivium.conversation.attachments import sealed_shut
from trivium.conversation.events import Event
from trivium.conversation.losses import Report
from trivium.conversation.opaque import Opaque, Open, Seal, StateOrigin
from trivium.conversation.request import Conversation
from trivium.conversation.shape_capabilities import Loss, ShapeCapabilities
from trivium.conversation.target import TargetFacts
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.operation import Shape


def unsealed(opaque: tuple[Opaque, ...]) -> str:  # noqa: ARG001 - the signature of Seal
    """The ``Seal`` of a gateway that carries nothing: callers get empty slots."""
    return ""


def broke(error: bytes) -> Fault:  # noqa: ARG001 - the signature of ``AnswerContext.refused``
    """The fault behind any error object, for those who know nothing of vendors."""
    return Fault(Kind.UPSTREAM_BROKE, "The upstream failed to answer this request.")


def unheeded(name: str, loss: Loss) -> None:
    """The ``AnswerContext.unread`` of those to whom nobody reports."""


class ReadContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a request reader is told besides the body."""

    model: str | None = None
    """From the path (generate); ``None``: the body says it."""
    stream: bool | None = None
    """From the path (generate); ``None``: the body says it."""
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Lower-case names; those that change the meaning of the body (``anthropic-version``)."""
    open: Open = sealed_shut


class AnswerContext(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer reader is told besides the bytes."""

    origin: StateOrigin
    """Stamped on every attachment of the answer."""
    model: str = ""
    """The model as the channel names it, for attachments."""
    seed: str = ""
    """Of this request alone: for the ids of calls that the upstream gave none."""
    think_tags: bool = False
    """Chat: whether the server writes its reasoning into the text, between ``<think>`` tags."""
    unread: Callable[[str, Loss], None] = unheeded
    """Told the name of whatever in the answer the reader does not know, and what becomes of it:
    ``conversation.answer_losses.LossReporter.unread``."""
    refused: Callable[[bytes], Fault] = broke
    """What an error object inside a 200 means: ``providers.failure.error_event``."""


class WriteContext(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer writer is told besides the answer."""

    request: Conversation
    """The caller's request, for shapes that echo it."""
    members: Mapping[str, msgspec.Raw] = msgspec.field(default_factory=dict)
    """Its top-level members as they came: what responses echoes is the caller's own spelling."""
    id: str
    """Gateway-made, without a prefix, of ``[A-Za-z0-9]``: the writer puts its shape's own before
    it, and derives item ids by appending an index."""
    created: int
    """Unix seconds."""
    model: str
    """Name shown to the caller: the one it asked for."""
    request_id: str
    """For errors inside the stream."""
    usage_wanted: bool = False
    """Chat: whether the stream carries the usage frame."""
    input_estimate: int = 0
    """Input tokens, estimated, for streams that say them at the start (messages); else 0."""
    array: bool = False
    """Generate: the stream is one JSON array instead of server-sent events."""
    seal: Seal = unsealed


class StreamReader(Protocol):
    """Reads one upstream's stream. One object per answer.

    Bytes may be cut anywhere. Guarantees the order written in ``conversation/events.py`` whatever
    the upstream does; exactly one ``Done`` or ``Failed``, last.
    """

    @property
    def usage(self) -> Usage | None:
        """The last one reported, for the bill."""
        ...

    @property
    def stopped(self) -> bool:
        """Whether the model has said why it ended: at most its count and the end are to come."""
        ...

    def feed(self, data: bytes) -> list[Event]:
        """Events of what became whole. Never raises: nonsense from upstream is ``Failed``."""
        ...

    def end(self, fault: Fault | None) -> list[Event]:
        """The rest after the last byte; ``Failed`` unless all was said.

        ``fault`` says why the connection broke, ``None`` for a clean end of the body. Empty when
        ``Done`` or ``Failed`` has already been given.
        """
        ...


class StreamWriter(Protocol):
    """Writes one stream to the caller. One object per answer.

    May be given any events in the legal order and writes its shape's legal order, with exactly one
    terminal. Events of overlapping parts are its own business.
    """

    def feed(self, events: list[Event]) -> bytes:
        """Frames for these events, possibly none. ``Failed`` writes the shape's error and end."""
        ...

    def end(self, fault: Fault | None) -> bytes:
        """Frames that end the stream if neither Done nor Failed came; else nothing.

        ``fault`` is what happened; ``None`` is a reader that stopped without a word.
        """
        ...

    def unsaid(self) -> bytes:
        """Frames of what is held until the end and said with it, for whoever counts before that."""
        ...

    def heartbeat(self) -> bytes:
        """What to send in a silence; legal at any place between two ``feed`` calls."""
        ...


ReadRequest: TypeAlias = Callable[[Mapping[str, msgspec.Raw], ReadContext], Conversation]
WriteAnswer: TypeAlias = Callable[[Answer, WriteContext], bytes]
WriteStream: TypeAlias = Callable[[WriteContext], StreamWriter]


class CallerOnly(msgspec.Struct, frozen=True, kw_only=True):
    """One shape as its callers speak it, whole and streamed: the codec of one that no upstream is
    asked in.
    """

    shape: Shape
    read_request: ReadRequest
    """``read_request.read``: the caller's body by top-level member, checked as strictly as the
    specification allows. Raises ``Fault`` (INVALID_VALUE, INVALID_TYPE, MISSING_MEMBER) naming the
    member's path."""
    write_answer: WriteAnswer
    """``write_answer.write``: the whole body for the caller."""
    write_stream: WriteStream
    """``write_stream.Writer``: the same answer for the caller, written event by event."""
    places: ShapeCapabilities
    """What its answers have a place for: the rest is reported
    (``conversation/shape_capabilities.py``)."""


class UpstreamCodec(msgspec.Struct, frozen=True, kw_only=True):
    """One shape as upstreams speak it, whole and streamed: all of it where no caller does."""

    shape: Shape = Shape.VENDOR
    write_request: Callable[[Conversation, TargetFacts, Report], bytes]
    """``write_request.write``: the body for the upstream. The conversation has passed
    ``conversation.fit.fitted``. Raises ``Fault`` (UNREPRESENTABLE) through the report only."""
    read_answer: Callable[[bytes, AnswerContext], Answer]
    """``read_answer.read``: an upstream's whole 200 body, read tolerantly. Raises ``Fault``
    (UPSTREAM_BROKE, or what an error in the body means)."""
    read_stream: Callable[[AnswerContext], StreamReader]
    """``read_stream.Reader``. Bytes are cut into frames by the reader itself: ``wire/sse.py`` for
    server-sent events, ``wire/length_prefixed.py`` for frames that begin with their length."""


class Codec(UpstreamCodec, frozen=True, kw_only=True):
    """One shape, both directions, whole and streamed: what ``CallerOnly`` has as well."""

    read_request: ReadRequest
    write_answer: WriteAnswer
    write_stream: WriteStream
    places: ShapeCapabilities


CallerCodec: TypeAlias = CallerOnly | Codec
"""One shape as its callers speak it, whatever else it is."""
