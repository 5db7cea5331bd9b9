"""Canonical events as a completions stream: whole ``text_completion`` objects, then ``[DONE]``.

Source: OpenAI's API reference, completions, and openai-python 3.52.0, read 2026-11-21.
"""

from typing import Final

import msgspec

from trivium.conversation.events import (
    Delta,
    Done,
    Event,
    Failed,
    Finished,
    PartStart,
    UsageReport,
    spelled,
)
from trivium.conversation.parts import Refusal, Text, TokenLogprob
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors, sse
from trivium.wire.chat import write_usage
from trivium.wire.codec import WriteContext
from trivium.wire.completions import write_answer
from trivium.wire.completions.read_request import echoed
from trivium.wire.heartbeat import COMMENT
from trivium.wire.operation import Shape

_encode: Final = msgspec.json.Encoder().encode


class Writer:
    """Writes one completions stream to the caller. See ``StreamWriter``."""

    __slots__ = ("_before", "_context", "_ended", "_head", "_parts", "_sizes", "_tail", "_usage")

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._before = write_answer.prompt_of(context.request) if echoed(context.members) else ""
        self._parts: dict[int, int] = {}
        """Candidate of each part whose text is told."""
        self._sizes: dict[int, int] = {}
        """Code points of each candidate's text so far."""
        self._usage: Usage | None = None
        self._ended = False
        head = {
            "id": f"cmpl-{context.id}",
            "object": write_answer.OBJECT,
            "created": context.created,
            "model": context.model,
        }
        self._head = b"data: " + _encode(head)[:-1] + b',"choices":['
        self._tail = b',"usage":null}\n\n' if context.usage_wanted else b"}\n\n"

    def feed(self, events: list[Event]) -> bytes:
        """Frames for these events."""
        out: list[bytes] = []
        for event in spelled(events):
            self._event(event, out)
        return b"".join(out)

    def end(self, fault: Fault | None) -> bytes:
        """Frames that end the stream if nothing has."""
        if self._ended:
            return b""
        self._ended = True
        fault = fault or errors.cut_short()
        return errors.stream_tail(fault, self._context.request_id, Shape.COMPLETIONS)

    def unsaid(self) -> bytes:
        """Return nothing: what a part says is said by its end."""
        return b""

    def heartbeat(self) -> bytes:
        """A comment, which every client skips."""
        return COMMENT

    def _event(self, event: Event, out: list[bytes]) -> None:
        if type(event) is Delta:
            candidate = self._parts.get(event.index)
            if candidate is not None:
                self._say(candidate, event.text, event.logprobs, out)
        elif type(event) is PartStart:
            if isinstance(event.part, Text | Refusal):
                self._parts[event.index] = event.candidate
            if words := write_answer.text_of(event.part):
                self._say(event.candidate, words, (), out)
        elif type(event) is UsageReport:
            self._usage = event.usage
        elif type(event) is Finished:
            self._opened(event.candidate, out)
            self._chunk(
                event.candidate, "", b"null", _encode(write_answer.ending(event.finish)), out
            )
        elif type(event) is Done:
            self._done(out)
        elif type(event) is Failed:
            out.append(self.end(event.fault))

    def _opened(self, candidate: int, out: list[bytes]) -> None:
        """Repeat the prompt before a candidate's first word, where that is wanted."""
        if candidate not in self._sizes:
            self._sizes[candidate] = len(self._before)
            if self._before:
                self._chunk(candidate, self._before, b"null", b"null", out)

    def _say(
        self, candidate: int, text: str, tokens: tuple[TokenLogprob, ...], out: list[bytes]
    ) -> None:
        self._opened(candidate, out)
        size = self._sizes[candidate]
        probable = _encode(write_answer.probabilities(tokens, size)) if tokens else b"null"
        self._sizes[candidate] = size + len(text)
        self._chunk(candidate, text, probable, b"null", out)

    def _chunk(
        self, candidate: int, text: str, logprobs: bytes, ending: bytes, out: list[bytes]
    ) -> None:
        out.append(
            b'%b{"text":%b,"index":%d,"logprobs":%b,"finish_reason":%b}]%b'
            % (self._head, _encode(text), candidate, logprobs, ending, self._tail)
        )

    def _done(self, out: list[bytes]) -> None:
        self._ended = True
        if self._context.usage_wanted and self._usage is not None:
            out.append(
                self._head + b'],"usage":' + _encode(write_usage.written(self._usage)) + b"}\n\n"
            )
        out.append(sse.frame(sse.DONE))
