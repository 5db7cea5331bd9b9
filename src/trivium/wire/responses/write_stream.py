"""Canonical events as a responses stream.

Items open when they have something to say. One that has ended is closed when the next one opens
or the answer ends: only then is it known whether it is complete, and texts that follow each other
are parts of one message. Overlapping parts are items side by side, told apart by their index.
Source: OpenAI's API reference, responses streaming, and openai-python 3.52.0, read 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.attachments import worded
from trivium.conversation.calls import ToolCall
from trivium.conversation.custom_tools import Customs
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
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import Image, Inline, Reasoning, ReasoningForm, VendorPart
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors
from trivium.wire.codec import WriteContext
from trivium.wire.heartbeat import COMMENT
from trivium.wire.responses import citations, failure, write_answer_parts
from trivium.wire.responses.response_object import ResponseObjectWriter, encode, reason
from trivium.wire.responses.stream_items import OutputItem, OutputPart
from trivium.wire.sse import unbroken

_END: Final = b"}\n\n"
LONG_CHARS: Final = 1_048_576
"""Of a text: what says it again at its end is not written all at once."""


class Writer:
    """Writes one stream. See ``StreamWriter``."""

    __slots__ = (
        "_begun",
        "_ctx",
        "_customs",
        "_ended",
        "_ends",
        "_envelope",
        "_finish",
        "_number",
        "_output",
        "_over",
        "_parts",
        "_put_off",
        "_summarised",
        "_tier",
        "_usage",
    )

    def __init__(self, ctx: WriteContext) -> None:
        self._ctx = ctx
        self._envelope = ResponseObjectWriter(ctx)
        self._parts: dict[int, OutputPart] = {}
        self._put_off: list[bytes] = []
        """What is written before all else next time, or when nothing else is to be written."""
        self._customs = Customs(ctx.request.tools) or None
        self._output: list[OutputItem] = []
        self._ended: OutputItem | None = None
        """The item whose parts have all ended and which is not closed yet."""
        self._ends: dict[int, tuple[Opaque, ...]] | None = None
        """Attachments of the parts that end in this read; ``None``: nobody has asked."""
        self._number = 0
        self._finish = Finish(Unified.OTHER)
        self._usage: Usage | None = None
        self._tier: str | None = None
        wanted = ctx.request.reasoning
        self._summarised = wanted is not None and bool(wanted.shown)
        """Whether readable reasoning goes where callers who ask for a summary look for it."""
        self._begun = False
        self._over = False

    def feed(self, events: list[Event]) -> bytes:
        """Frames for these events; for none what was put off."""
        out, self._put_off = self._put_off, []
        parts = self._parts
        if self._customs is not None:
            events = self._customs.events(events)
        self._ends = None
        for event in events:
            if type(event) is Delta:
                if (part := parts.get(event.index)) is not None:
                    self._say(part, event, out)
            elif type(event) is Deltas:
                if (part := parts.get(event.index)) is not None:
                    self._say_all(part, event, out)
            elif type(event) is PartStart:
                if not event.candidate:
                    self._start(event, events, out)
            elif type(event) is PartEnd:
                self._part_end(event, out, puts_off=len(events) == 1)
            else:
                self._other(event, out)
        return unbroken(b"".join(out))

    def _say(self, part: OutputPart, event: Delta, out: list[bytes]) -> None:
        frame = part.frame or self._open(part, out)
        first = self._number
        self._number += 1
        part.pieces.append(event.text)
        if event.logprobs:
            out.append(part.with_logprobs(first, encode(event.text), event.logprobs))
        else:
            out.append(frame % (first, encode(event.text)))

    def _say_all(self, part: OutputPart, event: Deltas, out: list[bytes]) -> None:
        # HOT: a hundred deltas together cost two joins: 29 -> 21 us
        # (2026-11-24, bench/hot.py --case tell.responses.responses-text.run)
        frame = part.frame or self._open(part, out)
        first = self._number
        head, _, rest = frame.partition(b"%d")
        middle, _, tail = rest.partition(b"%b")
        self._number += len(event.texts)
        numbers = encode(list(range(first, self._number)))[1:-1].split(b",")
        texts = map(encode, event.texts)
        pieces = [number + middle + text for number, text in zip(numbers, texts, strict=True)]
        part.pieces += event.texts
        out += (head, (tail + head).join(pieces), tail)

    def end(self, fault: Fault | None) -> bytes:
        """Frames that fail the stream unless it has ended."""
        out, self._put_off = self._put_off, []
        if not self._over:
            self._fail(fault or errors.cut_short(), out)
        return unbroken(b"".join(out))

    def unsaid(self) -> bytes:
        """Return nothing: what a part says is said by its end."""
        return b""

    def heartbeat(self) -> bytes:
        """Return an SSE comment, which clients pass over."""
        return COMMENT

    def answer(self) -> bytes:
        """The response object as it stands at the end."""
        why = reason(self._finish)
        return self._envelope.object(
            "completed" if why is None else "incomplete",
            [item.json for item in self._output],
            incomplete=why,
            usage=self._usage,
            tier=self._tier,
        )

    def _event(self, name: str, members: dict[str, Any], out: list[bytes]) -> None:
        out.append(failure.event("response." + name, self._number, members))
        self._number += 1

    def _ending(
        self, name: str, members: dict[str, Any], last: bytes, whole: bytes, out: list[bytes]
    ) -> None:
        """An event that ends with a member that may be as long as the answer: it is not copied."""
        head = failure.event("response." + name, self._number, members).removesuffix(_END)
        out += (head, last, whole, _END)
        self._number += 1

    def _other(self, event: Event, out: list[bytes]) -> None:
        if type(event) is Start:
            self._usage = event.usage
            self._tier = event.service_tier
            self._begin(out)
        elif type(event) is Cited:
            if event.index in self._parts:
                self._cite(self._parts[event.index], event, out)
        elif type(event) is UsageReport:
            self._usage = event.usage
        elif type(event) is Finished:
            if not event.candidate:
                self._finish = event.finish
                self._close(out, "completed" if reason(event.finish) is None else "incomplete")
        elif type(event) is Done:
            self._tier = event.service_tier or self._tier
            name = "completed" if reason(self._finish) is None else "incomplete"
            whole = self.answer()
            if self._ctx.request.stream:
                self._output = []  # of a long answer all of it, which is written once more
            self._ending(name, {}, b',"response":', whole, out)
            self._over = True
        elif type(event) is Failed:
            self._fail(event.fault, out)

    def _begin(self, out: list[bytes]) -> None:
        if self._begun:
            return
        self._begun = True
        started = msgspec.Raw(self._envelope.object("in_progress", tier=self._tier))
        self._event("created", {"response": started}, out)
        self._event("in_progress", {"response": started}, out)

    def _fail(self, fault: Fault, out: list[bytes]) -> None:
        self._begin(out)
        self._over = True
        out.append(failure.error_event(fault, self._number, self._ctx.request_id))
        self._number += 1
        failed = self._envelope.object(
            "failed",
            [item.json for item in self._output if item.json],
            error=failure.of(fault),
            usage=self._usage,
            tier=self._tier,
        )
        self._event("failed", {"response": msgspec.Raw(failed)}, out)

    def _item(self, kind: str, out: list[bytes], part: OutputPart | None) -> OutputItem:
        """A new item, opened after the one that has ended is closed."""
        self._close(out, "completed")
        item = OutputItem(len(self._output), kind, self._ctx.id)
        self._output.append(item)
        if part is not None:
            self._event("output_item.added", item.place(item=part.opening(item)), out)
        return item

    def _close(self, out: list[bytes], status: str) -> None:
        item, self._ended = self._ended, None
        if item is None:
            return
        item.json = encode(item.whole(status))
        item.contents, item.last = [], None
        self._ending("output_item.done", item.place(), b',"item":', item.json, out)
        if item.carried:
            self._carry(item.carried, out)

    def _carry(self, sealed: str, out: list[bytes]) -> None:
        """A reasoning item without words, for attachments of a part that has no slot of its own."""
        item = OutputItem(len(self._output), "reasoning", self._ctx.id)
        self._output.append(item)
        item.json = encode(
            write_answer_parts.reasoning(item.id, ReasoningForm.HIDDEN, "", sealed, "completed")
        )
        for name in ("output_item.added", "output_item.done"):
            self._event(name, item.place(item=msgspec.Raw(item.json)), out)

    def _seal(self, opaque: tuple[Opaque, ...]) -> str:
        return self._ctx.seal(opaque) if opaque else ""

    def _sealed(self, part: OutputPart, opaque: tuple[Opaque, ...]) -> str:
        """What the caller carries of a part that has ended; what calls have went before them."""
        said = part.part
        if type(said) is ToolCall:
            return ""
        opaque = said.opaque + opaque
        if type(said) is Reasoning and said.form is ReasoningForm.FULL:
            # clients send a summary back, but the model's own words they keep for themselves
            opaque = worded(opaque, part.text)
        return self._seal(opaque)

    def _start(self, event: PartStart, events: list[Event], out: list[bytes]) -> None:
        part = event.part
        kind = write_answer_parts.kind(part)
        if kind is None:
            return
        if type(part) is ToolCall:
            own = write_answer_parts.declared(part, self._ctx.request.tools)
            if self._ends is None:
                self._ends = {one.index: one.opaque for one in events if type(one) is PartEnd}
            self._call(event.index, own, part.opaque + self._ends.get(event.index, ()), out)
        elif (type(part) is Image or type(part) is VendorPart) and kind != "message":
            item = self._item(kind, out, None)
            whole: Any
            if isinstance(part, Image):
                assert isinstance(part.source, Inline)
                whole = write_answer_parts.picture(item.id, part.source)
            else:
                whole = write_answer_parts.native(item.id, part)
            item.json = encode(whole)
            for name in ("output_item.added", "output_item.done"):
                self._event(name, item.place(item=msgspec.Raw(item.json)), out)
        else:
            if type(part) is Reasoning and self._summarised:
                part = msgspec.structs.replace(part, form=ReasoningForm.SUMMARY)
            self._parts[event.index] = OutputPart(part)
            if text := write_answer_parts.words(part):
                self._say(self._parts[event.index], Delta(event.index, text), out)

    def _call(
        self, index: int, call: ToolCall, opaque: tuple[Opaque, ...], out: list[bytes]
    ) -> None:
        sealed = self._seal(opaque)
        if sealed:
            # before the call, where clients keep it and we look for it
            self._close(out, "completed")
            self._carry(sealed, out)
        self._parts[index] = saying = OutputPart(call)
        self._open(saying, out)

    def _part_end(self, event: PartEnd, out: list[bytes], *, puts_off: bool) -> None:
        if event.index in self._parts:
            self._end(self._parts[event.index], event.opaque, out, puts_off=puts_off)

    def _open(self, part: OutputPart, out: list[bytes]) -> bytes:
        """Give a part its place in an item, a new one or the message before it."""
        before = self._ended
        if (
            before is not None
            and before is self._output[-1]
            and part.kind == before.kind == "message"
            and not before.carried
        ):
            self._ended = None
            frame = part.settle(before)
        else:
            frame = part.settle(self._item(part.kind, out, part))
        for name, members in part.beginning():
            self._event(name, members, out)
        return frame

    def _cite(self, part: OutputPart, event: Cited, out: list[bytes]) -> None:
        row = citations.annotation(event.citation, part.size)
        if row is None:
            return
        if part.frame is None:
            self._open(part, out)
        members = part.place(annotation_index=len(part.cited), annotation=row)
        self._event("output_text.annotation.added", members, out)
        part.cited.append(event.citation)

    def _end(
        self, part: OutputPart, opaque: tuple[Opaque, ...], out: list[bytes], *, puts_off: bool
    ) -> None:
        sealed = self._sealed(part, opaque)
        if part.frame is not None:
            for name, members in part.ending():
                out += part.filled(failure.event("response." + name, self._number, members))
                self._number += 1
                if puts_off and part.size > LONG_CHARS:
                    out = self._put_off  # the next event has all of the text again
        elif not sealed:
            return
        elif part.kind == "message":
            # it rides behind what was said last
            self._close(out, "completed")
            self._carry(sealed, out)
            return
        else:
            part.item = self._item(part.kind, out, part)
        item = part.item
        item.finish(part, sealed)
        if self._ended is not item:
            self._close(out, "completed")
        self._ended = item
