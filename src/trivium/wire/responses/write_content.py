"""Parts of a conversation as content parts of a responses request.

Source: openai-python 3.52.0, ``ResponseInputContent``, read 2026-11-21.
"""

import base64
from typing import Any, Final

from trivium.conversation.image_info import NO_DRAWING, is_drawing, typed
from trivium.conversation.losses import Report
from trivium.conversation.member_table import Concept, addressed, citable
from trivium.conversation.names import qualified
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Document,
    Image,
    Inline,
    Pieces,
    Remote,
    SearchResult,
    Source,
    Stored,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.request import Conversation
from trivium.conversation.target import Input, TargetFacts
from trivium.conversation.writer_base import WriterBase
from trivium.wire.data_url import data_url
from trivium.wire.openai_shapes import cache_breakpoint
from trivium.wire.responses import media

Row = dict[str, Any]
Said = Text | Image | Audio | Video | Document | SearchResult | VendorPart

_FAMILY: Final = frozenset({"chat", "responses"})
"""Shapes whose uploaded files are the same vendor's."""
_ENDINGS: Final = {"application/pdf": "pdf", "application/json": "json", "text/csv": "csv"}


class PartsWriter(WriterBase):
    """Writes content parts of one request, and keeps count of cache marks and losses."""

    __slots__ = ("_marked",)

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        super().__init__(conversation, facts, report)
        self._marked: list[Row] = []

    def name(self, name: str, namespace: str | None = None) -> str:
        """What a tool is called at the target; that it is in no namespace there is no news."""
        return super().name(qualified(name, namespace))

    def settle(self) -> None:
        """Take away the first of too many cache marks: the longest prefix is worth most."""
        if not self._marked:
            return
        for row in self._marked[: max(0, len(self._marked) - self.facts.cache_marks)]:
            del row["prompt_cache_breakpoint"]

    def rows(self, part: Said, *, result: bool = False) -> list[Row]:
        """The content parts of one part; ``result``: it stands in a tool's output."""
        if result and isinstance(part, Image | Document) and not self._takes(Input.RESULT_MEDIA):
            concept = Concept.IMAGE if isinstance(part, Image) else Concept.DOCUMENT
            self.lacks(concept, "this model takes no media in tool results")
            return []
        if isinstance(part, Text):
            found = [words(part.text)] if part.text else []
        elif isinstance(part, Image):
            found = self._image(part)
        elif isinstance(part, Document):
            found = self._document(part)
        elif isinstance(part, SearchResult):
            if part.citable:
                where = citable(self.shape)
                self.lacks(Concept.CITATION, "the responses shape cannot ask for citations", where)
            text = "\n".join(one.text for one in part.texts)
            found = [words(f"{part.title}\n{part.source}\n\n{text}")]
        elif isinstance(part, Audio):
            found = self._audio(part)
        elif isinstance(part, Video):
            self.lacks(Concept.VIDEO_INPUT, "the responses shape takes no video")
            found = []
        else:
            self.lacks(Concept.VENDOR_PART, "only its own shape has this block")
            found = [words(part.text)] if part.text else []
        if found:
            self.mark(part.cache, found[-1])
        return found

    def _takes(self, what: Input) -> bool:
        return what in self.facts.inputs

    def mark(self, mark: CacheMark | None, row: Row) -> None:
        """Mark a row that may be marked; ``None`` marks nothing."""
        if mark is None:
            return
        if not self.facts.cache_marks:
            self.lacks(Concept.CACHE_MARK, "this model caches by itself")
            return
        row["prompt_cache_breakpoint"] = cache_breakpoint(mark)
        self._marked.append(row)

    def _image(self, part: Image) -> list[Row]:
        if isinstance(part.source, Remote) and not self._takes(Input.IMAGE_URL):
            where = addressed(Concept.IMAGE, self.shape)
            self.lacks(Concept.IMAGE, "this model fetches no images", where)
            return []
        if not self._takes(Input.IMAGE):
            self.lacks(Concept.IMAGE, "this model takes no images")
            return []
        row: Row = {"type": "input_image"}
        if isinstance(part.source, Inline) and is_drawing(typed(part.source)):
            self.lacks(Concept.IMAGE, NO_DRAWING)
            return []
        if isinstance(part.source, Stored):
            if not self._ours(part.source):
                return []
            row["file_id"] = part.source.id
        else:
            source = part.source
            row["image_url"] = _url(typed(source) if isinstance(source, Inline) else source)
        row["detail"] = part.detail or "auto"
        return [row]

    def _document(self, part: Document) -> list[Row]:
        source = part.source
        if part.citable:
            where = citable(self.shape)
            self.lacks(Concept.CITATION, "the responses shape cannot ask for citations", where)
        name = None if isinstance(source, Stored | Pieces) else source.name
        head = _head(part.title or name, part.context)
        if isinstance(source, Pieces):
            lead = [words(head)] if head else []
            return lead + [row for inner in source.parts for row in self.rows(inner)]
        if isinstance(source, Inline) and source.mime.startswith("text/"):
            text = _text(source)
            if text is not None:
                if name and part.title:
                    head = _head(name, head)
                return [words(f"{head}\n\n{text}" if head else text)]
        needed = Input.DOCUMENT_URL if isinstance(source, Remote) else Input.DOCUMENT
        if not self._takes(needed):
            self.lacks(Concept.DOCUMENT, "this model takes no such documents")
            return []
        row: Row = {"type": "input_file"}
        if isinstance(source, Stored):
            if not self._ours(source):
                return []
            row["file_id"] = source.id
        elif isinstance(source, Remote):
            row["file_url"] = source.url
        else:
            # a file without a name is refused
            unnamed = f"document.{_ENDINGS.get(source.mime, 'txt')}"
            row["filename"] = source.name or part.title or unnamed
            row["file_data"] = data_url(source)
            head = _head(None if part.title == row["filename"] else part.title, part.context)
        return [words(head), row] if head else [row]

    def _ours(self, source: Stored) -> bool:
        if source.shape in _FAMILY:
            return True
        self.lacks(Concept.FILE_ID, "the file was uploaded to another vendor")
        return False

    def _audio(self, part: Audio) -> list[Row]:
        form = media.sound_format(part.source)
        if part.source is None:
            return [words(part.transcript)] if part.transcript else []
        if form is None or not self._takes(Input.AUDIO):
            self.lacks(Concept.AUDIO_INPUT, "this model takes no such sound")
            return []
        assert isinstance(part.source, Inline), "only bytes have a format"
        sound = {"data": part.source.data, "format": form}
        return [{"type": "input_audio", "input_audio": sound}]


def _head(*lines: str | None) -> str:
    return "\n".join(line for line in lines if line)


def words(text: str) -> Row:
    """A content part of text."""
    return {"type": "input_text", "text": text}


def _url(source: Source) -> str:
    assert not isinstance(source, Stored), "an uploaded file has no URL"
    return source.url if isinstance(source, Remote) else data_url(source)


def _text(source: Inline) -> str | None:
    try:
        return base64.b64decode(source.data).decode()
    except ValueError:  # neither base64 nor UTF-8
        return None
