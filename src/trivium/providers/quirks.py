"""Known deviations of upstreams by name, and what the relay does about them.

A row lists a quirk, the relay repairs it: a request before it is sent, frames of a stream before
they are watched, a whole answer before it is read. Without quirks nothing is wrapped or copied.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from trivium.conversation.estimate import TEXT_BYTES
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.providers.repair import chat, messages, responses
from trivium.providers.repair.response_stream import Events
from trivium.wire.operation import Operation
from trivium.wire.passage import PieceWritten, RequestFacts, StreamWatch
from trivium.wire.peek import Members
from trivium.wire.sse import DONE, Splitter, frame, frames

RESPONSES_BARE: Final = "responses-bare"
MESSAGES_TOOL_INPUT: Final = "messages-tool-input"
LATE_START: Final = "late-start"
VERTEX_GENERATE: Final = "vertex-generate"

QUIRKS: Final = {
    RESPONSES_BARE: "responses lack indices, sequence numbers and members that SDKs read, and are "
    "called completed when they were cut",
    MESSAGES_TOOL_INPUT: "a streamed tool_use block begins without its input member",
    LATE_START: "a stream lacks its first frame when the first token is a part of a character",
    VERTEX_GENERATE: "every content of a request must name its role, and a count is not wrapped",
}
"""Every quirk a row may name, and what it means."""

_Rewrite: TypeAlias = Callable[[bytes], list[tuple[bytes, bytes]]]
"""One frame's data -> (event name or empty for the frame's own, data) of what takes its place."""


def repair_request(
    quirks: frozenset[str], operation: Operation, body: Members
) -> tuple[dict[str, bytes | None], list[str]]:
    """(members of a caller's body to be replaced, what that repairs); empty where nothing is."""
    if VERTEX_GENERATE in quirks:
        from trivium.wire.generate import for_vertex

        return for_vertex.changes(operation, body)
    return {}, []


def repair_count(quirks: frozenset[str], operation: Operation, body: bytes) -> bytes:
    """A count of tokens that was written here, mended."""
    if operation is Operation.GENERATE_COUNT and VERTEX_GENERATE in quirks:
        from trivium.wire.generate import for_vertex

        return for_vertex.counted(body)
    return body


def repair(
    quirks: frozenset[str],
    operation: Operation,
    watch: StreamWatch,
    *,
    facts: RequestFacts | None = None,
    at: float = 0.0,
    asked_bytes: int = 0,
) -> StreamWatch:
    """``watch`` itself, or one that mends the stream before ``watch`` sees it.

    ``facts`` are the request's (its output limit tells whether an answer was cut), ``at`` is the
    time in seconds since the epoch, for engines that do not say when they began, ``asked_bytes``
    the size of its body, for those that do not say what they counted.
    """
    if operation is Operation.RESPONSES and RESPONSES_BARE in quirks:
        events = Events(
            model=facts.model if facts else "",
            limit=facts.output_max if facts else None,
            at=int(at),
        )
        return _Repaired(watch, events.rewrite)
    if operation is Operation.CHAT and LATE_START in quirks:
        return _Repaired(watch, chat.Roles().rewrite)
    if operation is Operation.MESSAGES:
        opening = messages.OpeningRepair(
            model=facts.model if facts else "",
            at=int(at),
            input_tokens=-(-asked_bytes // TEXT_BYTES),
        )
        return _repair_messages(quirks, watch, opening)
    return watch


def _repair_messages(
    quirks: frozenset[str], watch: StreamWatch, opening: messages.OpeningRepair
) -> StreamWatch:
    if MESSAGES_TOOL_INPUT in quirks:
        watch = _Repaired(watch, lambda data: [(b"", messages.rewrite(data))])
    if LATE_START in quirks:
        watch = _Repaired(watch, opening.rewrite, lambda: opening.guessed)
    return watch


def repair_answer(
    quirks: frozenset[str],
    operation: Operation,
    body: bytes,
    *,
    facts: RequestFacts | None = None,
    at: float = 0.0,
) -> bytes:
    """A whole 200 answer, mended; the same bytes when there is nothing to mend."""
    if operation is Operation.RESPONSES and RESPONSES_BARE in quirks:
        return responses.answer(
            body,
            model=facts.model if facts else "",
            limit=facts.output_max if facts else None,
            at=int(at),
        )
    return body


class TranslatedRepairs:
    """The same repairs where an answer is translated: it is mended before it is read."""

    __slots__ = ("_asked_bytes", "_at", "_facts", "_operation", "_quirks")

    def __init__(
        self, quirks: frozenset[str], operation: Operation, model: str, request: bytes, at: float
    ) -> None:
        """``operation``, ``model`` and ``request`` are those that go upstream."""
        bare = operation is Operation.RESPONSES and RESPONSES_BARE in quirks
        self._quirks = quirks
        self._operation = operation
        self._facts: RequestFacts | None = None
        if quirks:
            limit = responses.limit(request) if bare else None
            self._facts = RequestFacts(model=model, stream=True, output_max=limit)
        self._at = at
        self._asked_bytes = len(request)

    def answer(self, body: bytes) -> bytes:
        """A whole answer, mended."""
        if not self._quirks:
            return body
        return repair_answer(self._quirks, self._operation, body, facts=self._facts, at=self._at)

    def watch(self, watch: StreamWatch) -> StreamWatch:
        """``watch``, which reads what the upstream sends, behind its repair."""
        if not self._quirks:
            return watch
        return repair(
            self._quirks,
            self._operation,
            watch,
            facts=self._facts,
            at=self._at,
            asked_bytes=self._asked_bytes,
        )


class _Repaired:
    """A watch behind a rewriter: it sees, and the caller gets, the mended frames."""

    __slots__ = ("_guessed", "_rewrite", "_splitter", "_watch", "error", "finished", "usage")

    def __init__(
        self, watch: StreamWatch, rewrite: _Rewrite, guessed: Callable[[], bool] | None = None
    ) -> None:
        """``guessed``: whether a count in what was mended is ours and not the upstream's."""
        self._watch = watch
        self._rewrite = rewrite
        self._guessed = guessed
        self._splitter = Splitter()
        self.usage: Usage | None = watch.usage
        self.finished = watch.finished
        self.error: bytes | Fault | None = watch.error

    @property
    def stopped(self) -> bool:
        """As the watch behind it says."""
        return self._watch.stopped

    def feed(self, data: bytes) -> bytes:
        """The mended blocks of one upstream read, as the watch lets them pass."""
        if not data:  # the next piece of what was read already
            return self._fed(data)
        blocks = self._splitter.feed(data)
        return self._pass(blocks) if blocks else b""

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """The held-back block if it is whole, then the watch's own end."""
        rest, self._splitter = self._splitter.rest, Splitter()  # not to be passed again
        out = self._pass(rest.rstrip(b"\r\n") + b"\n\n") if _is_whole(rest) else b""
        try:
            return out + self._watch.end(fault, request_id)
        except PieceWritten as piece:
            piece.out = out + piece.out
            raise
        finally:
            self._look()

    def _pass(self, blocks: bytes) -> bytes:
        if b"\r" in blocks:
            blocks = blocks.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        out: list[bytes] = []
        for block in blocks.split(b"\n\n"):
            found = frames(block)
            if found:
                out += [
                    frame(data.replace(b"\n", b"\ndata: "), name or found[0].event)
                    for name, data in self._rewrite(found[0].data)
                ]
            elif block.strip():
                out.append(block + b"\n\n")  # a comment: it keeps idle proxies from cutting us
        return self._fed(b"".join(out)) if out else b""

    def _fed(self, data: bytes) -> bytes:
        try:
            return self._watch.feed(data)
        finally:
            self._look()

    def _look(self) -> None:
        self.usage = self._watch.usage
        if self.usage is not None and self._guessed is not None and self._guessed():
            self.usage = msgspec.structs.replace(self.usage, estimated=True)
        self.finished = self._watch.finished
        self.error = self._watch.error


def _is_whole(block: bytes) -> bool:
    """Whether the last block of a body lacks nothing but its blank line."""
    found = frames(block)
    if not found:
        return False
    if found[0].data == DONE:
        return True
    try:
        msgspec.json.decode(found[0].data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True
