"""A lane to a cloud that has the channel's shape in a wrapping of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from trivium.conversation.losses import Report
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.pipeline.lane import Lane, SteppedLane, in_steps
from trivium.pipeline.services import Exchange, Headers
from trivium.pipeline.structs import WholeAnswer
from trivium.providers.wrapping import StreamUnwrapper, Wrapping
from trivium.wire import json_size
from trivium.wire.messages import hosted
from trivium.wire.messages.hosted import Hosting
from trivium.wire.messages.version import VERSIONS
from trivium.wire.passage import PassThroughSpec, PieceWritten, RequestFacts, StreamWatch
from trivium.wire.peek import Members

_VERSIONS = (b"anthropic-version", b"vendor-version")
_BETA = b"anthropic-beta"


def hosting_of(exchange: Exchange) -> Hosting:
    """What the caller's headers say that a cloud has in the body."""
    headers = exchange.headers
    version = next((headers[name] for name in _VERSIONS if headers.get(name)), b"")
    betas = hosted.joined(
        *(hosted.split(value.decode("latin-1")) for value in exchange.values(_BETA))
    )
    return Hosting(version=version.decode("latin-1").strip() or VERSIONS[0], betas=betas)


def wrapping_passage(
    passage: PassThroughSpec, wrapping: Wrapping, hosting: Hosting
) -> PassThroughSpec:
    """The same pass-through with the wrapping's members spliced among its own."""

    def changes(
        members: Members, facts: RequestFacts, model: str, usage: bool
    ) -> Mapping[str, bytes | None]:
        return {**passage.changes(members, facts, model, usage), **wrapping.changes(hosting)}

    return msgspec.structs.replace(passage, changes=changes)


class WrappedLane(SteppedLane):
    """Another lane, behind what its channel puts around the shape. See ``Lane``."""

    __slots__ = ("_hosting", "_wrapping", "body", "inner", "operation")

    def __init__(
        self, inner: Lane, wrapping: Wrapping, hosting: Hosting, *, is_spliced: bool
    ) -> None:
        """``is_spliced``: whether the members have been spliced into the body already."""
        self.inner = inner
        """The lane in the shape's own words."""
        self.operation = inner.operation
        self._wrapping = wrapping
        self._hosting = hosting
        body: Any = inner.body
        inner.body = b""  # or it would be kept when this one lets go of it
        if not is_spliced:
            body = wrapping.wrapped(body, hosting)
        elif wrapping.body is not None:
            body = wrapping.body(body)
        self.body = body

    def again(self, body: bytes) -> bytes:
        """What the channel is sent to go on with an answer that was not whole."""
        return self._wrapping.wrapped(body, self._hosting)

    @property
    def report(self) -> Report | None:
        """What was left out and mended."""
        return self.inner.report

    @property
    def notes(self) -> Headers:
        """Headers that tell the caller of it."""
        return self.inner.notes

    def whole(self, body: bytes) -> WholeAnswer:
        """A whole answer for the caller. Raises ``Fault`` when it is none."""
        answer = self._wrapping.answer
        return self.inner.whole(body if answer is None else answer(body))

    def steps(self, body: bytes) -> Iterator[WholeAnswer | None]:
        """The same step by step."""
        answer = self._wrapping.answer
        if answer is not None:
            body = answer(body)
            yield None
        yield from in_steps(self.inner, body)

    def watch(self) -> StreamWatch | None:
        """The lane's watch, behind what unwraps the stream."""
        watch = self.inner.watch()
        if watch is None or self._wrapping.stream is None:
            return watch
        return UnwrappingWatch(watch, self._wrapping.stream())


class UnwrappingWatch:
    """A watch that is shown, and lets pass, what was in the frames. See ``StreamWatch``."""

    __slots__ = ("_inner", "_unwrapper", "_watch", "error", "finished", "usage")

    def __init__(self, watch: StreamWatch, unwrapper: StreamUnwrapper) -> None:
        self._watch = watch
        self._unwrapper = unwrapper
        self._inner = b""
        """What was in the frames and is read in the next turn: a large frame took all of this."""
        self.usage: Usage | None = watch.usage
        self.finished = watch.finished
        self.error: bytes | Fault | None = watch.error

    @property
    def stopped(self) -> bool:
        """As the watch behind it says."""
        return self._watch.stopped

    def feed(self, data: bytes) -> bytes:
        """What the watch lets pass of the frames that became whole. Raises ``PieceWritten`` where
        others must have a turn before these are read.
        """
        inner, self._inner = self._inner, b""
        if data:
            inner += self._unwrapper.feed(data)
            if not inner:
                return b""  # asked with nothing, it would write the next piece
            if len(inner) > json_size.LARGE_BYTES:
                self._inner = inner
                raise PieceWritten(b"")
        try:
            return self._watch.feed(inner)
        finally:
            self._look()

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """The watch's own end: of a frame that was cut nothing is told."""
        try:
            return self._watch.end(fault, request_id)
        finally:
            self._look()

    def _look(self) -> None:
        self.usage = self._watch.usage
        self.finished = self._watch.finished
        self.error = self._watch.error
