"""The audio shape: its operations and schemas.

Source: OpenAI's OpenAPI document of 2026-08-21; formats of transcripts: the service specification.
"""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import constant, schemas
from trivium.wire.audio.speech import FORMATS as SOUNDS
from trivium.wire.audio.transcript import FORMATS, TRANSLATED

ABOUT: Final = "Speech, transcripts and translations of recordings."

OPERATIONS: Final = operations("""
audio
POST /v1/audio/speech createSpeech "Speaks a text." request=CreateSpeechRequest
  files=application/octet-stream event=CreateSpeechResponseStreamEvent
POST /v1/audio/transcriptions createTranscription "Writes down what is said in a recording."
  form=CreateTranscriptionRequest
  answer=CreateTranscriptionResponseJson|CreateTranscriptionResponseVerboseJson
  answer=CreateTranscriptionResponseDiarizedJson
  files=text/plain event=CreateTranscriptionResponseStreamEvent
POST /v1/audio/translations createTranslation "Writes down in English what is said in a recording."
  form=CreateTranslationRequest
  answer=CreateTranslationResponseJson|CreateTranscriptionResponseVerboseJson files=text/plain
""")

_KNOWN: Final = {
    "formats": constant(*FORMATS),
    "sounds": constant(*SOUNDS),
    "translated": constant(*TRANSLATED),
}


SCHEMAS: Final = schemas(
    """
model = text "A model of this gateway: see `/v1/models`."
file = text(format 'binary') "flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm, with a file
  name."
temperature = num 0..1
segment = {id: int, start!: num "Seconds.", end!: num "Seconds.", text!: text}
word = {word!: text, start!: num, end!: num}
spoken = {
  type: 'transcript.text.segment', id: text, start!: num, end!: num, text!: text, speaker!: text
}
usage = object "`{type: tokens, …}` or `{type: duration, seconds}`."
AudioResponseFormat = formats "What a model gives depends on its class (docs/audio.md)."
  = 'json'
CreateSpeechRequest = {
  model!: model, input!: text(minLength 1, maxLength 4096) "The text.",
  voice!: (text(minLength 1) "Such as alloy.") | {id!: text(minLength 1)},
  instructions: text(maxLength 4096) "How to speak.", response_format: sounds = 'mp3',
  speed: num 0.25..4 = 1, stream_format: 'sse' | 'audio' = 'audio'
}
CreateSpeechResponseStreamEvent = {type!: 'speech.audio.delta', audio!: text "Base64."}
  | {type!: 'speech.audio.done', usage: object}
CreateTranscriptionRequest = {
  file!: file, model!: model, language: text "ISO 639-1.", prompt: text,
  response_format: AudioResponseFormat, temperature: temperature, stream: bool = false,
  include: 'logprobs'[],
  timestamp_granularities: ('word' | 'segment')[] "Needs verbose_json; as
    `timestamp_granularities[]`.",
  chunking_strategy: 'auto' | object, known_speaker_names: text[..4],
  known_speaker_references: (text "A data URL.")[..4], languages: text[], keywords: text[]
}
CreateTranscriptionResponseJson = {text!: text, logprobs: object[], usage: usage}
CreateTranscriptionResponseVerboseJson = {
  task: text, language: text, duration: num | text, text!: text, segments: segment[],
  words: word[], usage: usage
}
CreateTranscriptionResponseDiarizedJson = {
  task: text, duration: num, text!: text, segments!: spoken[], usage: usage
}
CreateTranscriptionResponseStreamEvent = {type!: 'transcript.text.delta', delta!: text}
  | {type!: 'transcript.text.segment', text!: text}
  | {type!: 'transcript.text.done', text!: text}
CreateTranslationRequest = {
  file!: file, model!: model, prompt: text "In English.", response_format: translated = 'json',
  temperature: temperature
}
CreateTranslationResponseJson = {text!: text}
""",
    _KNOWN,
)
