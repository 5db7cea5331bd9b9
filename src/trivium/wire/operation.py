"""The operations a caller can invoke, and the shape each is written in.

A *shape* is a public wire protocol; an *operation* is one thing asked for in that shape. Routes,
providers, plans and records all name operations by these words.
"""

from enum import Enum, unique
from typing import Final


@unique
class Shape(Enum):
    """A public wire protocol. Decides how errors and streams are written."""

    CHAT = "chat"
    RESPONSES = "responses"
    MESSAGES = "messages"
    GENERATE = "generate"
    COMPLETIONS = "completions"
    EMBEDDINGS = "embeddings"
    MODERATIONS = "moderations"
    VIDEOS = "videos"
    IMAGES = "images"
    AUDIO = "audio"

    # HOT: members are singletons; Enum's own hash is a Python function, five calls a request
    __hash__ = object.__hash__


@unique
class Operation(Enum):
    """One thing a caller can ask a model for."""

    CHAT = "chat"
    RESPONSES = "responses"
    COMPLETIONS = "completions"
    EMBEDDINGS = "embeddings"
    MODERATIONS = "moderations"
    IMAGES = "images"  # POST /v1/images/generations
    IMAGES_EDIT = "images_edit"
    IMAGES_VARY = "images_vary"
    VIDEOS = "videos"  # POST /v1/videos, and whatever is asked of a video later
    SPEECH = "speech"  # POST /v1/audio/speech
    TRANSCRIPTIONS = "transcriptions"  # POST /v1/audio/transcriptions
    TRANSLATIONS = "translations"  # POST /v1/audio/translations
    RESPONSES_COUNT = "responses_count"  # POST /v1/responses/input_tokens
    MESSAGES = "messages"
    MESSAGES_COUNT = "messages_count"  # POST /v1/messages/count_tokens
    GENERATE = "generate"  # :generateContent
    GENERATE_STREAM = "generate_stream"  # :streamGenerateContent
    GENERATE_COUNT = "generate_count"  # :countTokens
    GENERATE_EMBED = "generate_embed"  # :embedContent
    GENERATE_EMBED_BATCH = "generate_embed_batch"  # :batchEmbedContents
    GENERATE_VIDEO = "generate_video"  # :predictLongRunning; upstream only

    __hash__ = object.__hash__  # as above


SHAPE: Final[dict[Operation, Shape]] = {
    Operation.CHAT: Shape.CHAT,
    Operation.RESPONSES: Shape.RESPONSES,
    Operation.COMPLETIONS: Shape.COMPLETIONS,
    Operation.EMBEDDINGS: Shape.EMBEDDINGS,
    Operation.MODERATIONS: Shape.MODERATIONS,
    Operation.SPEECH: Shape.AUDIO,
    Operation.TRANSCRIPTIONS: Shape.AUDIO,
    Operation.TRANSLATIONS: Shape.AUDIO,
    Operation.MESSAGES: Shape.MESSAGES,
    Operation.RESPONSES_COUNT: Shape.RESPONSES,
    Operation.MESSAGES_COUNT: Shape.MESSAGES,
    Operation.GENERATE: Shape.GENERATE,
    Operation.GENERATE_STREAM: Shape.GENERATE,
    Operation.GENERATE_COUNT: Shape.GENERATE,
    Operation.GENERATE_EMBED: Shape.GENERATE,
    Operation.GENERATE_EMBED_BATCH: Shape.GENERATE,
    Operation.GENERATE_VIDEO: Shape.GENERATE,
    Operation.VIDEOS: Shape.VIDEOS,
    Operation.IMAGES: Shape.IMAGES,
    Operation.IMAGES_EDIT: Shape.IMAGES,
    Operation.IMAGES_VARY: Shape.IMAGES,
}
"""The shape each operation is written in."""

CONVERSATION: Final = frozenset({Shape.CHAT, Shape.RESPONSES, Shape.MESSAGES, Shape.GENERATE})
"""Shapes that carry a conversation, and that a binding's ``shape`` setting may name."""

TRANSLATED: Final = frozenset(
    {
        Operation.CHAT,
        Operation.RESPONSES,
        Operation.MESSAGES,
        Operation.GENERATE,
        Operation.GENERATE_STREAM,
    }
)
"""Operations that any upstream of a conversation shape can serve through translation, and that
such an upstream itself is asked for."""

COUNTING: Final = frozenset(
    {Operation.RESPONSES_COUNT, Operation.MESSAGES_COUNT, Operation.GENERATE_COUNT}
)
"""Counts of tokens: free of charge, and answered by an estimate where no upstream counts."""

LASTING: Final = frozenset({Operation.VIDEOS, Operation.GENERATE_VIDEO})
"""Work that outlives its request: jobs are made of it, and it has no passage."""

FORMS_ONLY: Final = frozenset(
    {Operation.TRANSCRIPTIONS, Operation.TRANSLATIONS, Operation.IMAGES_VARY}
)
"""Operations whose request is a form and nothing else: it has a file."""

DRAWING: Final = frozenset({Operation.IMAGES, Operation.IMAGES_EDIT, Operation.IMAGES_VARY})
"""Pictures out of words and other pictures."""

EMBEDDING: Final = frozenset(
    {Operation.EMBEDDINGS, Operation.GENERATE_EMBED, Operation.GENERATE_EMBED_BATCH}
)
"""Texts into vectors."""

AUDIO: Final = frozenset({Operation.SPEECH, Operation.TRANSCRIPTIONS, Operation.TRANSLATIONS})
"""Operations whose request or answer is a file: they have lanes of their own
(``pipeline/media.py``)."""

IN_PLACE: Final[dict[Operation, tuple[Operation, ...]]] = {
    Operation.EMBEDDINGS: (Operation.GENERATE_EMBED_BATCH,),
    Operation.GENERATE_EMBED: (Operation.EMBEDDINGS,),
    Operation.GENERATE_EMBED_BATCH: (Operation.EMBEDDINGS,),
    Operation.VIDEOS: (Operation.GENERATE_VIDEO,),
    Operation.SPEECH: (Operation.GENERATE,),
    Operation.RESPONSES_COUNT: (Operation.MESSAGES_COUNT, Operation.GENERATE_COUNT),
    Operation.MESSAGES_COUNT: (Operation.GENERATE_COUNT, Operation.RESPONSES_COUNT),
    Operation.GENERATE_COUNT: (Operation.MESSAGES_COUNT, Operation.RESPONSES_COUNT),
}
"""What an upstream without an operation is asked for in its place, the best first."""


def served(native: frozenset[Operation]) -> frozenset[Operation]:
    """What callers can ask of upstreams that have these operations themselves."""
    found = native | {asked for asked, others in IN_PLACE.items() if not native.isdisjoint(others)}
    if native & TRANSLATED:
        found |= TRANSLATED | COUNTING | {Operation.COMPLETIONS}
    return found
