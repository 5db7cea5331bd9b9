"""Pictures, documents, films and sound of a history as content blocks.

Source: botocore 1.44's model of the service, read on 2026-11-28.
"""

from collections.abc import Mapping
from typing import Any, Final

from trivium.conversation.image_info import typed
from trivium.conversation.losses import Mend, Report
from trivium.conversation.member_table import Concept, addressed, foreign, member
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Pieces,
    Remote,
    SearchResult,
    Stored,
    Text,
    Video,
)
from trivium.conversation.request import Conversation
from trivium.conversation.target import Input, TargetFacts
from trivium.conversation.writer_base import WriterBase
from trivium.wire.converse.document_names import NEUTRAL, DocumentNames
from trivium.wire.converse.media import DOCUMENTS, IMAGES, SHAPE, SOUNDS, VIDEOS, bare
from trivium.wire.converse.media import document_format as format_of
from trivium.wire.converse.read_sources import stored_place

BlockRow = dict[str, Any]
"""One block as JSON members."""

_BUCKETS: Final = "s3://"
"""Addresses that the vendor itself reads."""
_TEXT_FORMAT: Final = "txt"


class ConverseMediaWriter(WriterBase):
    """Writes what is neither said nor done."""

    __slots__ = ("_names",)

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        super().__init__(conversation, facts, report)
        self._names = DocumentNames()

    def media(self, part: Image | Document | Video | Audio) -> BlockRow:
        """The block of a picture, a document, a film or a sound; empty where it has none."""
        if isinstance(part, Image):
            return self._image(part)
        if isinstance(part, Document):
            return self._document(part)
        if isinstance(part, Video):
            return self._video(part)
        return self._sound(part)

    def search_result(self, part: SearchResult) -> BlockRow:
        """The block of a search result."""
        return {
            "searchResult": {
                "source": part.source,
                "title": part.title,
                "content": [{"text": text.text} for text in part.texts],
                "citations": {"enabled": part.citable},
            }
        }

    def _image(self, part: Image) -> BlockRow:
        source = part.source
        if isinstance(source, Inline):
            source = typed(source)
        self._needs(Input.IMAGE, Concept.IMAGE, "images")
        if part.detail not in (None, "auto"):
            self.lacks(Concept.DETAIL, "the converse shape has no such choice")
        return {"image": self._of(source, IMAGES, Concept.IMAGE, "images")}

    def _video(self, part: Video) -> BlockRow:
        self._needs(Input.VIDEO, Concept.VIDEO_INPUT, "video")
        if part.metadata is not None:
            foreign(part.metadata, self.report, member(Concept.VIDEO_INPUT, self.shape))
        return {"video": self._of(part.source, VIDEOS, Concept.VIDEO_INPUT, "video")}

    def _sound(self, part: Audio) -> BlockRow:
        if part.source is None:
            self.lacks(Concept.AUDIO_INPUT, "sound that is only named is unknown here")
            return {}
        self._needs(Input.AUDIO, Concept.AUDIO_INPUT, "audio")
        return {"audio": self._of(part.source, SOUNDS, Concept.AUDIO_INPUT, "audio")}

    def _needs(self, kind: Input, concept: Concept, what: str) -> None:
        if kind not in self.facts.inputs:
            self.lacks(concept, f"this model takes no {what}")

    def _of(
        self,
        source: Inline | Remote | Stored,
        formats: Mapping[str, str],
        concept: Concept,
        what: str,
    ) -> BlockRow:
        """Format and source of a medium. Raises ``Fault`` for a type that the shape has not."""
        mime = "" if source.mime is None else bare(source.mime)
        found = formats.get(mime)
        if found is None:
            known = ", ".join(sorted(set(formats.values())))
            where = None if isinstance(source, Inline) else addressed(concept, self.shape)
            why = f"{what} must be {known}, and this is {mime[:80] or 'of no type'}"
            self.lacks(concept, why, where)
        return {"format": found, "source": self._source(source, concept, what)}

    def _source(self, source: Inline | Remote | Stored, concept: Concept, what: str) -> BlockRow:
        if isinstance(source, Inline):
            if not source.data:
                self.lacks(concept, f"{what} of no bytes are refused there")
            return {"bytes": source.data}
        if isinstance(source, Remote):
            if not source.url.startswith(_BUCKETS):
                where = addressed(concept, self.shape)
                reason = "the converse shape takes bytes, and addresses in S3 only"
                self.lacks(concept, reason, where)
            return {"s3Location": {"uri": source.url}}
        if source.shape == SHAPE:
            return {"s3Location": stored_place(source.id)}
        self.lacks(
            Concept.FILE_ID, "a file uploaded to another vendor is unknown here; send its bytes"
        )
        return {}

    def _document(self, part: Document) -> BlockRow:
        self._needs(Input.DOCUMENT, Concept.DOCUMENT, "documents")
        source = part.source
        row: BlockRow = {}
        if isinstance(source, Pieces):
            row["format"] = _TEXT_FORMAT
            row["name"] = self._name(part)
            row["source"] = self._pieces(source)
        else:
            mime = source.mime or ""
            found = format_of(mime)
            if found is None:
                known = ", ".join(sorted(DOCUMENTS.values()))
                away = not isinstance(source, Inline)
                where = addressed(Concept.DOCUMENT, self.shape) if away else None
                why = f"documents must be {known}, and this is {bare(mime)[:80] or 'of no type'}"
                self.lacks(Concept.DOCUMENT, why, where)
            row["format"] = found
            row["name"] = self._name(part)
            row["source"] = self._source(source, Concept.DOCUMENT, "documents")
        if part.context:
            row["context"] = part.context
        if part.citable:
            row["citations"] = {"enabled": True}
        return {"document": row}

    def _name(self, part: Document) -> str:
        """A document's one name, which is its title, or that of its file."""
        source = part.source
        file = source.name if isinstance(source, Inline | Remote) else None
        if file and part.title and file != part.title:
            self.lacks(Concept.DOCUMENT_TITLE, "a document has one name, its title")
        wanted = part.title or file or ""
        found = self._names.take(wanted)
        if found != (wanted or NEUTRAL):
            self.report.repair(Mend.DOCUMENT_NAME, wanted[:80] or NEUTRAL)
        return found

    def _pieces(self, source: Pieces) -> BlockRow:
        texts = [one.text for one in source.parts if isinstance(one, Text)]
        if len(texts) < len(source.parts):
            self.lacks(Concept.DOCUMENT, "a document in pieces is text there, without images")
        if len(texts) == 1:
            return {"text": texts[0]}
        return {"content": [{"text": text} for text in texts]}
