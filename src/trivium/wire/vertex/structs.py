"""What is read of Vertex AI's predict, and of what it is answered from."""

from typing import Any

import msgspec

_ABSENT = msgspec.Raw()


class EmbeddingInstance(msgspec.Struct):
    """One text to be embedded."""

    content: Any = None
    task_type: Any = None
    title: Any = None
    taskType: Any = None  # noqa: N815 - the vendor's spelling
    prompt: Any = None
    """Of a request for a picture."""


class EmbeddingParameters(msgspec.Struct):
    """What holds for all of them."""

    outputDimensionality: Any = None  # noqa: N815 - the vendor's spelling
    output_dimensionality: Any = None
    autoTruncate: Any = None  # noqa: N815 - the vendor's spelling
    auto_truncate: Any = None


class ContentVector(msgspec.Struct, gc=False):
    """What one embedded content came to; empty: the answer had no numbers."""

    values: list[float] = []


class EmbeddedContent(msgspec.Struct, gc=False):
    """An answer of embedContent."""

    embedding: ContentVector = msgspec.field(default_factory=ContentVector)
    usageMetadata: Any = None  # noqa: N815 - the vendor's spelling
    error: msgspec.Raw = _ABSENT


class EmbeddedText(msgspec.Struct, gc=False):
    """One vector of an answer, as it is written there."""

    values: msgspec.Raw = _ABSENT


class EmbeddedTexts(msgspec.Struct, gc=False):
    """The vectors of an answer, in the order of the texts that were asked about."""

    embeddings: list[EmbeddedText]
