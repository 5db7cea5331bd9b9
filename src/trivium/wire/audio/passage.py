"""The audio operations on the pass-through lane. Their answers are files as well as JSON, so what
becomes of them is in ``pipeline/audio/``; what is read of requests and watched of streams is here.
"""

from typing import Final

from trivium.wire.audio import answer, events, speech, transcript
from trivium.wire.passage import Passage

SPEECH: Final = Passage(
    facts=speech.facts,
    changes=speech.changes,
    answer=answer.answer,
    watch=events.speech_watch,
)
TRANSCRIPTIONS: Final = Passage(
    facts=transcript.transcription,
    changes=transcript.changes,
    answer=answer.answer,
    watch=events.transcript_watch,
)
TRANSLATIONS: Final = Passage(
    facts=transcript.translation, changes=transcript.changes, answer=answer.answer
)
