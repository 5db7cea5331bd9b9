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
    MESSAGES = "messages"
    MESSAGES_COUNT = "messages_count"  # POST /v1/messages/count_tokens
    GENERATE = "generate"  # :generateContent
    GENERATE_STREAM = "generate_stream"  # :streamGenerateContent
    GENERATE_COUNT = "generate_count"  # :countTokens
    GENERATE_EMBED = "generate_embed"  # :embedContent
    GENERATE_EMBED_BATCH = "generate_embed_batch"  # :batchEmbedContents

    __hash__ = object.__hash__  # as above


SHAPE: Final[dict[Operation, Shape]] = {
    Operation.CHAT: Shape.CHAT,
    Operation.RESPONSES: Shape.RESPONSES,
    Operation.COMPLETIONS: Shape.COMPLETIONS,
    Operation.EMBEDDINGS: Shape.EMBEDDINGS,
    Operation.MODERATIONS: Shape.MODERATIONS,
    Operation.MESSAGES: Shape.MESSAGES,
    Operation.MESSAGES_COUNT: Shape.MESSAGES,
    Operation.GENERATE: Shape.GENERATE,
    Operation.GENERATE_STREAM: Shape.GENERATE,
    Operation.GENERATE_COUNT: Shape.GENERATE,
    Operation.GENERATE_EMBED: Shape.GENERATE,
    Operation.GENERATE_EMBED_BATCH: Shape.GENERATE,
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
"""Operations that any upstream of a conversation shape can serve through translation."""
