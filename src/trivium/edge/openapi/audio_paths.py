"""The audio operations, one row each."""

from typing import Final

from trivium.edge.openapi.row import BEARER, Row

AUDIO: Final = (
    Row(
        method="POST",
        path="/v1/audio/speech",
        name="createSpeech",
        tag="audio",
        about="Speaks a text.",
        request="CreateSpeechRequest",
        files=("application/octet-stream",),
        event="CreateSpeechResponseStreamEvent",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/audio/transcriptions",
        name="createTranscription",
        tag="audio",
        about="Writes down what is said in a recording.",
        form="CreateTranscriptionRequest",
        answer=(
            "CreateTranscriptionResponseJson",
            "CreateTranscriptionResponseVerboseJson",
            "CreateTranscriptionResponseDiarizedJson",
        ),
        files=("text/plain",),
        event="CreateTranscriptionResponseStreamEvent",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/audio/translations",
        name="createTranslation",
        tag="audio",
        about="Writes down in English what is said in a recording.",
        form="CreateTranslationRequest",
        answer=("CreateTranslationResponseJson", "CreateTranscriptionResponseVerboseJson"),
        files=("text/plain",),
        keys=BEARER,
    ),
)
