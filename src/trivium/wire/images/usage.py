"""The usage object of an images answer as the canonical record.

Whatever is generated here is pictures: output without details is image tokens, never text at a text
price. Source: openai-python 3.52.0, ``ImagesResponse``, read 2026-11-21.
"""

from typing import Annotated, Final

import msgspec

from trivium.conversation.usage import GeneratedImages, Usage
from trivium.wire.lenient import decoded

Count = Annotated[int, msgspec.Meta(ge=0)]


class _Details(msgspec.Struct, gc=False):
    text_tokens: Count | None = None
    image_tokens: Count | None = None
    cached_tokens: Count | None = None


class _Counts(msgspec.Struct, gc=False):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    total_tokens: Count | None = None
    # some servers answer in the words of chat
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    input_tokens_details: _Details | None = None
    output_tokens_details: _Details | None = None
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _Details | None = None


# lax: some relays write counts as 5.0 or "5"
_decode: Final = msgspec.json.Decoder(_Counts, strict=False).decode
_NONE: Final = _Details()


def read(raw: bytes | msgspec.Raw) -> Usage | None:
    """The tokens of a usage object; ``None`` for null, nonsense or no total at all."""
    if (counts := decoded(_decode, raw)) is None:
        return None
    into = counts.input_tokens if counts.input_tokens is not None else counts.prompt_tokens
    out = counts.output_tokens if counts.output_tokens is not None else counts.completion_tokens
    if into is None and out is None:
        return None
    total = counts.total_tokens or 0
    into = max(0, total - (out or 0)) if into is None else into
    out = max(0, total - into) if out is None else out
    given = counts.input_tokens_details or counts.prompt_tokens_details or _NONE
    made = counts.output_tokens_details or counts.completion_tokens_details or _NONE
    text = made.text_tokens or 0
    pictures = made.image_tokens if made.image_tokens is not None else max(0, out - text)
    return Usage.inclusive(
        prompt=into,
        completion=max(out, pictures),
        cached=given.cached_tokens or 0,
        image_input=given.image_tokens or 0,
        image_output=pictures,
    )


def counted(usage: Usage | None, count: int, size: str, quality: str) -> Usage | None:
    """The same with the pictures themselves; ``None`` when there are neither."""
    if not count:
        return usage
    images = (GeneratedImages(count=count, size=size, quality=quality),)
    return msgspec.structs.replace(usage or Usage(), images=images)
