"""What a request for a transcription or a translation says about itself.

Fields and limits: OpenAI's OpenAPI document of 2026-08-21, ``CreateTranscriptionRequest`` and
``CreateTranslationRequest``; formats: the service specification. What single models take of it is
in ``providers/audio.toml``.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.audio.answer import answer
from trivium.wire.audio.speech import one_of
from trivium.wire.audio.stream import transcript_watch
from trivium.wire.checks import uncarried, wrong
from trivium.wire.form import FormMembers, flag, form_of, number, texts
from trivium.wire.openai_shapes import renamed
from trivium.wire.passage import PassThroughSpec, RequestFacts
from trivium.wire.peek import Members

FORMATS: Final = ("json", "text", "srt", "verbose_json", "vtt", "diarized_json")
TRANSLATED: Final = FORMATS[:-1]
DEFAULT: Final = "json"
GRANULARITIES: Final = ("word", "segment")
SPEAKERS_MAX: Final = 4
OWN: Final = ("model", "response_format", "stream")
"""Fields that the gateway may write anew for an upstream."""


class TranscriptRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a transcription, read."""

    format: str
    stream: bool = False
    present: frozenset[str] = frozenset()
    """Names of the fields that are there, without brackets."""


def read_request(body: FormMembers, formats: tuple[str, ...] = FORMATS) -> TranscriptRequest:
    """Read and check a request. Raises ``Fault`` naming the member."""
    body.file("file")
    asked = one_of(body, "response_format", formats) or DEFAULT
    temperature = number(body, "temperature")
    if temperature is not None and not 0 <= temperature <= 1:
        raise wrong("temperature", "be from 0 to 1")
    stream = flag(body, "stream")
    if stream and asked not in ("json", "text", "diarized_json"):
        raise wrong("response_format", "be json, text or diarized_json when `stream` is true")
    _granularities(body, asked)
    _included(body, asked)
    _speakers(body)
    return TranscriptRequest(
        format=asked, stream=stream, present=frozenset(name for name, _ in body.pairs)
    )


def transcription(body: Members) -> RequestFacts:
    """What a transcription says about itself. Raises ``Fault`` naming the member."""
    form = form_of(body, "/v1/audio/transcriptions")
    model = form.needed("model")
    return RequestFacts(model=model, stream=read_request(form).stream, known=known(form))


def translation(body: Members) -> RequestFacts:
    """What a translation says about itself; it never streams. Raises ``Fault``."""
    form = form_of(body, "/v1/audio/translations")
    model = form.needed("model")
    if flag(form, "stream"):
        raise uncarried("stream", "Translations do not stream: leave `stream` out.")
    read_request(form, TRANSLATED)
    return RequestFacts(model=model, known=known(form))


def known(form: FormMembers) -> Usage:
    """What is used whatever the upstream says: the seconds of the recording."""
    if form.length is None:
        return Usage()
    seconds, estimated = form.length
    return Usage(seconds=seconds, estimated=estimated)


def _granularities(body: Members, asked: str) -> None:
    wanted = texts(body, "timestamp_granularities")
    for one in wanted:
        if one not in GRANULARITIES:
            raise wrong("timestamp_granularities", f"hold only {', '.join(GRANULARITIES)}")
    if wanted and asked != "verbose_json":
        raise Fault(
            Kind.INVALID_VALUE,
            "`timestamp_granularities` needs `response_format` to be verbose_json.",
            param="timestamp_granularities",
        )


def _included(body: Members, asked: str) -> None:
    wanted = texts(body, "include")
    for one in wanted:
        if one != "logprobs":
            raise wrong("include", "hold only logprobs")
    if wanted and asked != "json":
        raise Fault(
            Kind.INVALID_VALUE, "`include` needs `response_format` to be json.", param="include"
        )


def _speakers(body: Members) -> None:
    names = texts(body, "known_speaker_names")
    samples = texts(body, "known_speaker_references")
    for name, found in (("known_speaker_names", names), ("known_speaker_references", samples)):
        if len(found) > SPEAKERS_MAX:
            raise wrong(name, f"hold at most {SPEAKERS_MAX}")
    if len(names) != len(samples):
        raise wrong("known_speaker_references", "be as many as `known_speaker_names`")
    for sample in samples:
        if not sample.startswith("data:"):
            raise wrong("known_speaker_references", "hold data URLs: `data:audio/wav;base64,…`")


def chunked(body: Members) -> Any:
    """What is said of cutting the recording; ``None`` for nothing."""
    return body.value("chunking_strategy")


TRANSCRIPTIONS: Final = PassThroughSpec(
    facts=transcription, changes=renamed, answer=answer, watch=transcript_watch
)
TRANSLATIONS: Final = PassThroughSpec(facts=translation, changes=renamed, answer=answer)
