"""Media of a request: images, documents, search results and their sources, read strictly.

Source: messages reference and SDK types 2.11, read on 2026-11-21.
"""

from typing import Final

import msgspec

from trivium.conversation.parts import (
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
)
from trivium.wire.data_url import standard
from trivium.wire.messages import request_structs as forms
from trivium.wire.messages.citations import SHAPE
from trivium.wire.messages.paths import missing, view, wrong

IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
PDF: Final = "application/pdf"
PLAIN: Final = "text/plain"


_source: Final = msgspec.json.Decoder(forms.Source)
_pieces: Final = msgspec.json.Decoder(str | list[forms.RequestPiece])
_texts: Final = msgspec.json.Decoder(list[forms.RequestPiece])
_citable: Final = msgspec.json.Decoder(forms.Citable)


def image(raw: msgspec.Raw, path: str, cache: CacheMark | None = None) -> Image:
    """An image block, given its ``source``."""
    source = _read(raw, path)
    if source.type == "base64":
        if source.media_type not in IMAGES:
            raise wrong(f"{path}.media_type", f"must be one of {', '.join(sorted(IMAGES))}.")
        return Image(_inline(source, path), cache=cache)
    return Image(_elsewhere(source, path), cache=cache)


def document(
    raw: msgspec.Raw,
    path: str,
    title: str | None,
    context: str | None,
    citable: msgspec.Raw,
    cache: CacheMark | None,
) -> Document:
    """A document block, given its members."""
    source = _read(raw, path)
    found: Source | Pieces
    if source.type == "base64":
        if source.media_type != PDF:
            raise wrong(f"{path}.media_type", f"must be {PDF}.")
        found = _inline(source, path)
    elif source.type == "text":
        if source.data is None:
            raise missing(f"{path}.data")
        found = Pieces((Text(source.data),))
    elif source.type == "content":
        found = Pieces(_written_out(source.content, f"{path}.content"))
    else:
        found = _elsewhere(source, path, PDF)
    return Document(
        found, title=title, context=context, citable=enabled(citable, path), cache=cache
    )


def search_result(
    source: msgspec.Raw,
    title: str | None,
    content: msgspec.Raw,
    path: str,
    citable: msgspec.Raw,
    cache: CacheMark | None,
) -> SearchResult:
    """A search result block, given its members."""
    if title is None:
        raise missing(f"{path}.title")
    if not bytes(content):
        raise missing(f"{path}.content")
    rows = view(_texts, content, f"{path}.content")
    texts = tuple(_text(row, f"{path}.content.{at}") for at, row in enumerate(rows))
    where = view(_word, source, f"{path}.source")
    return SearchResult(where, title, texts, enabled(citable, path), cache=cache)


def enabled(raw: msgspec.Raw, path: str) -> bool:
    """Whether a block's ``citations`` member asks for citations."""
    if bytes(raw) in (b"", b"null") or bytes(raw).startswith(b"["):
        return False
    return bool(view(_citable, raw, f"{path}.citations").enabled)


_word: Final = msgspec.json.Decoder(str)


def _read(raw: msgspec.Raw, path: str) -> forms.Source:
    if not bytes(raw):
        raise missing(path)
    found: forms.Source = view(_source, raw, path)
    return found


def _inline(source: forms.Source, path: str) -> Inline:
    if source.data is None:
        raise missing(f"{path}.data")
    if standard(source.data) != source.data:
        raise wrong(f"{path}.data", "must be standard base64 with padding.")
    return Inline(source.media_type or "", source.data)


def _elsewhere(source: forms.Source, path: str, mime: str | None = None) -> Source:
    if source.type == "url":
        if source.url is None:
            raise missing(f"{path}.url")
        if not source.url.startswith(("https://", "http://")):
            raise wrong(f"{path}.url", "must be an http or https URL; bytes go in base64.")
        return Remote(source.url, mime)
    if source.type == "file":
        if source.file_id is None:
            raise missing(f"{path}.file_id")
        return Stored(SHAPE, source.file_id, mime)
    kinds = "base64, url, file" + (", text, content" if mime == PDF else "")
    raise wrong(f"{path}.type", f"must be one of {kinds}.")


def _written_out(raw: msgspec.Raw, path: str) -> tuple[Text | Image, ...]:
    if not bytes(raw):
        raise missing(path)
    rows = view(_pieces, raw, path)
    if isinstance(rows, str):
        return (Text(rows),)
    return tuple(
        image(row.source, f"{path}.{at}.source")
        if row.type == "image"
        else _text(row, f"{path}.{at}")
        for at, row in enumerate(rows)
    )


def _text(row: forms.RequestPiece, path: str) -> Text:
    if row.type != "text":
        raise wrong(f"{path}.type", "must be text.")
    if row.text is None:
        raise missing(f"{path}.text")
    return Text(row.text)
