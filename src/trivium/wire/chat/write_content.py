"""Parts as chat content: what the target takes, in its spelling; what it does not take, by name.

Source: OpenAI's API reference, chat completions, content parts, read 2026-11-21.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from trivium.conversation.image_info import NO_DRAWING, is_drawing, typed
from trivium.conversation.items import Part
from trivium.conversation.member_table import Concept, addressed, citable
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Document,
    Image,
    Inline,
    Pieces,
    Refusal,
    Remote,
    SearchResult,
    Stored,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.target import Input
from trivium.conversation.writer_base import WriterBase
from trivium.wire.chat.media import file_name, text_of
from trivium.wire.data_url import SOUND_FORMATS, data_url
from trivium.wire.openai_shapes import cache_breakpoint

_FAMILY: Final = frozenset({"chat", "responses"})
"""Shapes whose file ids are OpenAI's."""
_NOT_TAKEN: Final = "not taken by this model"


class ContentWriter(WriterBase):
    """Writes parts for one target; what cannot be carried goes to the report."""

    __slots__ = ()

    def parts(self, parts: Iterable[Part]) -> list[dict[str, Any]]:
        """Content parts of a user turn."""
        out: list[dict[str, Any]] = []
        for part in parts:
            for written in self._part(part):
                self._marked(written, part.cache)
                out.append(written)
        return out

    def content(self, parts: Sequence[Part]) -> str | list[dict[str, Any]]:
        """Content of a message: one unmarked text as a string, which every server takes."""
        text = only(parts)
        return plain(self.parts(parts)) if text is None else text

    def mark(self, written: list[dict[str, Any]], cache: CacheMark) -> None:
        """Mark the last of some parts."""
        if written:
            self._marked(written[-1], cache)
        else:
            self.lacks(Concept.CACHE_MARK, "there is nothing to mark")

    def _marked(self, written: dict[str, Any], cache: CacheMark | None) -> None:
        if cache is None:
            return
        if self.facts.cache_marks <= 0:
            self.lacks(Concept.CACHE_MARK, _NOT_TAKEN)
            return
        written["prompt_cache_breakpoint"] = cache_breakpoint(cache)

    def _part(self, part: Part) -> list[dict[str, Any]]:
        if isinstance(part, Text | Refusal):
            if isinstance(part, Text) and part.citations:
                self.lacks(Concept.CITATION, "the chat shape has no citations in a history")
            return [_text(part.text)]
        if isinstance(part, Document):
            return self._document(part)
        if isinstance(part, SearchResult):
            if part.citable:
                where = citable(self.shape)
                self.lacks(Concept.CITATION, "the chat shape cannot ask for citations", where)
            return [_text(searched(part))]
        if isinstance(part, VendorPart):
            return self._vendor(part)
        return self._media(part)

    def _media(self, part: Part) -> list[dict[str, Any]]:
        if isinstance(part, Image):
            return [self._image(part)]
        if isinstance(part, Audio):
            return [self._audio(part)]
        return [self._video(part)] if isinstance(part, Video) else []

    def _need(self, wanted: Input, concept: Concept) -> None:
        if wanted not in self.facts.inputs:
            self.lacks(concept, _NOT_TAKEN)

    def _url(self, source: Inline | Remote | Stored, remote: Input, concept: Concept) -> str:
        if isinstance(source, Inline):
            return data_url(source)
        if isinstance(source, Remote):
            if remote not in self.facts.inputs:
                self.lacks(concept, _NOT_TAKEN, addressed(concept, self.shape))
            return source.url
        self.lacks(Concept.FILE_ID, "a file of one vendor means nothing to another")
        return ""

    def _image(self, image: Image) -> dict[str, Any]:
        self._need(Input.IMAGE, Concept.IMAGE)
        source = image.source
        if isinstance(source, Inline):
            source = typed(source)
            if is_drawing(source):
                self.lacks(Concept.IMAGE, NO_DRAWING)
        inner = {"url": self._url(source, Input.IMAGE_URL, Concept.IMAGE)}
        if image.detail is not None and self.takes(Concept.DETAIL):
            inner["detail"] = image.detail
        return {"type": "image_url", "image_url": inner}

    def _audio(self, audio: Audio) -> dict[str, Any]:
        source = audio.source
        if not isinstance(source, Inline):
            if source is None and audio.transcript:
                return _text(audio.transcript)
            self.lacks(Concept.AUDIO_INPUT, "sound has to be in the body")
            return _text(audio.transcript)
        self._need(Input.AUDIO, Concept.AUDIO_INPUT)
        form = SOUND_FORMATS.get(source.mime)
        if form is None:
            self.lacks(Concept.AUDIO_INPUT, f"{source.mime} is not taken, wav and mp3 are")
        return {"type": "input_audio", "input_audio": {"data": source.data, "format": form}}

    def _video(self, video: Video) -> dict[str, Any]:
        self._need(Input.VIDEO, Concept.VIDEO_INPUT)
        url = self._url(video.source, Input.VIDEO, Concept.VIDEO_INPUT)
        return {"type": "video_url", "video_url": {"url": url}}

    def _document(self, document: Document) -> list[dict[str, Any]]:
        source = document.source
        if document.citable:
            where = citable(self.shape)
            self.lacks(Concept.CITATION, "the chat shape cannot ask for citations", where)
        head = _header(document)
        if isinstance(source, Pieces):
            return [*head, *(one for part in source.parts for one in self._part(part))]
        if isinstance(source, Stored):
            if source.shape not in _FAMILY:
                self.lacks(Concept.FILE_ID, "a file of one vendor means nothing to another")
            return [*head, {"type": "file", "file": {"file_id": source.id}}]
        if isinstance(source, Remote):
            self._need(Input.DOCUMENT_URL, Concept.DOCUMENT_URL)
            name = source.name or document.title or "document"
            file = {"filename": name, "file_data": source.url}
            return [*_header(document, name), {"type": "file", "file": file}]
        words = text_of(source)
        if words is not None:
            named = [_text(source.name)] if source.name else []
            return [*named, *head, _text(words)]
        self._need(Input.DOCUMENT, Concept.DOCUMENT)
        if source.mime.startswith("image/"):
            return [{"type": "image_url", "image_url": {"url": data_url(source)}}]
        name = file_name(source, document.title)
        file = {"filename": name, "file_data": data_url(source)}
        return [*_header(document, name), {"type": "file", "file": file}]

    def _vendor(self, part: VendorPart) -> list[dict[str, Any]]:
        self.lacks(Concept.VENDOR_PART, f"{part.kind} is known to its own shape only")
        return [_text(part.text)] if part.text else []


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _header(document: Document, named: str = "") -> list[dict[str, Any]]:
    """Title and context as lines of text; not the title where the file is ``named`` by it."""
    title = document.title
    if title == named:
        title = None
    lines = [line for line in (title, document.context) if line]
    return [_text("\n".join(lines))] if lines else []


def searched(result: SearchResult) -> str:
    """A search hit as text: title and source, then its words."""
    words = "\n".join(text.text for text in result.texts)
    return f"{result.title}\n{result.source}\n{words}"


def only(parts: Sequence[Part]) -> str | None:
    """The words of a turn that is one unmarked text, as most are; ``None`` for any other."""
    if len(parts) == 1:
        part = parts[0]
        if type(part) is Text and part.cache is None and not part.citations:
            return part.text
    return None


def plain(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """A single text part without a mark as a string, else the parts."""
    if not parts:
        return ""
    if len(parts) == 1 and parts[0].keys() == {"type", "text"}:
        text: str = parts[0]["text"]
        return text
    return parts
