"""Files that a history names by URL, for targets that take bytes and no URLs.

What must be fetched is found here, and put in place of its URL; who fetches is nobody's business
here. Turn by turn, so a history that grows keeps its beginning.
"""

from collections.abc import Iterator, Mapping
from typing import Final, TypeVar

import msgspec

from trivium.conversation.addresses import WATCHED, ending, host
from trivium.conversation.calls import ToolResult
from trivium.conversation.image_info import type_of
from trivium.conversation.items import Part
from trivium.conversation.parts import Audio, Document, Image, Inline, Pieces, Remote, Video
from trivium.conversation.request import Conversation
from trivium.conversation.target import Input, TargetFacts

_Media = Image | Audio | Video | Document
_P = TypeVar("_P", bound="Part")

_KIND: Final[Mapping[type, tuple[Input, str]]] = {
    Image: (Input.IMAGE, "image/"),
    Audio: (Input.AUDIO, "audio/"),
    Video: (Input.VIDEO, "video/"),
    Document: (Input.DOCUMENT, ""),
}
"""What a target must take for the bytes to be of use, and how their media type begins."""
_VAGUE: Final = frozenset({"", "application/octet-stream", "binary/octet-stream"})
"""Media types that say nothing."""
_ENDINGS: Final = {
    "gif": "image/gif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "md": "text/markdown",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "pdf": "application/pdf",
    "png": "image/png",
    "txt": "text/plain",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webp": "image/webp",
}


def wanted(conversation: Conversation, target: TargetFacts) -> tuple[str, ...]:
    """URLs whose bytes the target needs, each once, in order."""
    if conversation.shape == target.origin.shape:
        return ()
    found: dict[str, None] = {}
    for turn in conversation.turns:
        for part in _media(turn.parts):
            if _lacks(part, target) and isinstance(part.source, Remote):
                found[part.source.url] = None
    return tuple(found)


def inlined(conversation: Conversation, files: Mapping[str, Inline]) -> Conversation:
    """The conversation with the bytes of ``files`` in place of their URLs."""
    turns = tuple(
        msgspec.structs.replace(turn, parts=tuple(_part(part, files) for part in turn.parts))
        if any(isinstance(one.source, Remote) for one in _media(turn.parts))
        else turn
        for turn in conversation.turns
    )
    return msgspec.structs.replace(conversation, turns=turns)


def kinds_of(conversation: Conversation) -> dict[str, str]:
    """How the media type of each file must begin, by its URL; empty: any."""
    found: dict[str, str] = {}
    for turn in conversation.turns:
        for part in _media(turn.parts):
            if isinstance(part.source, Remote):
                found.setdefault(part.source.url, _KIND[type(part)][1])
    return found


def mime_of(url: str, said: str, body: bytes) -> str:
    """The media type of a file: its server's word if that says something, else its own first
    bytes, else how its name ends; empty when nothing tells.
    """
    if said not in _VAGUE:
        return said
    if body.startswith(b"%PDF-"):
        return "application/pdf"
    return type_of(body) or _ENDINGS.get(ending(url), "")


def _media(parts: tuple[Part, ...]) -> Iterator[_Media]:
    for part in parts:
        if isinstance(part, ToolResult):
            yield from _media(part.parts)
        elif isinstance(part, Document):
            if isinstance(part.source, Pieces):
                yield from _media(part.source.parts)
            yield part
        elif isinstance(part, Image | Audio | Video):
            yield part


def _lacks(part: _Media, target: TargetFacts) -> bool:
    """Whether the target takes such a part as bytes and not by URL."""
    source = part.source
    if not isinstance(source, Remote) or host(source.url) in WATCHED:
        return False
    if _KIND[type(part)][0] not in target.inputs:
        return False
    by_url = Input.DOCUMENT_URL if isinstance(part, Document) else Input.IMAGE_URL
    return isinstance(part, Audio | Video) or by_url not in target.inputs


def _part(part: _P, files: Mapping[str, Inline]) -> _P:
    if isinstance(part, ToolResult):
        inner = tuple(_part(one, files) for one in part.parts)
        return msgspec.structs.replace(part, parts=inner)
    if not isinstance(part, Image | Audio | Video | Document):
        return part
    source = part.source
    if isinstance(source, Pieces):
        pieces = tuple(_part(one, files) for one in source.parts)
        return msgspec.structs.replace(part, source=msgspec.structs.replace(source, parts=pieces))
    if isinstance(source, Remote) and source.url in files:
        found = files[source.url]
        named = msgspec.structs.replace(found, name=source.name or found.name)
        return msgspec.structs.replace(part, source=named)
    return part
