"""Every operation and its passage. Adding one: a shape folder, and a line here.

Those of clouds are imported when a channel or a caller first needs one.
"""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Final

from trivium.wire.audio import speech, transcript
from trivium.wire.chat.request import PASSAGE as CHAT
from trivium.wire.completions.passage import PASSAGE as COMPLETIONS
from trivium.wire.embeddings.passage import PASSAGE as EMBEDDINGS
from trivium.wire.generate import passage as generate
from trivium.wire.images import passage as images
from trivium.wire.late_rows import LateRows
from trivium.wire.messages import passage as messages
from trivium.wire.moderations.passage import PASSAGE as MODERATIONS
from trivium.wire.operation import SHAPE, Operation, Shape
from trivium.wire.passage import PassThroughSpec
from trivium.wire.rerank.passage import PASSAGE as RERANK
from trivium.wire.responses import passage as responses

LATE_PASSAGES: Final[Mapping[Operation, str]] = {
    Operation.CONVERSE: "trivium.wire.converse.passage:CONVERSE",
    Operation.CONVERSE_STREAM: "trivium.wire.converse.passage:STREAM",
    Operation.CONVERSE_COUNT: "trivium.wire.converse.passage:COUNT",
    Operation.COHERE_CHAT: "trivium.wire.cohere.passage:CHAT",
    Operation.COHERE_EMBED: "trivium.wire.cohere.passage:EMBED",
    Operation.INVOKE_EMBED: "trivium.wire.bedrock.invoked_vectors:PASSAGE",
}
PASSAGES: Final[Mapping[Operation, PassThroughSpec]] = LateRows(
    {
        Operation.CHAT: CHAT,
        Operation.RESPONSES: responses.PASSAGE,
        Operation.RESPONSES_COUNT: responses.COUNT,
        Operation.COMPLETIONS: COMPLETIONS,
        Operation.EMBEDDINGS: EMBEDDINGS,
        Operation.MODERATIONS: MODERATIONS,
        Operation.RERANK: RERANK,
        Operation.SPEECH: speech.SPEECH,
        Operation.TRANSCRIPTIONS: transcript.TRANSCRIPTIONS,
        Operation.TRANSLATIONS: transcript.TRANSLATIONS,
        Operation.IMAGES: images.PASSAGE,
        Operation.IMAGES_EDIT: images.EDIT,
        Operation.IMAGES_VARY: images.VARY,
        Operation.MESSAGES: messages.MESSAGES,
        Operation.MESSAGES_COUNT: messages.COUNT,
        Operation.GENERATE: generate.GENERATE,
        Operation.GENERATE_STREAM: generate.STREAM,
        Operation.GENERATE_COUNT: generate.COUNT,
        Operation.GENERATE_EMBED: generate.EMBED,
        Operation.GENERATE_EMBED_BATCH: generate.EMBED_BATCH,
    },
    LATE_PASSAGES,
)

LATE_CODECS: Final[Mapping[Shape, str]] = {
    Shape.CONVERSE: "trivium.wire.converse.codec:CODEC",
    Shape.COHERE: "trivium.wire.cohere.codec:CODEC",
}
"""Of ``wire/codecs.py``: those that are imported like the passages above."""


def prepare(operations: Iterable[Operation]) -> None:
    """Import what these operations take: of a channel, so that no request waits for it."""
    for operation in operations:
        PASSAGES.get(operation)
        place = LATE_CODECS.get(SHAPE[operation])
        if place is not None:
            import_module(place.partition(":")[0])
