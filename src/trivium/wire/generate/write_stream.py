"""A stream of generate-content, as events or as one array.

Chunks are complete messages. As events they are ``data: {json}`` and a blank line, nothing else:
google-genai fails on comments, event names and ``[DONE]`` (google-genai 3.4, run on 2026-11-21).
Lines end in CRLF throughout, as the vendor's do: google-genai for Go takes two events for one where
ends are mixed. Calls come whole, so their deltas wait for the end of the part. Ends and usage wait
for the last chunk: what follows an end could otherwise still fail.

A chunk has to have a part: the chats of google-genai for Python and JavaScript forget a turn of
which one chunk has none (3.4 and 3.1, run on 2026-11-23). So the last chunk has the last part that
came whole, a call above all. Only after text, of which nothing is held back, it is an empty text,
as in the vendor's own last chunks, which clients in Go send back as ``{}``.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.answer import Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Event,
    Failed,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish
from trivium.conversation.items import Part
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import Citation, Reasoning, Refusal, Text, TokenLogprob
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors
from trivium.wire.codec import WriteContext
from trivium.wire.errors import body
from trivium.wire.generate import citations, logprobs, write_answer_parts, write_usage
from trivium.wire.generate.finish import CUT
from trivium.wire.generate.long_text import LongText
from trivium.wire.generate.write_answer import ending, searched
from trivium.wire.operation import Shape
from trivium.wire.sse import unbroken

_encode: Final = msgspec.json.Encoder().encode
_BETWEEN: Final = b",\r\n"
_BLANK: Final = b"\r\n\r\n"
_LARGE_BYTES: Final = 65_536
"""Written at once: only of a text that came in one go."""
_LONG_CHARS: Final = 1_048_576
"""Of a text that is kept until its citations are told, so that they quote it."""


class _Open:
    """A part that is being written."""

    __slots__ = (
        "candidate",
        "chars",
        "citations",
        "counted",
        "head",
        "long",
        "part",
        "pieces",
        "place",
        "tail",
    )

    def __init__(self, event: PartStart, head: bytes, tail: bytes, place: int) -> None:
        self.part: Part = event.part
        self.candidate = event.candidate
        self.head = head
        self.tail = tail
        self.place = place  # among the parts of its candidate
        self.pieces: list[str] = []
        self.citations: list[Citation] = []
        self.chars = self.counted = 0
        """Of how many pieces the length is known, and of all that there were."""
        self.long: LongText | None = None
        """A text that is too long to be kept, but for the last pieces."""

    def text(self) -> str | LongText:
        """What was written of it."""
        text = "".join(self.pieces)
        if self.long is None:
            return text
        self.long.add(text)
        return self.long

    def shorten(self) -> None:
        """Keep no longer what was written of a text that comes in one go, and is long."""
        if not self.head:
            return
        self.chars += sum(map(len, self.pieces[self.counted :]))
        self.counted = len(self.pieces)
        if self.chars > _LONG_CHARS:
            if self.long is None:
                self.long = LongText()
            self.long.add("".join(self.pieces))
            self.pieces = []
            self.counted = 0


class Writer:
    """Writes one stream to the caller."""

    __slots__ = (
        "_array",
        "_broken",
        "_cited",
        "_context",
        "_finishes",
        "_held",
        "_open",
        "_over",
        "_pending",
        "_places",
        "_searched",
        "_sent",
        "_tail",
        "_tier",
        "_usage",
    )

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._array = context.array
        model, id_ = _encode(context.model), _encode(context.id)
        tail = b'"modelVersion":' + model + b',"responseId":' + id_ + b"}"
        self._tail = tail if context.array else tail + _BLANK
        self._open: dict[int, _Open] = {}
        self._places: dict[int, int] = {}
        self._pending: dict[int, list[Opaque]] = {}
        self._broken: dict[int, list[dict[str, Any]]] = {}
        self._cited: dict[int, list[tuple[int, str | LongText, list[Citation]]]] = {}
        self._searched: dict[int, list[str]] = {}
        self._finishes: dict[int, Finish] = {}
        self._held: dict[int, dict[str, Any]] = {}
        """Of each candidate the whole part that came last, in case it is the last of all."""
        self._usage: Usage | None = None
        self._tier: str | None = None
        self._sent = False
        self._over = False

    def feed(self, events: list[Event]) -> bytes:
        """Chunks for these events, possibly none."""
        out: list[bytes] = []
        open_ = self._open
        part: _Open | None = None
        for event in events:
            # HOT: a chunk is three pieces, two of them made beforehand, and many deltas are one
            # join: 13.0 -> 7.0 us (2026-11-24, bench/hot.py --case tell.generate.messages-text.run)
            if type(event) is Delta:
                part = open_[event.index]
                part.pieces.append(event.text)
                if part.head:
                    if event.logprobs:
                        self._likely(part, event.text, event.logprobs, out)
                    else:
                        out += (part.head, _encode(event.text), part.tail)
            elif type(event) is Deltas:
                part = open_[event.index]
                part.pieces += event.texts
                if part.head:
                    between = part.tail + part.head
                    out += (part.head, between.join(map(_encode, event.texts)), part.tail)
            elif not self._over:
                self._rare(event, out)
        data = self._joined(out)
        if len(data) > _LARGE_BYTES and part is not None:
            part.shorten()
        return data

    def end(self, fault: Fault | None) -> bytes:
        """What ends the stream if nothing has."""
        if self._over:
            return b""
        out: list[bytes] = []
        self._fail(fault or errors.cut_short(), out)
        return self._joined(out)

    def unsaid(self) -> bytes:
        """What the last chunk will say, besides why candidates ended, in chunks of its own."""
        out: list[bytes] = []
        for number, finish in self._finishes.items():
            members = [] if finish.unified in CUT else self._broken.get(number, [])
            if (held := self._held.get(number)) is not None:
                members = [held, *members]
            head, tail = self._frame(number)
            for member in members:
                out += (head, _encode(member), tail)
        return b"".join(out)

    def heartbeat(self) -> bytes:
        """An empty event; nothing can be said between two elements of an array."""
        return b"" if self._array or self._over else _BLANK

    def _rare(self, event: Event, out: list[bytes]) -> None:
        if type(event) is PartStart:
            self._start(event, out)
        elif type(event) is PartEnd:
            self._end(self._open.pop(event.index), event.opaque, out)
        elif type(event) is Cited:
            self._open[event.index].citations.append(event.citation)
        elif type(event) is Finished:
            self._finishes[event.candidate] = event.finish
        elif type(event) is UsageReport:
            self._usage = event.usage
        elif type(event) is Start:
            self._usage, self._tier = event.usage, event.service_tier
        elif type(event) is Done:
            self._tier = event.service_tier or self._tier
            self._last(out)
        elif type(event) is Failed:
            self._fail(event.fault, out)
        elif type(event) is KeepAlive:
            out.append(self.heartbeat())

    def _start(self, event: PartStart, out: list[bytes]) -> None:
        part = event.part
        self._release(event.candidate, out)
        head, tail = self._frame(event.candidate)
        place = self._places.get(event.candidate, 0)
        self._places[event.candidate] = place + 1
        if isinstance(part, Text | Refusal | Reasoning):
            thought = b',"thought":true}' if isinstance(part, Reasoning) else b"}"
            self._open[event.index] = _Open(event, head + b'{"text":', thought + tail, place)
            if part.text:
                self._open[event.index].pieces.append(part.text)
                out += (head + b'{"text":', _encode(part.text), thought + tail)
        else:
            if queries := searched(part):
                self._searched.setdefault(event.candidate, []).extend(queries)
            self._open[event.index] = _Open(event, b"", b"", place)
            if isinstance(part, ToolCall) and part.arguments:
                self._open[event.index].pieces.append(part.arguments)

    def _frame(self, candidate: int) -> tuple[bytes, bytes]:
        """What stands before and after the parts of a chunk."""
        lead = _BETWEEN if self._array else b"data: "
        head = lead + b'{"candidates":[{"content":{"role":"model","parts":['
        return head, b']},"index":%d}],' % candidate + self._tail

    def _say(self, candidate: int, member: dict[str, Any], out: list[bytes]) -> None:
        self._release(candidate, out)
        self._held[candidate] = member

    def _release(self, candidate: int, out: list[bytes]) -> None:
        """Say what was held: something follows it."""
        if (member := self._held.pop(candidate, None)) is not None:
            head, tail = self._frame(candidate)
            out += (head, _encode(member), tail)

    def _end(self, open_: _Open, more: tuple[Opaque, ...], out: list[bytes]) -> None:
        part, candidate = open_.part, open_.candidate
        own, later = write_answer_parts.riding((*part.opaque, *more))
        member: dict[str, Any] | None
        if isinstance(part, ToolCall):
            own = (*self._pending.pop(candidate, ()), *later, *own)
            member, whole = write_answer_parts.call(part, "".join(open_.pieces))
            _sign(member, self._context.seal(own) if own else "")
            if whole:
                self._say(candidate, member, out)
            else:
                # cut off or broken: only the end of the answer tells which
                self._broken.setdefault(candidate, []).append(member)
        else:
            if later:
                self._pending.setdefault(candidate, []).extend(later)
            signature = self._context.seal(own) if own else ""
            # what could be said of a text has been
            member = None if open_.head else write_answer_parts.plain(part)
            if member is None and signature:
                member = {"text": ""}
                if isinstance(part, Reasoning):
                    member["thought"] = True
            if member is not None:
                self._say(candidate, _sign(member, signature), out)
            if open_.citations:
                cited = (open_.place, open_.text(), open_.citations)
                self._cited.setdefault(candidate, []).append(cited)

    def _likely(
        self, part: _Open, text: str, tokens: tuple[TokenLogprob, ...], out: list[bytes]
    ) -> None:
        result = _encode(logprobs.written(tokens))
        at = part.tail.index(b']},"index":') + 2
        tail = part.tail[:at] + b',"logprobsResult":' + result + part.tail[at:]
        out += (part.head, _encode(text), tail)

    def _last(self, out: list[bytes]) -> None:
        """The last chunk: why every candidate ended, and what it all came to."""
        candidates: list[dict[str, Any]] = []
        for number, finish in sorted(self._finishes.items()):
            for member in self._broken.pop(number, ()):
                if finish.unified not in CUT:
                    self._say(number, member, out)
            pending = self._pending.get(number)
            signature = self._context.seal(tuple(pending)) if pending else ""
            held = self._held.pop(number, None)
            parts = [] if held is None else [held]
            if signature or not parts:
                parts.append(_sign({"text": ""}, signature))
            candidate: dict[str, Any] = {
                "content": {"role": "model", "parts": parts},
                **ending(Candidate((), finish)),
                "index": number,
            }
            queries = self._searched.get(number, [])
            found = citations.grounding(self._cited.get(number, ()), queries)
            if found is not None:
                candidate["groundingMetadata"] = found
            candidates.append(candidate)
        for number in sorted(self._held):
            self._release(number, out)
        chunk: dict[str, Any] = {"candidates": candidates}
        if self._usage is not None:
            chunk["usageMetadata"] = write_usage.metadata(self._usage, self._tier)
        lead = _BETWEEN if self._array else b"data: "
        out += (lead, _encode(chunk)[:-1], b",", self._tail)
        if self._array:
            out.append(b"]")
        self._over = True

    def _fail(self, fault: Fault, out: list[bytes]) -> None:
        for number in sorted(self._held):
            self._release(number, out)
        data = body(fault, self._context.request_id, Shape.GENERATE)
        out += (_BETWEEN, data, b"]") if self._array else (b"data: ", data, _BLANK)
        self._over = True

    def _joined(self, out: list[bytes]) -> bytes:
        data = unbroken(b"".join(out))
        if self._array and not self._sent and data:
            self._sent = True
            return b"[" + data[len(_BETWEEN) :]
        return data


def _sign(member: dict[str, Any], signature: str) -> dict[str, Any]:
    if signature:
        member["thoughtSignature"] = signature
    return member
