"""Items and parts of a responses stream while they are written: what each has said so far.

The frame of a part's delta is prepared once; a delta fills in number and text.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.items import Part
from trivium.conversation.parts import Citation, Reasoning, ReasoningForm, Refusal, TokenLogprob
from trivium.wire import logprobs
from trivium.wire.responses import write_answer_parts
from trivium.wire.responses.response_object import encode

_FRAME: Final = (
    'event: response.{0}\ndata: {{"type":"response.{0}","sequence_number":%d,"item_id":"{1}",'
    '"output_index":{2}{3},"delta":%b{4}}}\n\n'
)

_HOLE: Final = msgspec.Raw(b"@")
"""Where the words go, which an item tells again and again."""
_NO_WORDS: Final = (b"", b'""')
_NONE: Final = b'"logprobs":[]}'

Events = list[tuple[str, dict[str, Any]]]
"""Names without ``response.``, and members."""


class OutputItem:
    """An output item while its parts are written."""

    __slots__ = ("carried", "contents", "id", "index", "json", "kind", "last", "next", "sealed")

    def __init__(self, index: int, kind: str, answer: str) -> None:
        self.index = index
        self.kind = kind
        self.id = f"{write_answer_parts.PREFIX.get(kind, 'item_')}{answer}_{index}"
        self.contents: list[dict[str, Any]] = []
        """Content parts of a message that have ended."""
        self.next = 0
        """Place of the next content part."""
        self.last: OutputPart | None = None
        self.sealed = ""
        self.carried = ""
        """Attachments of a message, which has no slot: they go into an item after it."""
        self.json = b""
        """The whole item, once it is closed."""

    def place(self, **members: Any) -> dict[str, Any]:
        """Members of an event about the whole item."""
        return {"output_index": self.index, **members}

    def finish(self, part: "OutputPart", sealed: str) -> None:
        """One of its parts has ended."""
        self.last = part
        if self.kind == "message":
            self.contents.append(part.content(part.said))
            part.words = b""
            self.carried = sealed
        else:
            self.sealed = sealed

    def whole(self, status: str) -> dict[str, Any]:
        """The item as it is in the end."""
        assert self.last is not None, "an item that is closed has had a part"
        part, said = self.last.part, self.last.said
        if type(part) is ToolCall:
            return write_answer_parts.call(self.id, part, said, status)
        if type(part) is Reasoning:
            return write_answer_parts.reasoning(self.id, part.form, said, self.sealed, status)
        return write_answer_parts.message(self.id, self.contents, status)


class _Way:
    """What the shape calls a kind of part in its events."""

    __slots__ = ("index", "part", "whole", "words")

    def __init__(
        self, words: str, whole: str, index: str | None = None, part: str | None = None
    ) -> None:
        self.words = words
        """Its text."""
        self.whole = whole
        """Member that has the text in the end."""
        self.index = index
        """Its place in the item; ``None``: it is all of the item."""
        self.part = part
        """The part itself."""


_TEXT: Final = _Way("output_text", "text", "content_index", "content_part")
_REFUSAL: Final = _Way("refusal", "refusal", "content_index", "content_part")
_FULL: Final = _Way("reasoning_text", "text", "content_index", "content_part")
_SUMMARY: Final = _Way("reasoning_summary_text", "text", "summary_index", "reasoning_summary_part")
_FUNCTION: Final = _Way("function_call_arguments", "arguments")
_CUSTOM: Final = _Way("custom_tool_call_input", "input")


def _way(part: Part) -> _Way:
    if type(part) is ToolCall:
        return _CUSTOM if part.kind is CallKind.CUSTOM else _FUNCTION
    if type(part) is Reasoning:
        return _SUMMARY if part.form is ReasoningForm.SUMMARY else _FULL
    return _REFUSAL if type(part) is Refusal else _TEXT


class OutputPart:
    """One part: its words so far, and the frame of its deltas once it has a place."""

    __slots__ = (
        "_at", "_counted", "_probable", "_size", "_way", "cited", "frame", "item", "kind", "part",
        "pieces", "words",
    )  # fmt: skip

    def __init__(self, part: Part) -> None:
        self.part = part
        self.kind = write_answer_parts.kind(part) or ""
        self.pieces: list[str] = []
        self.cited: list[Citation] = []
        self._probable: list[bytes] = []
        """Rows of its tokens' probabilities, as JSON."""
        self.words = b""
        """All words of a part that has ended, as JSON, until its item has them."""
        self.frame: bytes | None = None
        self.item: OutputItem
        self._way = _way(part)
        self._at: dict[str, int] = {}
        self._size = self._counted = 0

    @property
    def size(self) -> int:
        """Characters of its words so far; only those of new pieces are counted."""
        self._size += sum(map(len, self.pieces[self._counted :]))
        self._counted = len(self.pieces)
        return self._size

    @property
    def text(self) -> str:
        """Return the text of all pieces so far."""
        return "".join(self.pieces)

    @property
    def said(self) -> str | msgspec.Raw:
        """All words of a part that has ended."""
        return "" if self.words in _NO_WORDS else msgspec.Raw(self.words)

    def settle(self, item: OutputItem) -> bytes:
        """Take a place in an item; the frame of its deltas."""
        way = self._way
        self.item = item
        if way.index is not None:
            self._at = {way.index: item.next}
            item.next += 1
        where = "".join(f',"{name}":{value}' for name, value in self._at.items())
        tail = ',"logprobs":[]' if way is _TEXT else ""
        frame = _FRAME.format(f"{way.words}.delta", item.id, item.index, where, tail)
        self.frame = frame.encode()
        return self.frame

    def with_logprobs(self, number: int, text: bytes, found: tuple[TokenLogprob, ...]) -> bytes:
        """A delta with the probabilities of its tokens."""
        assert self.frame is not None, "a part that speaks has a place"
        rows = encode(logprobs.written(found))
        self._probable.append(rows[1:-1])
        return self.frame.replace(_NONE, b'"logprobs":%b}') % (number, text, rows)

    def place(self, **members: Any) -> dict[str, Any]:
        """Members of an event about this part."""
        item = self.item
        return {"item_id": item.id, "output_index": item.index, **self._at, **members}

    def content(self, text: str | msgspec.Raw) -> dict[str, Any]:
        """The content part with this text."""
        if self._way is _TEXT:
            return write_answer_parts.output_text(text, self.size, self.cited, self._rows())
        if self._way is _REFUSAL:
            return write_answer_parts.refusal(text)
        kind = "summary_text" if self._way is _SUMMARY else "reasoning_text"
        return {"type": kind, "text": text}

    def _rows(self) -> msgspec.Raw:
        return msgspec.Raw(b"[" + b",".join(self._probable) + b"]")

    def opening(self, item: OutputItem) -> dict[str, Any]:
        """The item of this part as it is before anything is said."""
        part = self.part
        if type(part) is ToolCall:
            return write_answer_parts.call(item.id, part, "", "in_progress")
        if type(part) is Reasoning:
            return write_answer_parts.reasoning(
                item.id, ReasoningForm.HIDDEN, "", "", "in_progress"
            )
        return write_answer_parts.message(item.id, [], "in_progress")

    def beginning(self) -> Events:
        """Events before its first delta."""
        if self._way.part is None:
            return []
        return [(f"{self._way.part}.added", self.place(part=self.content("")))]

    def ending(self) -> Events:
        """Events after its last delta."""
        way = self._way
        done = self.place(**{way.whole: _HOLE})
        if way is _TEXT:
            done["logprobs"] = self._rows()
        elif type(self.part) is ToolCall and way is _FUNCTION:
            done["name"] = self.part.name
        out = [(f"{way.words}.done", done)]
        if way.part is not None:
            out.append((f"{way.part}.done", self.place(part=self.content(_HOLE))))
        text = self.text
        self._size, self._counted, self.pieces = self.size, 0, []
        self.words = encode(text)
        return out

    def filled(self, event: bytes) -> tuple[bytes, ...]:
        """An event of its end with its words in their place, none of which is copied."""
        # a quote inside of a string has a backslash before it: there is one such place at most
        mark = b'%b":' % self._way.whole.encode()
        head, hole, tail = event.partition(mark + b"@")
        return (head, mark, self.words, tail) if hole else (event,)
