"""Every operation and its passage. Adding one: a shape folder, and a line here."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from trivium.wire.audio import speech, transcript
from trivium.wire.bedrock.invoked_vectors import PASSAGE as INVOKE_EMBED
from trivium.wire.chat.request import PASSAGE as CHAT
from trivium.wire.cohere import passage as cohere
from trivium.wire.completions.passage import PASSAGE as COMPLETIONS
from trivium.wire.converse import passage as converse
from trivium.wire.embeddings.passage import PASSAGE as EMBEDDINGS
from trivium.wire.generate import passage as generate
from trivium.wire.images import passage as images
from trivium.wire.messages import passage as messages
from trivium.wire.moderations.passage import PASSAGE as MODERATIONS
from trivium.wire.operation import Operation
from trivium.wire.passage import PassThroughSpec
from trivium.wire.rerank.passage import PASSAGE as RERANK
from trivium.wire.responses import passage as responses

PASSAGES: Final[Mapping[Operation, PassThroughSpec]] = MappingProxyType(
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
        Operation.CONVERSE: converse.CONVERSE,
        Operation.CONVERSE_STREAM: converse.STREAM,
        Operation.CONVERSE_COUNT: converse.COUNT,
        Operation.COHERE_CHAT: cohere.CHAT,
        Operation.COHERE_EMBED: cohere.EMBED,
        Operation.INVOKE_EMBED: INVOKE_EMBED,
    }
)
