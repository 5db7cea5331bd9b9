"""Turns as messages of Cohere's shape.

What stands for a turn depends on that turn and those before it alone. Documents that may be cited
go beside the messages, where the shape has its place for them; all others are said as text where
they stand. Words before calls are the plan; where there are several pieces of them, they are
content as they are.
Source: cohere-python 7.3.1, ``ChatMessageV2``, read 2026-11-28.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.fit import FILLER
from trivium.conversation.image_info import NO_DRAWING, is_drawing, typed
from trivium.conversation.items import INSTRUCTING, Part, Role, Turn
from trivium.conversation.losses import Mend, Report
from trivium.conversation.member_table import DEMOTED, Concept, addressed
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Pieces,
    Reasoning,
    Refusal,
    Remote,
    SearchResult,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.request import Conversation
from trivium.conversation.target import Input, ReasoningBack, TargetFacts
from trivium.conversation.writer_base import WriterBase
from trivium.wire.cohere import citations, documents
from trivium.wire.data_url import data_url

_encode: Final = msgspec.json.Encoder().encode
_ERROR: Final = "Error: "
_NOT_TAKEN: Final = "not taken by this model"
Row = dict[str, Any]


class HistoryWriter(WriterBase):
    """Writes the history of one request."""

    __slots__ = ("citable", "documents")

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        super().__init__(conversation, facts, report)
        self.documents: list[Any] = []
        """What may be cited, beside the messages."""
        self.citable = False
        """Whether any of them is to be."""

    def messages(self, conversation: Conversation) -> list[Row]:
        """The whole history, leading instructions first."""
        out: list[Row] = []
        if conversation.instructions:
            out.append({"role": "system", "content": self._plain(conversation.instructions)})
        turns = conversation.turns
        for at, turn in enumerate(turns):
            if turn.name is not None:
                self.lacks(Concept.PARTICIPANT, "Cohere's shape names no participants")
            if turn.role in INSTRUCTING:
                out.append(self._instruct(turn))
            elif turn.role is Role.ASSISTANT:
                message = self._assistant(turn)
                if message.keys() == {"role"}:
                    if at + 1 == len(turns):
                        continue  # an answer to go on with that has not begun
                    self.report.repair(Mend.EMPTY_TURN, f"turns[{at}]")
                    message["content"] = FILLER
                out.append(message)
            else:
                out += self._user(turn)
        return out

    def _instruct(self, turn: Turn) -> Row:
        if self.facts.mid_system:
            return {"role": "system", "content": self._plain(turn.parts)}
        self.rewords(Concept.HISTORY, DEMOTED)
        words = "\n".join(part.text for part in turn.parts if isinstance(part, Text))
        return {"role": "user", "content": f"<system>\n{words}\n</system>"}

    def _plain(self, parts: Iterable[Part]) -> str | list[Row]:
        return _short(self._parts(parts))

    def _parts(self, parts: Iterable[Part]) -> list[Row]:
        out: list[Row] = []
        for part in parts:
            self._unmarked(part)
            out += self._part(part)
        return out

    def _part(self, part: Part) -> list[Row]:
        if isinstance(part, Text | Refusal):
            if isinstance(part, Text) and part.citations:
                self.lacks(Concept.CITATION, "only answers are cited in")
            return [_text(part.text)]
        if isinstance(part, Image):
            return [self._image(part)]
        if isinstance(part, Document | SearchResult):
            return self._document(part)
        if isinstance(part, VendorPart):
            self.lacks(Concept.VENDOR_PART, f"{part.kind} is known to its own shape only")
            return [_text(part.text)] if part.text else []
        return self._unheard(part)

    def _unheard(self, part: Part) -> list[Row]:
        """What the shape has no place for."""
        if isinstance(part, Audio):
            if part.source is None and part.transcript:
                return [_text(part.transcript)]
            self.lacks(Concept.AUDIO_INPUT, "Cohere's shape takes no sound")
        elif isinstance(part, Video):
            self.lacks(Concept.VIDEO_INPUT, "Cohere's shape takes no films")
        return []

    def _image(self, image: Image) -> Row:
        if Input.IMAGE not in self.facts.inputs:
            self.lacks(Concept.IMAGE, _NOT_TAKEN)
        source = image.source
        inner: Row = {"url": ""}
        if isinstance(source, Inline):
            source = typed(source)
            if is_drawing(source):
                self.lacks(Concept.IMAGE, NO_DRAWING)
            inner["url"] = data_url(source)
        elif isinstance(source, Remote):
            if Input.IMAGE_URL not in self.facts.inputs:
                where = addressed(Concept.IMAGE, self.shape)
                self.lacks(Concept.IMAGE, "this model takes no image URLs, only bytes", where)
            inner["url"] = source.url
        else:
            self.lacks(Concept.FILE_ID, "a file of one vendor means nothing to another")
        if image.detail is not None and self.takes(Concept.DETAIL):
            if image.detail in _DETAILS:
                inner["detail"] = image.detail
            else:
                self.changes(Concept.DETAIL, "high is the nearest")
                inner["detail"] = "high"
        return {"type": "image_url", "image_url": inner}

    def _document(self, part: Document | SearchResult) -> list[Row]:
        row = documents.written(part)
        if row is None:
            away = isinstance(part, Document) and not isinstance(part.source, Inline | Pieces)
            where = addressed(Concept.DOCUMENT, self.shape) if away else None
            self.lacks(Concept.DOCUMENT, "Cohere's shape takes documents as text only", where)
            return []
        native = part.native if isinstance(part, Document) else None
        own = native is not None and native.shape == documents.SHAPE
        if part.citable or own:
            if not own:
                self.rewords(Concept.DOCUMENT, "documents stand beside the messages")
            self.citable = self.citable or part.citable
            self.documents.append(row)
            return []
        return [_text("\n".join(_lines(row["data"])))]

    def _user(self, turn: Turn) -> list[Row]:
        out: list[Row] = []
        moved: list[Row] = []
        rest: list[Part] = []
        for part in turn.parts:
            if isinstance(part, ToolResult):
                out.append(self._result(part, moved))
            else:
                rest.append(part)
        said = [*moved, *self._parts(rest)]
        if not said and rest and not out:
            said = [_text(FILLER)]
        if said or not out:
            out.append({"role": "user", "content": _short(said)})
        return out

    def _result(self, result: ToolResult, moved: list[Row]) -> Row:
        """A tool's message; pictures follow in the next message of the user's."""
        self._unmarked(result)
        rows: list[Row] = []
        for part in result.parts:
            if isinstance(part, Document) and (row := documents.written(part)) is not None:
                rows.append({"type": "document", "document": row})
            elif isinstance(part, Image):
                label = f"[image {len(moved) // 2 + 1} of call {result.call_id}]"
                rows.append(_text(label[:-1] + " follows]"))
                moved += [_text(label), *self._parts([part])]
                reason = "media of a tool's result follow in a user message"
                self.rewords(Concept.HISTORY, reason)
            else:
                rows += self._parts([part])
        if result.error:
            self.changes(Concept.RESULT_ERROR, "said in the text instead")
            if rows and rows[0]["type"] == "text":
                if not rows[0]["text"].startswith(_ERROR.rstrip()):
                    rows[0] = _text(_ERROR + rows[0]["text"])
            else:
                rows.insert(0, _text(_ERROR.rstrip()))
        return {"role": "tool", "tool_call_id": result.call_id, "content": _short(rows)}

    def _assistant(self, turn: Turn) -> Row:
        message: Row = {"role": "assistant"}
        content: list[Row] = []
        texts: list[tuple[Text, int]] = []
        calls: list[Row] = []
        for part in turn.parts:
            if isinstance(part, ToolCall):
                calls.append(self._call(part))
            else:
                if isinstance(part, Text) and part.text:
                    texts.append((part, len(content)))
                content += self._own_words(part)
        said = [row["type"] for row in content].count("text")
        planned = bool(calls) and said == 1 and len(texts) == 1
        if planned:
            message["tool_plan"] = content.pop(texts[0][1])["text"]
        if content:
            message["content"] = _short(content)
        if calls:
            message["tool_calls"] = calls
        cited = self._cited(texts, planned=planned)
        if cited:
            message["citations"] = cited
        return message

    def _own_words(self, part: Part) -> list[Row]:
        """What the assistant said or thought, if anything is left of it."""
        if isinstance(part, Text):
            self._unmarked(part)
            return [_text(part.text)] if part.text else []
        if isinstance(part, Reasoning):
            return self._thought(part)
        if isinstance(part, Refusal | VendorPart) or (isinstance(part, Audio) and part.transcript):
            return self._parts([part])
        concept = Concept.AUDIO_INPUT if isinstance(part, Audio) else Concept.IMAGE
        self.lacks(concept, "an assistant's own media have no place in it")
        return []

    def _unmarked(self, part: Part) -> None:
        if part.cache is not None:
            self.lacks(Concept.CACHE_MARK, "Cohere's shape has no marks")

    def _cited(self, texts: Sequence[tuple[Text, int]], *, planned: bool) -> list[Row]:
        """Citations of a message; of each text the number of its block is given."""
        out: list[Row] = []
        for part, at in texts:
            for one in part.citations:
                native = one.native
                if native is None or native.shape != documents.SHAPE:
                    self.lacks(Concept.CITATION, "only the vendor's own citations can be repeated")
                    continue
                kind = citations.PLAN if planned else citations.TEXT
                row = citations.written(one, at, part.text, len(part.text), {}, kind)
                if row is not None:
                    out.append(row)
        return out

    def _thought(self, part: Reasoning) -> list[Row]:
        if part.text and self.facts.reasoning_back is ReasoningBack.TEXT:
            return [{"type": "thinking", "thinking": part.text}]
        if part.text or part.opaque:
            self.lacks(Concept.REASONING_STATE, "not read again by this model")
        return []

    def _call(self, call: ToolCall) -> Row:
        self._unmarked(call)
        self.own(call.native, documents.SHAPE, Concept.HISTORY)
        arguments = call.arguments or "{}"
        if call.kind is CallKind.CUSTOM:
            arguments = _encode({"input": call.arguments}).decode()
        function = {"name": self.name(call.name, call.namespace), "arguments": arguments}
        return {"id": call.id, "type": "function", "function": function}


_DETAILS: Final = frozenset({"auto", "low", "high"})


def _text(text: str) -> Row:
    return {"type": "text", "text": text}


def _lines(data: Row) -> list[str]:
    """A document as text: what it is called, then its words."""
    return [str(value) for value in data.values() if value]


def _short(parts: list[Row]) -> str | list[Row]:
    """A single text as a string, else the parts."""
    if not parts:
        return ""
    if len(parts) == 1 and parts[0]["type"] == "text":
        text: str = parts[0]["text"]
        return text
    return parts
