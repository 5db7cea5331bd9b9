"""The audio operations on the pass-through lane. Their answers are files as well as JSON, so what
becomes of them is in ``pipeline/audio/``; what is read of requests and watched of streams is here.
"""

from typing import Final

from trivium.wire.audio import answer, speech, stream, transcript
from trivium.wire.openai_members import renamed
from trivium.wire.passage import PassThroughSpec

SPEECH: Final = PassThroughSpec(
    facts=speech.facts, changes=renamed, answer=answer.answer, watch=stream.speech_watch
)
TRANSCRIPTIONS: Final = PassThroughSpec(
    facts=transcript.transcription,
    changes=renamed,
    answer=answer.answer,
    watch=stream.transcript_watch,
)
TRANSLATIONS: Final = PassThroughSpec(
    facts=transcript.translation, changes=renamed, answer=answer.answer
)
