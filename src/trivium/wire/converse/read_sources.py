"""Media, documents and search results of a Converse request, read strictly.

Source: ``bedrock-runtime`` of botocore 1.44, read on 2026-11-28.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Pieces,
    SearchResult,
    Source,
    Stored,
    Text,
    Video,
)
from trivium.wire.converse import media
from trivium.wire.converse import request_structs as structs
from trivium.wire.converse.values import required, single
from trivium.wire.data_url import standard
from trivium.wire.messages.paths import view, wrong

_text: Final = msgspec.json.Decoder(str)
_pieces: Final = msgspec.json.Decoder(list[structs.ConverseText])
_place: Final = msgspec.json.Decoder(structs.BucketPlace)

_NAME_MAX: Final = 200
_BUCKET: Final = "s3://"
_OWNER: Final = "#bucketOwner="


def image(block: structs.MediaBlock, path: str) -> Image:
    """An ``image``, given its members."""
    return Image(_source(block, media.IMAGE_TYPES, path))


def video(block: structs.MediaBlock, path: str) -> Video:
    """A ``video``, given its members."""
    return Video(_source(block, media.VIDEO_TYPES, path))


def audio(block: structs.MediaBlock, path: str) -> Audio:
    """An ``audio``, given its members."""
    return Audio(_source(block, media.SOUND_TYPES, path))


def document(block: structs.DocumentBlock, path: str) -> Document:
    """A ``document``, given its members."""
    name = required(block.name, f"{path}.name")
    if len(name) > _NAME_MAX:
        raise wrong(f"{path}.name", f"must have at most {_NAME_MAX} characters.")
    mime = None
    if block.format is not None:
        mime = _mime(block.format, media.DOCUMENT_TYPES, f"{path}.format")
    members = required(block.source, f"{path}.source")
    kind, raw = single(members, f"{path}.source")
    place = f"{path}.source.{kind[:64]}"
    found: Source | Pieces
    if kind == "text":
        found = Pieces((Text(view(_text, raw, place)),))
    elif kind == "content":
        rows: list[structs.ConverseText] = view(_pieces, raw, place)
        found = Pieces(tuple(_said(row, f"{place}.{at}") for at, row in enumerate(rows)))
    else:
        found = _elsewhere(kind, raw, place, mime or "", "bytes, s3Location, text or content")
        if mime is None:
            raise wrong(f"{path}.format", f"is required beside {kind}.")
    return Document(
        found,
        title=name,
        context=block.context,
        citable=block.citations is not None and bool(block.citations.enabled),
    )


def search_result(block: structs.SearchResultBlock, path: str) -> SearchResult:
    """A ``searchResult``, given its members."""
    rows = required(block.content, f"{path}.content")
    return SearchResult(
        required(block.source, f"{path}.source"),
        required(block.title, f"{path}.title"),
        tuple(_said(row, f"{path}.content.{at}") for at, row in enumerate(rows)),
        block.citations is not None and bool(block.citations.enabled),
    )


def _said(row: structs.ConverseText, path: str) -> Text:
    if row.text is None:
        raise wrong(f"{path}.text", "is required.")
    return Text(row.text)


def _source(block: structs.MediaBlock, formats: Mapping[str, str], path: str) -> Source:
    mime = _mime(required(block.format, f"{path}.format"), formats, f"{path}.format")
    members = required(block.source, f"{path}.source")
    kind, raw = single(members, f"{path}.source")
    return _elsewhere(kind, raw, f"{path}.source.{kind[:64]}", mime, "bytes or s3Location")


def _mime(format_: str, formats: Mapping[str, str], path: str) -> str:
    mime = formats.get(format_)
    if mime is None:
        raise wrong(path, f"must be one of {', '.join(formats)}.")
    return mime


def _elsewhere(kind: str, raw: msgspec.Raw, path: str, mime: str, kinds: str) -> Source:
    """Bytes in the body, or the address of a bucket, which only this shape's vendor can open."""
    if kind == "bytes":
        data = view(_text, raw, path)
        if not data:
            raise wrong(path, "must not be empty.")
        if standard(data) != data:
            raise wrong(path, "must be standard base64 with padding.")
        return Inline(mime, data)
    if kind != "s3Location":
        raise wrong(path, f"is not known: the source must have {kinds}.")
    place: structs.BucketPlace = view(_place, raw, path)
    uri = required(place.uri, f"{path}.uri")
    if not uri.startswith(_BUCKET):
        raise wrong(f"{path}.uri", f"must begin with {_BUCKET}.")
    return Stored(media.SHAPE, stored_id(uri, place.bucketOwner), mime)


def stored_id(uri: str, owner: str | None) -> str:
    """A place in S3 as the id of a stored file; the account that owns the bucket goes with it."""
    return uri if owner is None else f"{uri}{_OWNER}{owner}"


def stored_place(id_: str) -> dict[str, str]:
    """The same id as an ``s3Location``."""
    uri, mark, owner = id_.rpartition(_OWNER)
    return {"uri": uri, "bucketOwner": owner} if mark else {"uri": id_}
