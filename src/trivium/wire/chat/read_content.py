"""Content parts of a chat request: text, images, sound, files, and what other shapes call them.

Agents are known to send the responses shape's part names and Anthropic's blocks on this route
(BerriAI/litellm#34029, read 2026-11-21), so those are taken as well.
"""

from collections.abc import Callable
from typing import Any, Final

from trivium.conversation.items import Part
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Document,
    Image,
    Inline,
    Refusal,
    Remote,
    Stored,
    Text,
    Video,
)
from trivium.wire.chat.media import audio_mime, sniffed, source
from trivium.wire.chat.read_values import listed, mapping, string, table, text, wrong_type
from trivium.wire.checks import missing, wrong
from trivium.wire.data_url import is_data, standard

SHAPE: Final = "chat"

_KINDS: Final = "text, image_url, input_audio, file or refusal"


MARKS: Final = ("prompt_cache_breakpoint", "cache_control")
"""What a cache mark is called."""


def mark(part: dict[str, Any]) -> CacheMark | None:
    """The cache mark on a part or tool: OpenAI's breakpoint, or Anthropic's as relays take it."""
    for name in MARKS:
        found = part.get(name)
        if isinstance(found, dict):
            ttl = found.get("ttl")
            return CacheMark(ttl if isinstance(ttl, str) else None)
    return None


def texts(value: Any, path: str) -> tuple[Text, ...]:
    """Content that may be words only: a string or text parts."""
    found = content(value, path)
    for at, part in enumerate(found):
        if not isinstance(part, Text):
            raise wrong(f"{path}[{at}].type", "be text")
    return tuple(part for part in found if isinstance(part, Text))


def content(value: Any, path: str) -> list[Part]:
    """Content of a message: a string, or parts; what needs its message around it is not among them.

    Raises ``Fault`` naming the part.
    """
    if isinstance(value, str):
        return [Text(value)]
    if isinstance(value, dict):
        raise wrong_type(path, "a string or an array of parts", value)
    return [
        part(mapping(one, f"{path}[{at}]"), f"{path}[{at}]")
        for at, one in enumerate(listed(value, path))
    ]


def part(members: dict[str, Any], path: str) -> Part:
    """One content part. Raises ``Fault`` naming the member."""
    read = _READERS.get(string(members, "type", path))
    if read is None:
        raise wrong(f"{path}.type", f"be one of {_KINDS}")
    return read(members, path, mark(members))


def _text(members: dict[str, Any], path: str, cache: CacheMark | None) -> Text:
    return Text(string(members, "text", path), cache=cache)


def _refusal(members: dict[str, Any], path: str, cache: CacheMark | None) -> Refusal:
    return Refusal(string(members, "refusal", path), cache=cache)


def _audio(members: dict[str, Any], path: str, cache: CacheMark | None) -> Audio:
    audio = table(members, "input_audio", path)
    data = string(audio, "data", f"{path}.input_audio")
    form = string(audio, "format", f"{path}.input_audio")
    where = f"{path}.input_audio.data"
    if is_data(data):
        # some servers of this shape want a data URL, and its type is not always a type
        found = _source(data, audio_mime(form), where)
        assert isinstance(found, Inline), "a data URL holds its bytes"
        return Audio(Inline(audio_mime(form), found.data), cache=cache)
    return Audio(Inline(audio_mime(form), _base64(data, where)), cache=cache)


def _video(members: dict[str, Any], path: str, cache: CacheMark | None) -> Video:
    url = string(table(members, "video_url", path), "url", f"{path}.video_url")
    return Video(_source(url, "video/mp4", f"{path}.video_url.url"), cache=cache)


def _source(url: str, fallback: str, path: str, name: str | None = None) -> Inline | Remote:
    found = source(url, fallback, name)
    if found is None:
        raise wrong(path, "be an http or https URL, or a data: URL with base64 data")
    return found


def _base64(data: str, path: str) -> str:
    """Base64 in the standard form. Raises INVALID_VALUE."""
    found = standard(data)
    if found is None:
        raise wrong(path, "be base64")
    return found


def _image_url(members: dict[str, Any], path: str, cache: CacheMark | None) -> Image:
    given = members.get("image_url")
    if given is None and (file := text(members, "file_id", path)) is not None:
        return Image(Stored(SHAPE, file), text(members, "detail", path), cache=cache)
    if given is None:
        raise missing(f"{path}.image_url")
    if isinstance(given, str):
        # the responses shape's spelling
        found = _source(given, "image/jpeg", f"{path}.image_url")
        return Image(found, text(members, "detail", path), cache=cache)
    inner = mapping(given, f"{path}.image_url")
    url = string(inner, "url", f"{path}.image_url")
    found = _source(url, "image/jpeg", f"{path}.image_url.url")
    return Image(found, text(inner, "detail", f"{path}.image_url"), cache=cache)


def _file(members: dict[str, Any], path: str, cache: CacheMark | None) -> Document:
    file = members
    if members.get("file") is not None:
        file = table(members, "file", path)
        path = f"{path}.file"
    name = text(file, "filename", path)
    data = text(file, "file_data", path) or text(file, "file_url", path)
    if data is not None:
        found = source(data, "application/pdf", name)
        if found is None:
            # some clients send the base64 alone
            clean = _base64(data, f"{path}.file_data")
            found = Inline(sniffed(clean) or "application/pdf", clean, name)
        return Document(found, cache=cache)
    stored = text(file, "file_id", path)
    if stored is None:
        raise missing(f"{path}.file_data")
    return Document(Stored(SHAPE, stored), title=name, cache=cache)


def _image(members: dict[str, Any], path: str, cache: CacheMark | None) -> Image:
    return Image(_anthropic(table(members, "source", path), f"{path}.source"), cache=cache)


def _document(members: dict[str, Any], path: str, cache: CacheMark | None) -> Document:
    source_ = _anthropic(table(members, "source", path), f"{path}.source")
    return Document(source_, title=text(members, "title", path), cache=cache)


def _anthropic(given: dict[str, Any], path: str) -> Inline | Remote:
    kind = given.get("type")
    if kind == "base64":
        data = _base64(string(given, "data", path), f"{path}.data")
        return Inline(string(given, "media_type", path), data)
    if kind == "url":
        return Remote(string(given, "url", path))
    raise wrong(f"{path}.type", "be base64 or url")


_READERS: Final[dict[str, Callable[[dict[str, Any], str, CacheMark | None], Part]]] = {
    "text": _text,
    "image_url": _image_url,
    "input_audio": _audio,
    "file": _file,
    "refusal": _refusal,
    # as some servers of this shape take it
    "video_url": _video,
    # the responses shape's names
    "input_text": _text,
    "output_text": _text,
    "input_image": _image_url,
    "input_file": _file,
    # Anthropic's
    "image": _image,
    "document": _document,
}
