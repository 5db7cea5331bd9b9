"""Content parts of a responses request: words, pictures, files, sounds.

Source: openai-python 3.52.0, ``ResponseInputContent`` and ``ResponseOutputMessage``, read
2026-11-21.
"""

from typing import Final

import msgspec

from trivium.conversation.items import Part
from trivium.conversation.parts import Audio, CacheMark, Document, Image, Refusal, Text
from trivium.wire import logprobs
from trivium.wire.checks import check, missing, mistyped, wrong
from trivium.wire.responses import citations, media
from trivium.wire.responses import request_structs as forms

_rows: Final = msgspec.json.Decoder(list[msgspec.Raw])
_part: Final = msgspec.json.Decoder(forms.ContentPart)
_string: Final = msgspec.json.Decoder(str)

_NULL, _QUOTE, _BRACKET = b'n"['
_TEXTS: Final = frozenset({"input_text", "output_text", "text"})
_KINDS: Final = "input_text, input_image, input_file, input_audio, output_text or refusal"


def content(raw: bytes | msgspec.Raw, path: str) -> tuple[Part, ...]:
    """A string or an array of parts. Raises ``Fault`` naming the member."""
    # a picture of megabytes is not copied to be looked at
    first = memoryview(raw)[0] if len(raw) else _NULL
    if first == _NULL:
        raise missing(path)
    if first == _QUOTE:
        return (Text(check(_string, raw, path)),)
    if first != _BRACKET:
        raise mistyped(path, "be a string or an array of parts")
    return tuple([_read(one, f"{path}[{at}]") for at, one in enumerate(check(_rows, raw, path))])


def _read(raw: msgspec.Raw, path: str) -> Part:
    part: forms.ContentPart = check(_part, raw, path)
    found = part.prompt_cache_breakpoint
    mark = CacheMark(found.ttl) if found is not None else None
    kind = part.type
    if kind is None:
        raise missing(f"{path}.type")
    if kind in _TEXTS:
        text = part.text
        if text is None:
            raise missing(f"{path}.text")
        return Text(
            text, citations.citations(part.annotations), logprobs.read(part.logprobs), cache=mark
        )
    if kind == "refusal":
        if part.refusal is None:
            raise missing(f"{path}.refusal")
        return Refusal(part.refusal)
    if kind == "input_image":
        return _image(part, path, mark)
    if kind == "input_file":
        return _file(part, path, mark)
    if kind == "input_audio":
        if part.input_audio is None:
            raise missing(f"{path}.input_audio")
        sound = part.input_audio
        inner = f"{path}.input_audio"
        return Audio(media.from_sound(sound.data, sound.format, inner), cache=mark)
    raise wrong(f"{path}.type", f"be {_KINDS}")


def _image(part: forms.ContentPart, path: str, mark: CacheMark | None) -> Image:
    if part.image_url is not None:
        url = media.from_url(part.image_url, f"{path}.image_url")
        return Image(url, part.detail, cache=mark)
    if part.file_id is not None:
        return Image(media.stored(part.file_id), part.detail, cache=mark)
    raise missing(f"{path}.image_url")


def _file(part: forms.ContentPart, path: str, mark: CacheMark | None) -> Document:
    name = part.filename
    if part.file_data is not None:
        data = media.from_file_data(part.file_data, f"{path}.file_data", name)
        return Document(data, name, cache=mark)
    if part.file_id is not None:
        return Document(media.stored(part.file_id), name, cache=mark)
    if part.file_url is not None:
        found = media.from_url(part.file_url, f"{path}.file_url", name=name)
        return Document(found, name, cache=mark)
    raise missing(f"{path}.file_data")
