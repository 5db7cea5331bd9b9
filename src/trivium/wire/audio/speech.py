"""What a speech request says about itself, and what is replaced on its way.

Limits: OpenAI's OpenAPI document of 2026-08-21, ``CreateSpeechRequest``.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.wire import openai_shapes
from trivium.wire.audio.answer import answer
from trivium.wire.audio.stream import speech_watch
from trivium.wire.checks import missing, mistyped, wrong
from trivium.wire.form import number
from trivium.wire.passage import PassThroughSpec, RequestFacts
from trivium.wire.peek import Members

INPUT_MAX: Final = 4096
"""Characters of the text, and of the instructions."""
SPEED: Final = (0.25, 4.0)
FORMATS: Final = ("mp3", "opus", "aac", "flac", "wav", "pcm")
DEFAULT: Final = "mp3"
STREAMS: Final = ("sse", "audio")

OCTETS: Final = b"application/octet-stream"
TYPES: Final[Mapping[str, bytes]] = {
    "mp3": b"audio/mpeg",
    "opus": b"audio/ogg",
    "aac": b"audio/aac",
    "flac": b"audio/flac",
    "wav": b"audio/wav",
    "pcm": b"audio/pcm",
}


class SpeechRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A speech request, read."""

    text: str
    voice: str
    """A name, or the id of a voice of one's own."""
    format: str
    instructions: str = ""
    speed: float = 1.0
    stream: bool = False
    """Whether events are wanted instead of the sound itself."""


def read_request(body: Members) -> SpeechRequest:
    """Read and check a speech request. Raises ``Fault`` naming the member."""
    instructions = body.string("instructions") or ""
    if len(instructions) > INPUT_MAX:
        raise wrong("instructions", f"have at most {INPUT_MAX} characters")
    speed = number(body, "speed")
    if speed is not None and not SPEED[0] <= speed <= SPEED[1]:
        raise wrong("speed", f"be from {SPEED[0]} to {SPEED[1]}")
    return SpeechRequest(
        text=_text(body),
        voice=_voice(body),
        format=one_of(body, "response_format", FORMATS) or DEFAULT,
        instructions=instructions,
        speed=1.0 if speed is None else speed,
        stream=one_of(body, "stream_format", STREAMS) == "sse",
    )


def facts(body: Members) -> RequestFacts:
    """What a speech request says about itself. Raises ``Fault`` naming the member."""
    model = body.needed("model")
    asked = read_request(body)
    known = Usage(characters=len(asked.text))
    return RequestFacts(model=model, stream=asked.stream, known=known)


def one_of(body: Members, name: str, values: tuple[str, ...]) -> str | None:
    """A member that is one of a few texts; ``None`` when absent or empty. Raises INVALID_VALUE."""
    value = body.string(name)
    if not value:
        return None
    if value not in values:
        raise wrong(name, f"be one of {', '.join(values)}")
    return value


def content_type(asked: str, accept: bytes, upstream: bytes) -> bytes:
    """How a recording is labelled: as the specification has it, unless the caller asks for sound.

    ``accept`` is the caller's header: one that names ``audio/…`` wants the type of the format, or
    the upstream's own where it has one. The SDKs name ``application/octet-stream``.
    """
    if b"audio/" not in accept.lower():
        return OCTETS
    return upstream if upstream.lower().startswith(b"audio/") else TYPES[asked]


def _text(body: Members) -> str:
    text = body.string("input")
    if text is None:
        raise missing("input")
    if not text.strip():
        raise wrong("input", "not be empty")
    if len(text) > INPUT_MAX:
        raise wrong("input", f"have at most {INPUT_MAX} characters; it has {len(text)}")
    return text


def _voice(body: Members) -> str:
    value = body.value("voice")
    if value is None:
        raise missing("voice")
    if isinstance(value, dict):
        value = value.get("id")
        if not isinstance(value, str) or not value:
            raise missing("voice.id")
    if not isinstance(value, str):
        raise mistyped("voice", 'be a name, such as "alloy", or an object {"id": "…"}')
    if not value:
        raise wrong("voice", "not be empty")
    return value


SPEECH: Final = PassThroughSpec(
    facts=facts, changes=openai_shapes.renamed, answer=answer, watch=speech_watch
)
