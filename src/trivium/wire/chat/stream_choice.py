"""One choice of a chat stream: deltas in, canonical parts out.

A part opens with its first piece and closes when another kind begins; calls stay open, for their
pieces may come interleaved, until their arguments are whole and another call begins.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import Cited, Delta, Event, Finished, PartEnd, PartStart
from trivium.conversation.opaque import EXTRA_CONTENT, REASONING_DETAILS, Opaque
from trivium.conversation.parts import Audio, Image, Inline, Reasoning, ReasoningForm, Refusal, Text
from trivium.conversation.shape_capabilities import Loss
from trivium.conversation.tool_pairs import minted
from trivium.wire import caps, errors, logprobs
from trivium.wire.chat import finish
from trivium.wire.chat.chunk import ChunkCall, ChunkChoice, ChunkMessage, Function
from trivium.wire.chat.citations import citations
from trivium.wire.chat.inline_reasoning import Tagged, thought
from trivium.wire.chat.media import sniffed, source
from trivium.wire.chat.reasoning_details import ReasoningDetails
from trivium.wire.codec import AnswerContext
from trivium.wire.lenient import decoded

_encode = msgspec.json.Encoder().encode
_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

TEXT: Final = Text("")
REASONING: Final = Reasoning("")
REFUSAL: Final = Refusal("")
CHOICES_MAX: Final = 128
_LEGACY: Final = "function_call"
_CALLED: Final = frozenset({"tool_calls", "function_call"})
"""Finish reasons of an answer that is to be gone on with by running something."""
_EMPTY: Final = frozenset({"", "{}", "null"})
"""Arguments that say nothing."""
_TRIES_MAX: Final = 4
"""Looks at a call's arguments, each at all of them, before it is left open to the end."""


class Sequence:
    """Hands out part indexes over all choices; knows whose answer it is."""

    __slots__ = ("cited", "context", "id", "next")

    def __init__(self, context: AnswerContext) -> None:
        self.context = context
        self.id = ""
        self.next = 0
        self.cited = 0
        """Citations so far."""

    def take(self) -> int:
        """The next index. Raises ``Fault`` when there are too many parts."""
        taken = self.next
        if taken == caps.PARTS_MAX:
            raise caps.too_many("parts", caps.PARTS_MAX)
        self.next = taken + 1
        return taken

    def cite(self, count: int) -> None:
        """Count citations. Raises ``Fault`` when there are too many."""
        self.cited += count
        if self.cited > caps.CITATIONS_MAX:
            raise caps.too_many("citations", caps.CITATIONS_MAX)

    @property
    def seed(self) -> str:
        """For ids of calls: the id of the answer may be missing, or always the same."""
        return self.context.seed + self.id

    def attachment(self, kind: str, value: Any) -> Opaque:
        """An attachment of this answer."""
        return Opaque(kind, _encode(value), self.context.origin, self.context.model)


class _Growing:
    """A call whose pieces are coming."""

    __slots__ = ("closed", "extra", "id", "index", "kind", "name", "pieces", "place", "tries")

    def __init__(self, place: int) -> None:
        self.place = place
        """Among the calls of its choice."""
        self.tries = _TRIES_MAX
        self.id = ""
        self.name = ""
        self.kind = CallKind.FUNCTION
        self.index = -1
        self.pieces: list[str] = []
        self.extra: dict[str, Any] | None = None
        self.closed = False

    def is_whole(self) -> bool:
        """Whether the arguments so far are an object, after which nothing can come."""
        self.tries -= 1
        if self.kind is CallKind.CUSTOM or not self.pieces:
            return False
        return decoded(_object, "".join(self.pieces).encode()) is not None


class ChoiceReader:
    """The parts of one choice."""

    __slots__ = (
        "_annotations",
        "_calls",
        "_candidate",
        "_details",
        "_ids",
        "_last",
        "_live",
        "_open",
        "_sequence",
        "_sound",
        "_tags",
        "_text_base",
        "index",
        "size",
        "word",
    )

    def __init__(self, candidate: int, sequence: Sequence) -> None:
        self._candidate = candidate
        self._sequence = sequence
        self._open: Text | Reasoning | Refusal | None = None
        self.index = -1
        """Of the open text, reasoning or refusal."""
        self._calls: dict[int | str, _Growing] = {}
        self._live: list[_Growing] = []
        """Open calls that are to be closed as soon as their arguments are whole."""
        self._ids: set[str] = set()
        """Of the calls that were opened."""
        self._last: int | str | None = None
        self._details = ReasoningDetails()
        self._annotations: list[Any] = []
        """That came while no text was open."""
        self._sound: dict[str, Any] = {}
        self._text_base = 0
        self.size = 0
        """Characters of text so far; of what is passed on without ``feed`` the reader adds them."""
        self._tags = Tagged() if sequence.context.think_tags else None
        self.word: str | None = None
        """The finish reason; ``None`` while none has come."""

    @property
    def plain(self) -> bool:
        """Whether a text is open and its deltas need no further look."""
        return self._open is TEXT and self._tags is None

    def feed(self, choice: ChunkChoice, out: list[Event]) -> None:
        """Events of one chunk's choice."""
        said = choice.delta or choice.message
        if said is not None:
            self._say(said, choice, out)
        if choice.finish_reason and self.word is None:
            self.word = choice.finish_reason

    def _say(self, said: ChunkMessage, choice: ChunkChoice, out: list[Event]) -> None:
        images: list[Any] = []
        reasoning, content = self._words(said, images)
        if reasoning:
            self._grow(REASONING, reasoning, out)
        if said.reasoning_details:
            self._detail(said.reasoning_details, out)
        if content or choice.logprobs is not None:
            self._read(content, choice, out)
        if said.refusal:
            self._grow(REFUSAL, said.refusal, out)
        if said.annotations or self._annotations:
            self._cite(said.annotations or [], out)
        if said.audio:
            self._hear(said.audio)
        for image in (*images, *(said.images or ())):
            self._see(image, out)
        for call in said.tool_calls or ():
            self._call(call, out)
        if said.function_call is not None:
            self._function(said.function_call, out)

    def _read(self, content: str, choice: ChunkChoice, out: list[Event]) -> None:
        """More of the text, with the probabilities of its tokens."""
        unread = self._sequence.context.unread
        found = () if choice.logprobs is None else logprobs.read(choice.logprobs.content, unread)
        if content:
            self._grow(TEXT, content, out, found)
        elif found:
            unread("logprobs", Loss.UNKNOWN)  # of no text

    def _cite(self, annotations: list[Any], out: list[Event]) -> None:
        self._sequence.cite(len(annotations))
        self._annotations += annotations
        if self._open is TEXT:
            found, self._annotations = self._annotations, []
            out.extend(Cited(self.index, one) for one in citations(found, self._text_base))

    def _words(self, said: ChunkMessage, odd: list[Any]) -> tuple[str, str]:
        """Reasoning and text of one piece; entries of a list that are neither go to ``odd``."""
        reasoning = said.reasoning_content or said.reasoning or ""
        content = said.content or ""
        if isinstance(content, list):
            more, content = thought(content, odd)
            reasoning += more
        if self._tags is not None and content:
            more, content = self._tags.feed(content)
            reasoning += more
        return reasoning, content

    def _grow(
        self,
        kind: Text | Reasoning | Refusal,
        text: str,
        out: list[Event],
        logprobs: tuple[Any, ...] = (),
    ) -> None:
        if self._open is not kind:
            self._close(out)
            self._begin(kind, out)
        if kind is TEXT:
            self.size += len(text)
        out.append(Delta(self.index, text, logprobs))

    def _begin(self, kind: Text | Reasoning | Refusal, out: list[Event]) -> None:
        self._open = kind
        self.index = self._sequence.take()
        out.append(PartStart(self.index, kind, self._candidate))

    def _close(self, out: list[Event]) -> None:
        if self._open is None:
            return
        opaque: tuple[Opaque, ...] = ()
        if self._details:
            opaque = (self._sequence.attachment(REASONING_DETAILS, self._details.whole()),)
            self._details = ReasoningDetails()
        out.append(PartEnd(self.index, opaque))
        if self._open is TEXT:
            self._text_base = self.size
        self._open = None

    def _detail(self, details: list[Any], out: list[Event]) -> None:
        if not isinstance(self._open, Reasoning):
            self._close(out)
            self._begin(Reasoning("", ReasoningForm.HIDDEN), out)
        self._details.add(details)

    def _hear(self, audio: dict[str, Any]) -> None:
        for name in ("data", "transcript"):
            if isinstance(piece := audio.get(name), str):
                self._sound.setdefault(name, []).append(piece)
        for name in ("id", "expires_at"):
            if audio.get(name) is not None:
                self._sound[name] = audio[name]

    def _see(self, image: Any, out: list[Event]) -> None:
        try:
            found = source(image["image_url"]["url"], "image/png")
        except (TypeError, KeyError):
            found = None
        if found is None:
            kind = image.get("type") if isinstance(image, dict) else None
            name = kind if isinstance(kind, str) and kind else "content"
            self._sequence.context.unread(name, Loss.UNKNOWN)
            return
        self._close(out)
        index = self._sequence.take()
        out.append(PartStart(index, Image(found), self._candidate))
        out.append(PartEnd(index))

    def _function(self, function: Function, out: list[Event]) -> None:
        growing = self._calls.get(_LEGACY)
        if growing is None:
            growing = self._calls[_LEGACY] = self._grown()
            growing.id = minted(f"{self._sequence.seed}.{self._candidate}.{_LEGACY}")
        self._last = _LEGACY
        self._add(growing, function.name, function.arguments, out)

    def _call(self, call: ChunkCall, out: list[Event]) -> None:
        growing = self._calls[self._key(call)]
        growing.id = growing.id or call.id or ""
        if call.extra_content:
            growing.extra = call.extra_content
        if call.custom is not None:
            growing.kind = CallKind.CUSTOM
            self._add(growing, call.custom.name, call.custom.input, out)
        else:
            function = call.function or Function()
            self._add(growing, function.name, function.arguments, out)

    def _key(self, call: ChunkCall) -> int | str:
        """Which call a piece belongs to; a new one is made room for."""
        key: int | str | None = call.index
        if key is None:
            # some servers leave the index out: an id we know, or no id, continues a call
            key = call.id or self._last
            if key is None:
                key = len(self._calls)
        known = self._calls.get(key)
        named = call.function is not None and call.function.name
        if known is not None and named and call.id and known.id and call.id != known.id:
            # and some number every call 0
            key = call.id
            known = self._calls.get(key)
        if known is None:
            self._calls[key] = self._grown()
        self._last = key
        return key

    def _grown(self) -> _Growing:
        if len(self._calls) == caps.PARTS_MAX:
            raise caps.too_many("calls", caps.PARTS_MAX)
        return _Growing(len(self._calls))

    def _add(
        self,
        growing: _Growing,
        name: str | None,
        arguments: str | dict[str, Any] | None,
        out: list[Event],
    ) -> None:
        if name and growing.index < 0:
            growing.name = growing.name or name
        if growing.closed:
            return
        text = _encode(arguments).decode() if isinstance(arguments, dict) else arguments or ""
        if growing.index >= 0:
            if text:
                growing.pieces.append(text)
                out.append(Delta(growing.index, text))
            return
        if text:
            growing.pieces.append(text)
        if growing.id and growing.name:
            self._open_call(growing, out)

    def _open_call(self, growing: _Growing, out: list[Event]) -> None:
        self._close(out)
        for other in self._live:
            if other.is_whole():
                self._close_call(other, out)
        self._live = [other for other in self._live if other.tries and not other.closed]
        self._live.append(growing)
        if growing.id in self._ids:
            # a result could not say which of the two it is of
            seed = f"{self._sequence.seed}.{self._candidate}.{growing.place}"
            growing.id = minted(f"{seed}.{growing.id}")
        self._ids.add(growing.id)
        growing.index = self._sequence.take()
        part = ToolCall(growing.id, growing.name, kind=growing.kind)
        out.append(PartStart(growing.index, part, self._candidate))
        if growing.pieces:
            out.append(Delta(growing.index, "".join(growing.pieces)))

    def _close_call(self, growing: _Growing, out: list[Event]) -> None:
        growing.closed = True
        if not growing.pieces and growing.kind is CallKind.FUNCTION:
            out.append(Delta(growing.index, "{}"))
        opaque: tuple[Opaque, ...] = ()
        if growing.extra is not None:
            opaque = (self._sequence.attachment(EXTRA_CONTENT, growing.extra),)
        out.append(PartEnd(growing.index, opaque))

    def end(self, out: list[Event]) -> None:
        """Close every part. Raises ``Fault`` for a call with arguments and without a name."""
        if self._tags is not None:
            reasoning, text = self._tags.rest()
            if reasoning:
                self._grow(REASONING, reasoning, out)
            if text:
                self._grow(TEXT, text, out)
        self._close(out)
        if self._annotations:
            self._sequence.context.unread("annotations", Loss.UNKNOWN)
        self._end_calls(out)
        if self._sound:
            index = self._sequence.take()
            out.append(PartStart(index, heard(self._sound, "audio/pcm"), self._candidate))
            out.append(PartEnd(index))
            self._sound = {}

    def _end_calls(self, out: list[Event]) -> None:
        nameless = False
        for at, growing in enumerate(self._calls.values()):
            if growing.index < 0 and growing.name:
                growing.id = growing.id or minted(f"{self._sequence.seed}.{self._candidate}.{at}")
                self._open_call(growing, out)
            elif growing.index < 0 and "".join(growing.pieces).strip() not in _EMPTY:
                raise errors.nonsense("a call has no name")
            nameless = nameless or growing.index < 0
            if growing.index >= 0 and not growing.closed:
                self._close_call(growing, out)
        if nameless:
            if self.word in _CALLED and not self._ids:
                raise errors.nonsense("a call has no name")  # and there is nothing else to run
            self._sequence.context.unread("tool_calls", Loss.UNKNOWN)

    def finished(self) -> Finished:
        """Why the choice ended."""
        called = any(growing.index >= 0 for growing in self._calls.values())
        return Finished(finish.read(self.word, called=called), self._candidate)


def heard(sound: dict[str, Any], fallback: str) -> Audio:
    """Spoken output from its members; pieces are joined."""
    data, transcript = ("".join(sound.get(name) or ()) for name in ("data", "transcript"))
    expires = sound.get("expires_at")
    id_ = sound.get("id")
    return Audio(
        Inline(sniffed(data) or fallback, data) if data else None,
        transcript,
        id_ if isinstance(id_, str) else None,
        expires if isinstance(expires, int) else None,
    )
