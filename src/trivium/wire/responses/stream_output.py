"""The output of a responses stream while it grows: items, and the canonical parts they hold.

Servers leave out indexes, openings and closings; what is missing is made up for here, so that
every part opens once, ends once, and has said all that its item says at the end.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from trivium.conversation.calls import CallKind
from trivium.conversation.events import Cited, Delta, Event, PartEnd, PartStart
from trivium.conversation.items import Part
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import (
    SECTION,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    TokenLogprob,
)
from trivium.conversation.shape_capabilities import Loss
from trivium.faults import Fault
from trivium.wire import caps
from trivium.wire.codec import AnswerContext
from trivium.wire.responses import citations, read_answer_parts
from trivium.wire.responses.answer_structs import AnswerItem, Piece


class StreamPart:
    """One part: how much of it has been said, in characters and citations."""

    __slots__ = ("cited", "function", "index", "open", "section", "section_from", "size")

    def __init__(self, index: int, *, function: bool = False) -> None:
        self.index = index
        self.function = function
        self.open = True
        self.size = 0
        self.cited = 0
        self.section = 0
        self.section_from = 0
        """Size of the part when its current section began."""


class _Item:
    __slots__ = ("call", "contents", "over", "thoughts")

    def __init__(self) -> None:
        self.contents: dict[int, StreamPart] = {}
        self.thoughts: dict[ReasoningForm, StreamPart] = {}
        self.call: StreamPart | None = None
        self.over = False

    def growing(self) -> list[StreamPart]:
        """Its parts in order of their start."""
        found = [*self.contents.values(), *self.thoughts.values()]
        if self.call is not None:
            found.append(self.call)
        return sorted(found, key=lambda part: part.index)


class StreamOutput:
    """All items of one answer. Methods add the events they cause to ``out``."""

    __slots__ = ("_ctx", "_items", "_last", "_next", "_places", "_top", "called")

    def __init__(self, ctx: AnswerContext) -> None:
        self._ctx = ctx
        self._items: dict[int, _Item] = {}
        self._places: dict[str, int] = {}
        self._last = 0
        self._next = 0
        self._top = -1
        """The highest place of an item."""
        self.called = False
        """Whether the answer calls a tool of the caller's."""

    def _item(self, at: int | None) -> _Item:
        if at is None:
            at = self._last
        else:
            self._last = at
        found = self._items.get(at)
        if found is None:
            if len(self._items) == caps.PARTS_MAX:
                raise caps.too_many("items", caps.PARTS_MAX)
            found = self._items[at] = _Item()
            self._top = max(self._top, at)
        return found

    def _start(self, part: Part, out: list[Event], *, function: bool = False) -> StreamPart:
        if self._next == caps.PARTS_MAX:
            raise caps.too_many("parts", caps.PARTS_MAX)
        growing = StreamPart(self._next, function=function)
        self._next += 1
        out.append(PartStart(growing.index, part))
        return growing

    def _end(self, part: StreamPart, out: list[Event], opaque: tuple[Opaque, ...] = ()) -> None:
        if part.open:
            part.open = False
            if part.function and not part.size:
                out.append(Delta(part.index, "{}"))
            out.append(PartEnd(part.index, opaque))

    def added(self, at: int | None, raw: msgspec.Raw, out: list[Event]) -> None:
        """An item opens. Only calls say anything yet, if their name is known already."""
        try:
            found = read_answer_parts.item(raw)
        except Fault:
            found = None  # what it is when it is done has the last word
        if at is None:
            at = self._top + 1
        if found is not None and found.id:
            self._places[found.id] = at
        item = self._item(at)
        if (
            found is not None
            and found.type in read_answer_parts.CALLS
            and found.name
            and item.call is None
        ):
            self._call(item, found, out)

    def _call(self, item: _Item, found: AnswerItem, out: list[Event]) -> StreamPart:
        call = read_answer_parts.call(found)
        self.called = True
        empty = msgspec.structs.replace(call, arguments="")
        item.call = self._start(empty, out, function=call.kind is CallKind.FUNCTION)
        return item.call

    def content(self, at: int | None, index: int, kind: str, out: list[Event]) -> StreamPart | None:
        """The open text or refusal at a place, opened if need be; ``None`` once its item ended."""
        item = self._item(at)
        part = item.contents.get(index)
        if part is not None and part.open:
            return part
        if item.over:
            return None
        part = self._start(Refusal("") if kind == "refusal" else Text(""), out)
        # in order of start: a place that is opened again comes last
        item.contents.pop(index, None)
        item.contents[index] = part
        return part

    def thought(
        self, at: int | None, form: ReasoningForm, section: int, out: list[Event]
    ) -> StreamPart | None:
        """The reasoning of a form, at the start of or within a section."""
        item = self._item(at)
        part = item.thoughts.get(form)
        if part is None:
            if item.over:
                return None
            part = item.thoughts[form] = self._start(Reasoning("", form), out)
        elif not part.open:
            return None
        if section != part.section:
            if part.size:
                self.say(part, SECTION, out)
            part.section = section
            part.section_from = part.size
        return part

    def place(self, name: str | None) -> int | None:
        """Where the item with this id was opened, for servers that say no place."""
        return self._places.get(name) if name else None

    def call(self, at: int | None) -> StreamPart | None:
        """The open call at a place."""
        part = self._item(at).call
        return part if part is not None and part.open else None

    def say(
        self,
        part: StreamPart | None,
        text: str,
        out: list[Event],
        logprobs: tuple[TokenLogprob, ...] = (),
    ) -> None:
        """More of a part's text."""
        if part is not None and text:
            part.size += len(text)
            out.append(Delta(part.index, text, logprobs))

    def rest(self, part: StreamPart | None, whole: str, out: list[Event], since: int = 0) -> None:
        """What the whole text has beyond what was said of it since the part had a size."""
        if part is not None:
            self.say(part, whole[part.size - since :], out)

    def content_done(
        self, at: int | None, index: int, piece: Piece | None, out: list[Event]
    ) -> None:
        """A content part is complete."""
        if piece is None or piece.type not in ("output_text", "refusal"):
            return
        part = self.content(at, index, piece.type, out)
        if part is not None:
            self._complete(part, piece, out)

    def _complete(self, part: StreamPart, piece: Piece, out: list[Event]) -> None:
        self.rest(part, piece.refusal or piece.text or "", out)
        left = citations.answered(piece.annotations)[part.cited :]
        out.extend(Cited(part.index, cited) for cited in left)
        self._end(part, out)

    def done(self, at: int | None, raw: msgspec.Raw, out: list[Event]) -> None:
        """An item is complete: what it says beyond its deltas is said now."""
        if at is None:
            named = read_answer_parts.item(raw)
            at = self.place(named.id) if named is not None else None
        item = self._item(at)
        if item.over:
            return
        found = read_answer_parts.item(raw)
        if found is None or found.type is None:
            self._ctx.unread("output", Loss.UNKNOWN)
        elif found.type == "message":
            self._message(item, at, found, out)
        elif found.type in read_answer_parts.CALLS:
            part = item.call or self._call(item, found, out)
            self.rest(part, read_answer_parts.arguments(found), out)
        elif found.type == "reasoning":
            self._reasoning(item, at, found, out)
        else:
            for one in read_answer_parts.other(found, bytes(raw), self._ctx):
                self._whole(one, out)
        if found is not None:
            read_answer_parts.look(found, raw, self._ctx)
        self._over(item, out)

    def _whole(self, one: Part, out: list[Event]) -> None:
        """A part that nothing was said of yet."""
        if isinstance(one, Text | Refusal):
            part = self._start(msgspec.structs.replace(one, text=""), out)
            self.say(part, one.text, out)
        else:
            part = self._start(one, out)
        self._end(part, out)

    def _message(self, item: _Item, at: int | None, found: AnswerItem, out: list[Event]) -> None:
        pieces = found.content or ()
        places = sorted(item.contents)
        if not places or places[-1] < len(pieces):
            places = list(range(len(pieces)))
        else:  # counted from 1, or through all items: in their order
            places += range(places[-1] + 1, places[-1] + 1 + len(pieces))
        for index, piece in zip(places, pieces, strict=False):
            part = item.contents.get(index)
            if part is None:
                if read_answer_parts.content(piece) is None:
                    read_answer_parts.odd(piece, self._ctx)
                    if not piece.text:
                        continue
                part = self.content(at, index, piece.type or "", out)
            if part is not None and part.open:
                self._complete(part, piece, out)

    def _reasoning(self, item: _Item, at: int | None, found: AnswerItem, out: list[Event]) -> None:
        for shown in read_answer_parts.thoughts(found):
            part = self.thought(at, shown.form, 0, out) if shown.form not in item.thoughts else None
            self.say(part, shown.text, out)
        opaque = read_answer_parts.attachments(found, self._ctx)
        parts = item.growing()
        if opaque and not parts:
            parts = [self._start(Reasoning("", ReasoningForm.HIDDEN), out)]
        if opaque:
            last = parts.pop()
            for part in parts:
                self._end(part, out)
            self._end(last, out, opaque)

    def places(self, output: Sequence[msgspec.Raw]) -> list[int]:
        """Where the items of the terminal event were opened: servers count from 1, or leave gaps.

        By position, unless an item stands where the list has none: then by id, or in their order.
        """
        if self._top < len(output):
            return list(range(len(output)))
        left = iter(sorted(self._items))
        found: list[int] = []
        taken: set[int] = set()
        for raw in output:
            named = read_answer_parts.item(raw)
            place = self.place(named.id) if named is not None else None
            if place is None:
                place = next((at for at in left if at not in taken), self._top + 1 + len(found))
            found.append(place)
            taken.add(place)
        return found

    def unsaid(self, at: int, raw: msgspec.Raw, out: list[Event]) -> None:
        """An item of the terminal event; news only if the stream did not complete it."""
        self.done(at, raw, out)

    def _over(self, item: _Item, out: list[Event]) -> None:
        item.over = True
        for part in item.growing():
            self._end(part, out)

    def close(self, out: list[Event]) -> None:
        """The answer ended: so do all items."""
        for item in self._items.values():
            if not item.over:
                self._over(item, out)


FORMS: Final = {
    "reasoning_text": ReasoningForm.FULL,
    "reasoning_summary_text": ReasoningForm.SUMMARY,
}
"""Kinds of reasoning events."""
