"""What is read of a Converse request's JSON; what a form does not list is skimmed.

Of a union, of which one member is there, the members are read by name: ``values.only``.
Source: ``bedrock-runtime`` of botocore 1.44 (``service-2.json``), read on 2026-11-28.
"""

from typing import Final

import msgspec

from trivium.conversation.request import Extension, ReasoningSettings, ResponseFormat

_ABSENT: Final = msgspec.Raw()


class ConverseTurn(msgspec.Struct, gc=False):
    """One entry of ``messages``: a role and its blocks."""

    role: str
    content: list[msgspec.Raw] | None = None


class MediaBlock(msgspec.Struct, gc=False):
    """An ``image``, a ``video`` or an ``audio``."""

    format: str | None = None
    source: dict[str, msgspec.Raw] | None = None
    error: msgspec.Raw = _ABSENT


class CitationsConfig(msgspec.Struct, gc=False):
    """Whether a document or a search result may be cited."""

    enabled: bool | None = None


class DocumentBlock(msgspec.Struct, gc=False):
    """A ``document`` block: its name, its format and where its bytes are."""

    name: str | None = None
    format: str | None = None
    source: dict[str, msgspec.Raw] | None = None
    context: str | None = None
    citations: CitationsConfig | None = None


class ConverseText(msgspec.Struct, gc=False):
    """A piece of text inside a document, a search result or a cited answer."""

    text: str | None = None


class SearchResultBlock(msgspec.Struct, gc=False):
    """A ``searchResult`` block: a source with its texts, which may be cited."""

    source: str | None = None
    title: str | None = None
    content: list[ConverseText] | None = None
    citations: CitationsConfig | None = None


class BucketPlace(msgspec.Struct, gc=False):
    """Where a file lies in S3."""

    uri: str | None = None
    bucketOwner: str | None = None  # noqa: N815 - the wire's spelling, here and below


class ToolUseBlock(msgspec.Struct, gc=False):
    """A ``toolUse``: a call of the model's."""

    toolUseId: str | None = None  # noqa: N815
    name: str | None = None
    input: msgspec.Raw = _ABSENT
    type: str | None = None


class ToolResultBlock(msgspec.Struct, gc=False):
    """A ``toolResult`` block: what a call came to, and whether it failed."""

    toolUseId: str | None = None  # noqa: N815
    content: list[msgspec.Raw] | None = None
    status: str | None = None
    type: str | None = None


class CachePoint(msgspec.Struct, gc=False):
    """A ``cachePoint``: everything before it is to be cached."""

    type: str | None = None
    ttl: str | None = None


class ReasoningTextBlock(msgspec.Struct, gc=False):
    """A ``reasoningText``: thoughts in words, and the signature that vouches for them."""

    text: str | None = None
    signature: str | None = None


class GuardedText(msgspec.Struct, gc=False):
    """The ``text`` of a ``guardContent``."""

    text: str | None = None


class CitationsContentBlock(msgspec.Struct, gc=False):
    """A ``citationsContent``: text of an answer with its sources."""

    content: list[ConverseText] | None = None
    citations: msgspec.Raw = _ABSENT


class InferenceConfig(msgspec.Struct, gc=False):
    """Limits and sampling, which stand in ``inferenceConfig``."""

    maxTokens: int | None = None  # noqa: N815
    temperature: float | None = None
    topP: float | None = None  # noqa: N815
    stopSequences: list[str] | None = None  # noqa: N815


class InferenceLimit(msgspec.Struct, gc=False):
    """Of ``inferenceConfig`` what an answer may come to."""

    maxTokens: int | None = None  # noqa: N815


class ToolConfig(msgspec.Struct, gc=False):
    """Tools and the choice between them, which stand in ``toolConfig``."""

    tools: list[msgspec.Raw] | None = None
    toolChoice: dict[str, msgspec.Raw] | None = None  # noqa: N815


class ToolSpec(msgspec.Struct, gc=False):
    """A ``toolSpec``: a function that the caller runs."""

    name: str | None = None
    description: str | None = None
    inputSchema: dict[str, msgspec.Raw] | None = None  # noqa: N815
    strict: bool | None = None


class ToolName(msgspec.Struct, gc=False):
    """A ``systemTool``, or the one tool that must be called."""

    name: str | None = None


class JsonSchemaMember(msgspec.Struct, gc=False):
    """The schema of an answer, as a text that holds JSON."""

    schema: str | None = None
    name: str | None = None
    description: str | None = None


class TextFormat(msgspec.Struct, gc=False):
    """How the text of an answer is to be written."""

    type: str | None = None
    structure: dict[str, msgspec.Raw] | None = None


class ConverseOutputConfig(msgspec.Struct, gc=False):
    """The wanted form of an answer and its effort, which stand in ``outputConfig``."""

    textFormat: TextFormat | None = None  # noqa: N815
    effort: str | None = None


class ConverseTier(msgspec.Struct, gc=False):
    """The tier that is asked for: ``serviceTier`` has its name in ``type``."""

    type: str | None = None


class Performance(msgspec.Struct, gc=False):
    """Whether latency is to be optimised, as ``performanceConfig`` says it."""

    latency: str | None = None


class ModelThinking(msgspec.Struct, gc=False):
    """``thinking`` of the additional fields, as Claude has it; also ``reasoning_config``."""

    type: str | None = None
    budget_tokens: int | None = None
    display: str | None = None


class ModelReasoning(msgspec.Struct, gc=False):
    """``reasoningConfig`` of the additional fields, as Nova has it."""

    type: str | None = None
    maxReasoningEffort: str | None = None  # noqa: N815


class ModelOutput(msgspec.Struct, gc=False):
    """``output_config`` of the additional fields, as Claude has it."""

    effort: str | None = None
    format: msgspec.Raw = _ABSENT
    task_budget: msgspec.Raw = _ABSENT


class ModelFields(msgspec.Struct, gc=False):
    """What was found in the additional fields."""

    reasoning: ReasoningSettings | None = None
    format: ResponseFormat | None = None
    top_k: int | None = None
    extensions: list[Extension] = msgspec.field(default_factory=list)
