"""Canonical parts of a history as content blocks for an upstream.

Source: messages reference and SDK types 2.11, read on 2026-11-21.
"""

import base64
import binascii
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from trivium.conversation.arguments import argument_object
from trivium.conversation.attachments import belonging, first
from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.image_info import typed
from trivium.conversation.items import Part
from trivium.conversation.losses import Mend, Report
from trivium.conversation.member_table import Concept, addressed
from trivium.conversation.opaque import REDACTED, SIGNATURE
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Citation,
    Document,
    Image,
    Inline,
    Pieces,
    Reasoning,
    Refusal,
    Remote,
    SearchResult,
    Stored,
    Text,
    VendorPart,
)
from trivium.conversation.request import Conversation
from trivium.conversation.target import Input, ReasoningBack, TargetFacts
from trivium.conversation.turns import marks
from trivium.conversation.writer_base import WriterBase
from trivium.wire.messages.citations import SHAPE
from trivium.wire.messages.read_sources import IMAGES, PDF, PLAIN

_LIVES: Final = {"5m": "5m", "1h": "1h", "30m": "1h", "12h": "1h"}
_EXACT: Final = frozenset({"5m", "1h", "30m"})


_encode: Final = msgspec.json.Encoder().encode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
THINKING: Final = frozenset({"thinking", "redacted_thinking"})
"""Blocks that may not be marked for the cache and must stay as they are."""

Row = dict[str, Any]
"""One block as JSON members."""


class ContentWriter(WriterBase):
    """What the blocks of one request are written with."""

    __slots__ = ("_conversation", "_skipped")

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        super().__init__(conversation, facts, report)
        self._conversation = conversation
        self._skipped: int | None = None
        """How many marks are still to be left out; ``None`` until the first is met."""

    def mark(self, mark: CacheMark | None) -> Row:
        """The ``cache_control`` member for a mark; nothing for none, and for one too many: the last
        ones cover the most.
        """
        if mark is None:
            return {}
        skipped = self._skipped
        if skipped is None:
            most = 0 if Concept.CACHE_MARK in self.facts.refuses else self.facts.cache_marks
            skipped = self._skipped = max(0, len(list(marks(self._conversation))) - most)
        if skipped:
            self._skipped = skipped - 1
            self.lacks(Concept.CACHE_MARK, "too many marks")
            return {}
        if mark.ttl is not None and mark.ttl not in _EXACT:
            self.changes(Concept.CACHE_MARK, "cached for another time")
        life = None if mark.ttl is None else _LIVES.get(mark.ttl)
        control = {"type": "ephemeral"} if life is None else {"type": "ephemeral", "ttl": life}
        return {"cache_control": control}

    def parts(self, parts: Sequence[Part], where: str) -> list[Row]:
        """The blocks of one turn, possibly none: what has no content is left out."""
        out: list[Row] = []
        for part in parts:
            out += self._rows(part, where)
        return out

    def text(self, part: Text, where: str) -> list[Row]:
        """A text block; none for text that the vendor refuses."""
        if not part.text or (not self.facts.blank_text and part.text.isspace()):
            if not part.opaque:
                self.report.repair(Mend.EMPTY_TEXT, where)
            return []
        row: Row = {"type": "text", "text": part.text}
        if part.citations:
            kept = self._citations(part.citations)
            if kept:
                row["citations"] = kept
        if part.cache is not None:
            row |= self.mark(part.cache)
        return [row]

    def _rows(self, part: Part, where: str) -> list[Row]:
        if type(part) is Text or type(part) is Refusal:
            return self.text(_spoken(part), where)
        if type(part) is Reasoning:
            return self._thinking(part)
        if type(part) is ToolCall:
            return [self._call(part)]
        if type(part) is ToolResult:
            return [self._result(part, where)]
        return self._media(part, where)

    def _media(self, part: Part, where: str) -> list[Row]:
        """What is neither said nor done: pictures, files, blocks of a vendor's own."""
        if isinstance(part, VendorPart):
            return self._vendor(part, where)
        if isinstance(part, Image):
            return [self._image(part)]
        if isinstance(part, Document):
            return [self._document(part)]
        if isinstance(part, SearchResult):
            return [self._search_result(part)]
        if isinstance(part, Audio) and part.transcript:
            return self.text(Text(part.transcript, cache=part.cache), where)
        sound = isinstance(part, Audio)
        self.lacks(
            Concept.AUDIO_INPUT if sound else Concept.VIDEO_INPUT,
            f"the messages shape takes no {'audio' if sound else 'video'}",
        )
        return []

    def _search_result(self, part: SearchResult) -> Row:
        row: Row = {
            "type": "search_result",
            "source": part.source,
            "title": part.title,
            "content": [{"type": "text", "text": text.text} for text in part.texts],
            "citations": {"enabled": part.citable},
        }
        return row | self.mark(part.cache)

    def _citations(self, citations: Sequence[Citation]) -> list[msgspec.Raw]:
        kept = [
            msgspec.Raw(one.native.data)
            for one in citations
            if one.native is not None and one.native.shape == SHAPE
        ]
        if len(kept) < len(citations):
            self.lacks(Concept.CITATION, "only the vendor's own citations can be repeated")
        return kept

    def _thinking(self, part: Reasoning) -> list[Row]:
        """Thinking goes back to the account that signed it and to nobody else."""
        own = belonging(part.opaque, self.facts.origin)
        if self.facts.reasoning_back is ReasoningBack.SEALED:
            if (signature := first(own, SIGNATURE)) is not None:
                return [
                    {
                        "type": "thinking",
                        "thinking": part.text,
                        "signature": signature.data.decode(),
                    }
                ]
            if (hidden := first(own, REDACTED)) is not None:
                return [{"type": "redacted_thinking", "data": hidden.data.decode()}]
        if part.text or part.opaque:
            self.lacks(Concept.REASONING_STATE, "another model's reasoning has no signature here")
        return []

    def _call(self, part: ToolCall) -> Row:
        if part.kind is CallKind.CUSTOM:
            data, whole = _encode({"input": part.arguments}), True
        else:
            data, whole = argument_object(part.arguments)
        if not whole:
            self.report.repair(Mend.ARGUMENTS, part.id)
        row: Row = {
            "type": "tool_use",
            "id": part.id,
            "name": self.name(part.name, part.namespace),
            "input": msgspec.Raw(data),
        }
        if (own := self.own(part.native, SHAPE, Concept.HISTORY)) is not None:
            row |= shallow(own)
        return row | self.mark(part.cache)

    def _result(self, part: ToolResult, where: str) -> Row:
        row: Row = {"type": "tool_result", "tool_use_id": part.call_id}
        content: list[Row] = []
        for inner in part.parts:
            if isinstance(inner, Image | Document) and Input.RESULT_MEDIA not in self.facts.inputs:
                self.lacks(
                    Concept.IMAGE if isinstance(inner, Image) else Concept.DOCUMENT,
                    "this model takes no media in tool results",
                )
            content += self._rows(inner, where)
        if len(content) == 1 and content[0].keys() == {"type", "text"}:
            row["content"] = content[0]["text"]
        elif content:
            row["content"] = content
        if part.error:
            row["is_error"] = True
        return row | self.mark(part.cache)

    def _image(self, part: Image) -> Row:
        source = part.source
        if isinstance(source, Inline):
            source = typed(source)
        if Input.IMAGE not in self.facts.inputs:
            self.lacks(Concept.IMAGE, "this model takes no images")
        if part.detail not in (None, "auto"):
            self.lacks(Concept.DETAIL, "the messages shape has no such choice")
        if isinstance(source, Inline) and source.mime not in IMAGES:
            self.lacks(Concept.IMAGE, f"images must be {', '.join(sorted(IMAGES))}")
        if isinstance(source, Remote) and Input.IMAGE_URL not in self.facts.inputs:
            where = addressed(Concept.IMAGE, self.shape)
            self.lacks(Concept.IMAGE, "this model takes no image URLs, only bytes", where)
        row: Row = {"type": "image", "source": self._source(source)}
        return row | self.mark(part.cache)

    def _source(self, source: Inline | Remote | Stored) -> Row:
        if isinstance(source, Inline):
            return {"type": "base64", "media_type": source.mime, "data": source.data}
        if isinstance(source, Remote):
            return {"type": "url", "url": source.url}
        if source.shape != SHAPE:
            self.lacks(
                Concept.FILE_ID, "a file uploaded to another vendor is unknown here; send its bytes"
            )
        return {"type": "file", "file_id": source.id}

    def _document(self, part: Document) -> Row:
        source = part.source
        if Input.DOCUMENT not in self.facts.inputs:
            self.lacks(Concept.DOCUMENT, "this model takes no documents")
        row: Row = {"type": "document"}
        if isinstance(source, Pieces):
            row["source"] = self._pieces(source)
        elif isinstance(source, Inline) and source.mime != PDF:
            row["source"] = {"type": "text", "media_type": PLAIN, "data": self._plain(source)}
        else:
            if isinstance(source, Remote) and Input.DOCUMENT_URL not in self.facts.inputs:
                self.lacks(Concept.DOCUMENT_URL, "this model takes no document URLs, only bytes")
            row["source"] = self._source(source)
        if name := self._title(part):
            row["title"] = name
        if part.context:
            row["context"] = part.context
        if part.citable:
            row["citations"] = {"enabled": True}
        return row | self.mark(part.cache)

    def _title(self, part: Document) -> str | None:
        """A document's one name: its title, or that of its file."""
        source = part.source
        name = source.name if isinstance(source, Inline | Remote) else None
        if name and part.title and name != part.title:
            self.lacks(Concept.DOCUMENT_TITLE, "a document has one name, its title")
        return part.title or name

    def _pieces(self, source: Pieces) -> Row:
        if len(source.parts) == 1 and isinstance(source.parts[0], Text):
            return {"type": "text", "media_type": PLAIN, "data": source.parts[0].text}
        return {
            "type": "content",
            "content": [
                {"type": "text", "text": one.text} if isinstance(one, Text) else self._image(one)
                for one in source.parts
            ],
        }

    def _plain(self, source: Inline) -> str:
        """The words of a text file. Raises ``Fault`` for any other kind of file."""
        if source.mime.startswith("text/") or source.mime in _WORDY:
            try:
                return base64.b64decode(source.data).decode()
            except (binascii.Error, ValueError):
                pass
        self.lacks(Concept.DOCUMENT, f"documents must be {PDF} or text in UTF-8")
        return ""

    def _vendor(self, part: VendorPart, where: str) -> list[Row]:
        if part.native.shape == SHAPE:
            return [{**shallow(part.native.data), "type": part.kind}]
        self.lacks(Concept.VENDOR_PART, f"a block of type {part.kind} is another vendor's own")
        return self.text(Text(part.text), where) if part.text else []


def shallow(data: bytes) -> Row:
    """An object's members, each as it came: numbers of any size and spelling included."""
    members: Row = _members(data)
    return members


def _spoken(part: Text | Refusal) -> Text:
    return part if isinstance(part, Text) else Text(part.text, cache=part.cache)


_WORDY: Final = frozenset({"application/json", "application/xml", "application/yaml"})
"""Media types that are text though they do not say so."""
