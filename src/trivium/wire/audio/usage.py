"""Usage of the audio shapes: by tokens, by seconds, by characters.

Sources: OpenAI's OpenAPI document of 2026-08-21, ``TranscriptTextUsageTokens`` and
``TranscriptTextUsageDuration`` (whose details are ``input_token_details``, not the plural that the
other shapes have) and ``SpeechAudioDoneEvent``, whose output is audio.
"""

from typing import Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.wire.answer_structs import Count
from trivium.wire.lenient import decoded


class _Details(msgspec.Struct, gc=False):
    text_tokens: Count | None = None
    audio_tokens: Count | None = None


class _Counts(msgspec.Struct, gc=False):
    input_tokens: Count | None = None
    prompt_tokens: Count | None = None
    output_tokens: Count | None = None
    completion_tokens: Count | None = None
    input_token_details: _Details | None = None
    input_tokens_details: _Details | None = None
    prompt_tokens_details: _Details | None = None
    seconds: float | None = None


_decode: Final = msgspec.json.Decoder(_Counts, strict=False).decode
_NONE: Final = _Details()


def reported(raw: bytes | msgspec.Raw, *, spoken: bool = False) -> Usage | None:
    """The record of a usage object; ``None`` for null, nonsense or no count at all.

    ``spoken``: output tokens are audio.
    """
    if not raw:
        return None
    if (counts := decoded(_decode, raw)) is None:
        return None
    given = _first(counts.input_tokens, counts.prompt_tokens)
    made = _first(counts.output_tokens, counts.completion_tokens)
    if given is None and made is None:
        seconds = counts.seconds
        return None if seconds is None or seconds < 0 else Usage(seconds=seconds)
    details = (
        counts.input_token_details
        or counts.input_tokens_details
        or counts.prompt_tokens_details
        or _NONE
    )
    found = Usage.inclusive(
        prompt=given or 0,
        completion=made or 0,
        audio_input=details.audio_tokens or 0,
        audio_output=(made or 0) if spoken else 0,
    )
    return msgspec.structs.replace(found, seconds=counts.seconds)


def complete(known: Usage, found: Usage | None) -> Usage:
    """What a vendor reported, with what the request itself says where it is silent."""
    if found is None:
        return known
    seconds, estimated = found.seconds, found.estimated
    if seconds is None or not _can_be(seconds, known):
        seconds, estimated = known.seconds, estimated or known.estimated
    return msgspec.structs.replace(
        found, seconds=seconds, characters=known.characters, estimated=estimated
    )


def _can_be(seconds: float, known: Usage) -> bool:
    """Whether a vendor's count of a recording fits what we measured: some round up or have a least
    length that they bill, some leave silence out.
    """
    if known.seconds is None:
        return True
    return seconds > 0 and (known.estimated or seconds <= 2 * known.seconds + 60)


def _first(one: int | None, other: int | None) -> int | None:
    return other if one is None else one
