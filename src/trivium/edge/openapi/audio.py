"""The audio shape: its operations and schemas.

Source: OpenAI's OpenAPI document of 2026-08-21; formats of transcripts: the service specification.
"""

from typing import Final

from trivium.edge.openapi.row import relayed
from trivium.edge.openapi.schema import (
    Schema,
    array,
    boolean,
    either,
    free,
    integer,
    number,
    one_of,
    record,
    ref,
    text,
    with_default,
)
from trivium.wire.audio.speech import FORMATS as SOUNDS
from trivium.wire.audio.transcript import FORMATS, TRANSLATED
from trivium.wire.operation import Operation

ABOUT: Final = "Speech, transcripts and translations of recordings."

OPERATIONS: Final = (
    relayed(
        Operation.SPEECH,
        name="createSpeech",
        about="Speaks a text.",
        request="CreateSpeechRequest",
        files=("application/octet-stream",),
        event="CreateSpeechResponseStreamEvent",
    ),
    relayed(
        Operation.TRANSCRIPTIONS,
        name="createTranscription",
        about="Writes down what is said in a recording.",
        form="CreateTranscriptionRequest",
        answer=(
            "CreateTranscriptionResponseJson",
            "CreateTranscriptionResponseVerboseJson",
            "CreateTranscriptionResponseDiarizedJson",
        ),
        files=("text/plain",),
        event="CreateTranscriptionResponseStreamEvent",
    ),
    relayed(
        Operation.TRANSLATIONS,
        name="createTranslation",
        about="Writes down in English what is said in a recording.",
        form="CreateTranslationRequest",
        answer=("CreateTranslationResponseJson", "CreateTranscriptionResponseVerboseJson"),
        files=("text/plain",),
    ),
)

_MODEL: Final = text("A model of this gateway: see `/v1/models`.")
_FILE: Final = text(
    "flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm, with a file name.", format="binary"
)
_TEMPERATURE: Final = number(low=0, high=1)
_SEGMENT: Final = record(
    {
        "id": integer(),
        "start": number("Seconds."),
        "end": number("Seconds."),
        "text": text(),
    },
    ("start", "end", "text"),
)
_WORD: Final = record(
    {"word": text(), "start": number(), "end": number()}, ("word", "start", "end")
)
_SPOKEN: Final = record(
    {
        "type": one_of("transcript.text.segment"),
        "id": text(),
        "start": number(),
        "end": number(),
        "text": text(),
        "speaker": text(),
    },
    ("start", "end", "text", "speaker"),
)
_USAGE: Final = free("`{type: tokens, …}` or `{type: duration, seconds}`.")

SCHEMAS: Final[dict[str, Schema]] = {
    "AudioResponseFormat": with_default(
        one_of(*FORMATS, about="What a model gives depends on its class (docs/audio.md)."), "json"
    ),
    "CreateSpeechRequest": record(
        {
            "model": _MODEL,
            "input": text("The text.", minLength=1, maxLength=4096),
            "voice": either(
                text("Such as alloy.", minLength=1), record({"id": text(minLength=1)}, ("id",))
            ),
            "instructions": text("How to speak.", maxLength=4096),
            "response_format": with_default(one_of(*SOUNDS), "mp3"),
            "speed": with_default(number(low=0.25, high=4), 1),
            "stream_format": with_default(one_of("sse", "audio"), "audio"),
        },
        ("model", "input", "voice"),
    ),
    "CreateSpeechResponseStreamEvent": either(
        record({"type": one_of("speech.audio.delta"), "audio": text("Base64.")}, ("type", "audio")),
        record({"type": one_of("speech.audio.done"), "usage": free()}, ("type",)),
    ),
    "CreateTranscriptionRequest": record(
        {
            "file": _FILE,
            "model": _MODEL,
            "language": text("ISO 639-1."),
            "prompt": text(),
            "response_format": ref("AudioResponseFormat"),
            "temperature": _TEMPERATURE,
            "stream": with_default(boolean(), False),
            "include": array(one_of("logprobs")),
            "timestamp_granularities": array(
                one_of("word", "segment"), "Needs verbose_json; as `timestamp_granularities[]`."
            ),
            "chunking_strategy": either(one_of("auto"), free()),
            "known_speaker_names": array(text(), high=4),
            "known_speaker_references": array(text("A data URL."), high=4),
            "languages": array(text()),
            "keywords": array(text()),
        },
        ("file", "model"),
    ),
    "CreateTranscriptionResponseJson": record(
        {"text": text(), "logprobs": array(free()), "usage": _USAGE}, ("text",)
    ),
    "CreateTranscriptionResponseVerboseJson": record(
        {
            "task": text(),
            "language": text(),
            "duration": either(number(), text()),
            "text": text(),
            "segments": array(_SEGMENT),
            "words": array(_WORD),
            "usage": _USAGE,
        },
        ("text",),
    ),
    "CreateTranscriptionResponseDiarizedJson": record(
        {
            "task": text(),
            "duration": number(),
            "text": text(),
            "segments": array(_SPOKEN),
            "usage": _USAGE,
        },
        ("text", "segments"),
    ),
    "CreateTranscriptionResponseStreamEvent": either(
        record({"type": one_of("transcript.text.delta"), "delta": text()}, ("type", "delta")),
        record({"type": one_of("transcript.text.segment"), "text": text()}, ("type", "text")),
        record({"type": one_of("transcript.text.done"), "text": text()}, ("type", "text")),
    ),
    "CreateTranslationRequest": record(
        {
            "file": _FILE,
            "model": _MODEL,
            "prompt": text("In English."),
            "response_format": with_default(one_of(*TRANSLATED), "json"),
            "temperature": _TEMPERATURE,
        },
        ("file", "model"),
    ),
    "CreateTranslationResponseJson": record({"text": text()}, ("text",)),
}
