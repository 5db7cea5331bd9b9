"""The ladder as a table: every member of a request, what each shape calls it, and its rank.

Readers fill the canonical field, writers the target's member. A concept that the target has not,
or that its model refuses, is dropped by its rank (``honesty.Rank``): ``lacking`` says so to a
report, in the caller's own spelling. Sources: docs/translation-model.md.
"""

from collections.abc import Mapping
from enum import Enum, unique
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from trivium.conversation.losses import DropAction, Rank, Report
from trivium.conversation.parts import Native
from trivium.conversation.request import ResponseFormat
from trivium.conversation.tools import ServerTool, Tool


class MemberRow(NamedTuple):
    """One row of the table: a concept, its rank, and its member in each shape."""

    field: str
    """Field of ``Conversation``, or of the struct in it."""
    rank: Rank
    members: Mapping[str, str]
    """Member of the body by the shape's name; shapes that have none are not in it."""


@unique
class Concept(Enum):
    """Everything that a caller can ask for."""

    INSTRUCTIONS = "instructions"
    HISTORY = "history"
    PARTICIPANT = "participant"
    PHASE = "phase"
    TOOLS = "tools"
    STRICT_TOOL = "strict_tool"
    TOOL_CHOICE = "tool_choice"
    PARALLEL = "parallel"
    RESULT_ERROR = "result_error"
    TEMPERATURE = "temperature"
    TOP_P = "top_p"
    TOP_K = "top_k"
    FREQUENCY_PENALTY = "frequency_penalty"
    PRESENCE_PENALTY = "presence_penalty"
    SEED = "seed"
    LOGIT_BIAS = "logit_bias"
    OUTPUT_MAX = "output_max"
    STOP = "stop"
    REASONING = "reasoning"
    REASONING_STATE = "reasoning_state"
    FORMAT = "format"
    VERBOSITY = "verbosity"
    MODALITIES = "modalities"
    AUDIO = "audio"
    CANDIDATES = "candidates"
    LOGPROBS = "logprobs"
    TOP_LOGPROBS = "top_logprobs"
    METADATA = "metadata"
    USER = "user"
    SAFETY_ID = "safety_id"
    CACHE_KEY = "cache_key"
    CACHE_MARK = "cache_mark"
    SERVICE_TIER = "service_tier"
    STORE = "store"
    IMAGE = "image"
    DETAIL = "detail"
    AUDIO_INPUT = "audio_input"
    VIDEO_INPUT = "video_input"
    DOCUMENT = "document"
    DOCUMENT_URL = "document_url"
    DOCUMENT_TITLE = "document_title"
    FILE_ID = "file_id"
    CITATION = "citation"
    VENDOR_TOOL = "vendor_tool"
    VENDOR_PART = "vendor_part"

    __hash__ = object.__hash__


_C, _H, _B = Rank.CONTRACT, Rank.HINT, Rank.BOOKKEEPING
_G: Final = "generationConfig."
_COLUMNS: Final = ("chat", "responses", "messages", "generate")


def _row(field: str, rank: Rank, *members: str | None) -> MemberRow:
    """A row of the public shapes, in the order of ``_COLUMNS``; ``None``: the shape has none."""
    named = zip(_COLUMNS, members, strict=True)
    return MemberRow(field, rank, {shape: name for shape, name in named if name is not None})


ROWS: Final = MappingProxyType(
    {
        Concept.INSTRUCTIONS: _row(
            "instructions", _C, "messages", "instructions", "system", "systemInstruction"
        ),
        Concept.HISTORY: _row("turns", _C, "messages", "input", "messages", "contents"),
        Concept.PARTICIPANT: _row("Turn.name", _H, "messages[].name", None, None, None),
        Concept.PHASE: _row("Turn.phase", _H, None, "input[].phase", None, None),
        Concept.TOOLS: _row("tools", _C, "tools", "tools", "tools", "tools"),
        Concept.STRICT_TOOL: _row(
            "FunctionTool.strict",
            _H,
            "tools[].function.strict",
            "tools[].strict",
            "tools[].strict",
            None,
        ),
        Concept.TOOL_CHOICE: _row(
            "tool_choice", _C, "tool_choice", "tool_choice", "tool_choice", "toolConfig"
        ),
        Concept.PARALLEL: _row(
            "parallel_calls",
            _H,
            "parallel_tool_calls",
            "parallel_tool_calls",
            "tool_choice.disable_parallel_tool_use",
            None,
        ),
        Concept.RESULT_ERROR: _row(
            "ToolResult.error",
            _H,
            None,
            None,
            "messages[].content[].is_error",
            "functionResponse.response",
        ),
        Concept.TEMPERATURE: _row(
            "Sampling.temperature",
            _H,
            "temperature",
            "temperature",
            "temperature",
            _G + "temperature",
        ),
        Concept.TOP_P: _row("Sampling.top_p", _H, "top_p", "top_p", "top_p", _G + "topP"),
        Concept.TOP_K: _row("Sampling.top_k", _H, None, None, "top_k", _G + "topK"),
        Concept.FREQUENCY_PENALTY: _row(
            "Sampling.frequency_penalty",
            _H,
            "frequency_penalty",
            None,
            None,
            _G + "frequencyPenalty",
        ),
        Concept.PRESENCE_PENALTY: _row(
            "Sampling.presence_penalty", _H, "presence_penalty", None, None, _G + "presencePenalty"
        ),
        Concept.SEED: _row("Sampling.seed", _H, "seed", None, None, _G + "seed"),
        Concept.LOGIT_BIAS: _row("Sampling.logit_bias", _H, "logit_bias", None, None, None),
        Concept.OUTPUT_MAX: _row(
            "output_max",
            _C,
            "max_completion_tokens",
            "max_output_tokens",
            "max_tokens",
            _G + "maxOutputTokens",
        ),
        Concept.STOP: _row("stop", _C, "stop", None, "stop_sequences", _G + "stopSequences"),
        Concept.REASONING: _row(
            "reasoning", _H, "reasoning_effort", "reasoning", "thinking", _G + "thinkingConfig"
        ),
        Concept.REASONING_STATE: _row(
            "Reasoning", _H, "messages[].reasoning_content", "input", "messages", "contents"
        ),
        Concept.FORMAT: _row(
            "format",
            _C,
            "response_format",
            "text.format",
            "output_config.format",
            # sent with either spelling of a schema, and alone without one
            _G + "responseMimeType",
        ),
        Concept.VERBOSITY: _row("verbosity", _H, "verbosity", "text.verbosity", None, None),
        Concept.MODALITIES: _row(
            "modalities", _C, "modalities", None, None, _G + "responseModalities"
        ),
        Concept.AUDIO: _row("audio", _C, "audio", None, None, _G + "speechConfig"),
        Concept.CANDIDATES: _row("candidates", _C, "n", None, None, _G + "candidateCount"),
        Concept.LOGPROBS: _row(
            "logprobs", _C, "logprobs", "include", None, _G + "responseLogprobs"
        ),
        Concept.TOP_LOGPROBS: _row(
            "top_logprobs", _C, "top_logprobs", "top_logprobs", None, _G + "logprobs"
        ),
        Concept.METADATA: _row("metadata", _B, "metadata", "metadata", None, "labels"),
        Concept.USER: _row("user", _B, "user", "user", "metadata.user_id", None),
        Concept.SAFETY_ID: _row(
            "safety_id", _B, "safety_identifier", "safety_identifier", "metadata.user_id", None
        ),
        Concept.CACHE_KEY: _row(
            "cache_key", _B, "prompt_cache_key", "prompt_cache_key", None, None
        ),
        Concept.CACHE_MARK: _row(
            "CacheMark",
            _H,
            "prompt_cache_breakpoint",
            "prompt_cache_breakpoint",
            "cache_control",
            None,
        ),
        Concept.SERVICE_TIER: _row(
            "service_tier", _H, "service_tier", "service_tier", "service_tier", "serviceTier"
        ),
        Concept.STORE: _row("store", _B, "store", "store", None, "store"),
        Concept.IMAGE: _row("Image", _C, "image_url", "input_image", "image", "inlineData"),
        Concept.DETAIL: _row(
            "Image.detail", _H, "image_url.detail", "input_image.detail", None, "mediaResolution"
        ),
        Concept.AUDIO_INPUT: _row("Audio", _C, "input_audio", "input_audio", None, "inlineData"),
        Concept.VIDEO_INPUT: _row("Video", _C, None, None, None, "inlineData"),
        Concept.DOCUMENT: _row("Document", _C, "file", "input_file", "document", "inlineData"),
        Concept.DOCUMENT_URL: _row("Document", _C, "file", "input_file", "document", "fileData"),
        Concept.DOCUMENT_TITLE: _row(
            "Document.title", _H, "file.filename", "input_file.filename", "title", None
        ),
        Concept.FILE_ID: _row("Stored", _C, "file_id", "file_id", "file_id", "fileData"),
        Concept.CITATION: _row(
            "Citation", _H, "annotations", "annotations", "citations", "groundingMetadata"
        ),
        Concept.VENDOR_TOOL: _row("VendorTool", _C, "tools", "tools", "tools", "tools"),
        Concept.VENDOR_PART: _row("VendorPart", _H, "messages", "input", "messages", "contents"),
    }
)
"""Every concept has its row."""

_COMPLETIONS: Final = "completions"
_PROMPTED: Final = MappingProxyType(
    {
        Concept.INSTRUCTIONS: "prompt",
        Concept.HISTORY: "prompt",
        Concept.OUTPUT_MAX: "max_tokens",
        Concept.TOP_LOGPROBS: "logprobs",
    }
)
"""Where the completions shape, which only callers speak, has other names than chat."""


def member(concept: Concept, shape: str) -> str:
    """What a shape calls a concept; the canonical field's name where it has none."""
    if shape == _COMPLETIONS:
        if concept in _PROMPTED:
            return _PROMPTED[concept]
        shape = "chat"
    row = ROWS[concept]
    return row.members.get(shape, row.field)


def phased(shape: str) -> bool:
    """Whether an assistant's turns have a phase in this shape."""
    return shape in ROWS[Concept.PHASE].members


def declared(tool: Tool, shape: str) -> str:
    """Return where a caller of this shape declared a tool. Chat has a member of its own for a
    search.
    """
    if shape == "chat" and isinstance(tool, ServerTool) and tool.native.shape == "chat":
        return "web_search_options"
    return member(Concept.TOOLS, shape)


def lacking(
    report: Report,
    concept: Concept,
    caller: str,
    reason: str,
    *,
    where: str | None = None,
    act: DropAction = DropAction.DROPPED,
) -> None:
    """Report that a concept is not carried, by its rank and under the caller's name for it.

    ``where`` is the full path where the caller's member stands in a list. Raises ``Fault``
    (UNREPRESENTABLE) as ``Report.drop`` does.
    """
    report.drop(ROWS[concept].rank, where or member(concept, caller), reason, act)


def foreign(native: Native, report: Report, where: str) -> None:
    """Report the members of a tool or a call that only its own shape has."""
    names = said_alone(native)
    if names:
        report.drop(Rank.HINT, where, f"only its own shape has {', '.join(names)}")


def said_alone(native: Native) -> list[str]:
    """Return the members of a tool or a call that mean something only in its own shape."""
    members = msgspec.json.decode(native.data, type=dict[str, msgspec.Raw])
    return [name for name, raw in members.items() if not _is_direct(bytes(raw))]


def _is_direct(raw: bytes) -> bool:
    """Whether it is the ``caller`` of a call that the model makes itself, which other shapes leave
    out.
    """
    try:
        return b'"direct"' in raw and bool(msgspec.json.decode(raw) == {"type": "direct"})
    except (ValueError, RecursionError):
        return False


def reworded(report: Report, shape: str, reason: str) -> None:
    """Report that something in the history is written in another way or place."""
    report.drop(Rank.HINT, member(Concept.HISTORY, shape), reason, DropAction.CHANGED)


DEMOTED: Final = "instructions in the middle are said as the user's, in a tag"
"""Why they are ``reworded`` where the target has no role for them there."""


def unnamed(wanted: ResponseFormat, shape: str, report: Report) -> None:
    """Report what names a schema, for shapes that know the schema alone.

    ``strict`` is no loss there: an answer is always held to its schema.
    """
    where = member(Concept.FORMAT, shape)
    if wanted.name is not None:
        report.drop(Rank.BOOKKEEPING, f"{where}.name", "a schema has no name there")
    if wanted.description is not None:
        report.drop(Rank.HINT, f"{where}.description", "a schema has no words beside it there")
