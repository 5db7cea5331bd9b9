"""Canonical events as streams of Cohere's shape.

Entries of the content and calls are counted apart and come one after the other. Words are content
as they come, before calls too: nobody knows yet that a call will follow. A citation says where it
lies and not the words there, which have been sent.
Source: cohere-python 7.3.1, ``V2ChatStreamResponse``, and runs of it, 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Event,
    Failed,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import Citation, Reasoning, Refusal, Text, TokenLogprob
from trivium.conversation.sequential_parts import SequentialParts
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors
from trivium.wire.codec import WriteContext
from trivium.wire.cohere import citations, finish, usage
from trivium.wire.cohere.write_answer import call_id, likely, plain, signed
from trivium.wire.errors import stream_tail
from trivium.wire.heartbeat import COMMENT
from trivium.wire.operation import Shape
from trivium.wire.sse import unbroken

_encode: Final = msgspec.json.Encoder().encode

_BEGINNING: Final[dict[str, Any]] = {
    "role": "assistant",
    "content": [],
    "tool_plan": "",
    "tool_calls": [],
    "citations": [],
}
_SAYING: Final = (
    b"event: content-delta\n"
    b'data: {"type":"content-delta","index":%d,"delta":{"message":{"content":{"%s":'
)
_SAID: Final = b"}}}}\n\n"
_CALLING: Final = (
    b"event: tool-call-delta\n"
    b'data: {"type":"tool-call-delta","index":%d,"delta":{"message":{"tool_calls":{"function":'
    b'{"arguments":'
)
_CALLED: Final = b"}}}}}\n\n"
_NOBODY: Final = -1


class Writer:
    """Writes one streamed answer."""

    __slots__ = (
        "_after",
        "_before",
        "_blocks",
        "_calls",
        "_cited",
        "_context",
        "_finish",
        "_held",
        "_index",
        "_kinds",
        "_late",
        "_length",
        "_live",
        "_opaque",
        "_open",
        "_over",
        "_part",
        "_passed",
        "_serial",
        "_sources",
        "_usage",
    )

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._serial = SequentialParts()
        self._live = _NOBODY
        """Index of the part whose deltas go straight through."""
        self._before = self._after = b""
        """What stands around the text of its deltas."""
        self._index = _NOBODY
        """Index of the part whose turn it is."""
        self._part: Part | None = None
        self._opaque: tuple[Opaque, ...] = ()
        self._held: list[str] = []
        """The input of a free-text tool, which is told when it is whole."""
        self._late: list[Citation] = []
        """Citations of all of a text, whose end is not known yet."""
        self._length = 0
        """Code points of the open text."""
        self._open = False
        """Whether its start has been written."""
        self._passed: set[int] = set()
        self._kinds: list[type[Part]] = []
        self._blocks = self._calls = self._cited = 0
        self._sources = citations.sources_of(context.members)
        self._finish = Finish(Unified.OTHER)
        self._usage: Usage | None = None
        self._over = False

    def feed(self, events: list[Event]) -> bytes:
        """Frames for these events."""
        out: list[bytes] = []
        for event in events:
            if type(event) is Delta and event.index == self._live and not event.logprobs:
                self._length += len(event.text)
                out += (self._before, _encode(event.text), self._after)
            elif type(event) is Deltas and event.index == self._live:
                out.append(self._joined(event.texts))
            elif not self._over:
                self._take(event, out)
        return unbroken(b"".join(out))

    def end(self, fault: Fault | None) -> bytes:
        """The error that ends the stream, unless all is said."""
        if self._over:
            return b""
        self._over = True
        self._live = _NOBODY
        tail = stream_tail(fault or errors.cut_short(), self._context.request_id, Shape.COHERE)
        return unbroken(tail)

    def unsaid(self) -> bytes:
        """Return nothing: what a part says is said by its end."""
        return b""

    def heartbeat(self) -> bytes:
        """A comment, which clients pass over."""
        return COMMENT

    def _take(self, event: Event, out: list[bytes]) -> None:
        if type(event) is Start:
            self._usage = event.usage
            members = {"id": self._context.id, "delta": {"message": _BEGINNING}}
            out.append(_frame("message-start", members))
        elif type(event) is UsageReport:
            self._usage = event.usage
        elif type(event) is Finished:
            self._finish = self._finish if event.candidate else event.finish
        elif type(event) is Done:
            self._done(out)
        elif type(event) is Failed:
            out.append(self.end(event.fault))
        elif (
            type(event) is PartStart
            or type(event) is PartEnd
            or type(event) is Delta
            or type(event) is Deltas
            or type(event) is Cited
        ):
            # of candidates the shape has one
            if type(event) is PartStart and event.candidate:
                self._passed.add(event.index)
            if event.index not in self._passed:
                for one in self._serial.feed([event]):
                    self._piece(one, out)
        else:
            out.append(COMMENT)

    def _piece(self, event: Event, out: list[bytes]) -> None:
        if type(event) is PartStart:
            self._begin(event, out)
        elif type(event) is Delta:
            self._delta(event.text, event.logprobs, out)
        elif type(event) is Deltas:
            for at, text in enumerate(event.texts):
                if self._live == self._index:
                    out.append(self._joined(event.texts[at:]))
                    break
                self._delta(text, (), out)
        elif type(event) is Cited:
            if event.citation.end is None:
                self._late.append(event.citation)
            else:
                self._cite(event.citation, out)
        elif type(event) is PartEnd:
            self._close(event, out)

    def _begin(self, event: PartStart, out: list[bytes]) -> None:
        part = event.part
        self._part = part
        self._index = event.index
        self._opaque = part.opaque
        self._length = 0
        self._open = False
        self._live = _NOBODY
        if type(part) is ToolCall:
            self._kinds.append(ToolCall)
            function = {"name": part.name, "arguments": ""}
            id_ = call_id(part, self._context, event.index)
            call = {"id": id_, "type": "function", "function": function}
            out.append(self._of_call("tool-call-start", {"message": {"tool_calls": call}}))
            if part.kind is not CallKind.CUSTOM:
                self._live = event.index
                self._before, self._after = _CALLING % self._calls, _CALLED
        elif isinstance(part, Text | Reasoning | Refusal):
            self._kinds.append(Text if type(part) is Refusal else type(part))
            if part.text:
                self._delta(part.text, (), out)
        elif text := plain(part):
            self._delta(text, (), out)

    def _delta(self, text: str, told: tuple[TokenLogprob, ...], out: list[bytes]) -> None:
        part = self._part
        if type(part) is ToolCall and part.kind is CallKind.CUSTOM:
            self._held.append(text)
            return
        if type(part) is not ToolCall:
            self._start(out)
        self._length += len(text)
        if not told:
            out += (self._before, _encode(text), self._after)
        elif len(told) == 1 or "".join(one.token for one in told) != text:
            out.append(self._weighed(text, told[0]))
            out += [self._weighed("", one) for one in told[1:]]
        else:
            out += [self._weighed(one.token, one) for one in told]

    def _start(self, out: list[bytes]) -> None:
        """Open the entry of the content, if it is not."""
        if self._open:
            return
        self._open = True
        name = "thinking" if type(self._part) is Reasoning else "text"
        content = {"type": name, name: ""}
        out.append(self._of_block("content-start", {"message": {"content": content}}))
        self._live = self._index
        self._before, self._after = _SAYING % (self._blocks, name.encode()), _SAID

    def _weighed(self, text: str, told: TokenLogprob) -> bytes:
        delta = {"message": {"content": {"text": text}}}
        members = {"index": self._blocks, "delta": delta, "logprobs": likely(told)}
        return _frame("content-delta", members)

    def _joined(self, texts: list[str]) -> bytes:
        """Deltas of the live part."""
        self._length += sum(map(len, texts))
        between = self._after + self._before
        return self._before + between.join(map(_encode, texts)) + self._after

    def _cite(self, citation: Citation, out: list[bytes]) -> None:
        row = citations.written(citation, self._blocks, None, self._length, self._sources)
        if row is None or type(self._part) is not Text:
            return
        self._start(out)
        delta = {"message": {"citations": row}}
        out.append(_frame("citation-start", {"index": self._cited, "delta": delta}))
        out.append(_frame("citation-end", {"index": self._cited}))
        self._cited += 1

    def _close(self, event: PartEnd, out: list[bytes]) -> None:
        part, self._live = self._part, _NOBODY
        sealed = signed((*self._opaque, *event.opaque), self._context)
        if type(part) is ToolCall:
            if part.kind is CallKind.CUSTOM:
                text = _encode({"input": "".join(self._held)}).decode()
                self._held.clear()
                out += (_CALLING % self._calls, _encode(text), _CALLED)
            delta = {"delta": {"message": {"tool_calls": sealed}}} if sealed else {}
            out.append(_frame("tool-call-end", {"index": self._calls, **delta}))
            self._calls += 1
            return
        if type(part) is Reasoning and sealed:
            self._start(out)
            self._live = _NOBODY
            content = {"thinking": "", **sealed}
            out.append(self._of_block("content-delta", {"message": {"content": content}}))
        for one in self._late:
            self._cite(one, out)
        self._late.clear()
        self._live = _NOBODY
        if self._open:
            self._open = False
            out.append(_frame("content-end", {"index": self._blocks}))
            self._blocks += 1

    def _of_block(self, kind: str, delta: dict[str, Any]) -> bytes:
        return _frame(kind, {"index": self._blocks, "delta": delta})

    def _of_call(self, kind: str, delta: dict[str, Any]) -> bytes:
        return _frame(kind, {"index": self._calls, "delta": delta})

    def _done(self, out: list[bytes]) -> None:
        self._over = True
        counted = self._usage or Usage(fresh=self._context.input_estimate)
        delta = {
            "finish_reason": finish.written(self._finish, self._kinds),
            "usage": usage.written(counted),
        }
        out.append(_frame("message-end", {"id": self._context.id, "delta": delta}))


def _frame(kind: str, members: dict[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), _encode({"type": kind, **members}))
