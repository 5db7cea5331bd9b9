"""The ladder as a table: every member of a request, what each shape calls it, and its rank.

Readers fill the canonical field, writers the target's member. A concept that the target has not,
or that its model refuses, is dropped by its rank (``losses.Rank``): ``lacking`` says so to a
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


_COLUMNS: Final = ("chat", "responses", "messages", "generate")
_TABLE: Final = """
instructions contract instructions messages instructions system systemInstruction
history contract turns messages input messages contents
participant hint Turn.name messages[].name - - -
phase hint Turn.phase - input[].phase - -
tools contract tools tools = = =
strict_tool hint FunctionTool.strict tools[].function.strict tools[].strict = -
tool_choice contract tool_choice tool_choice = = toolConfig
parallel hint parallel_calls parallel_tool_calls = tool_choice.disable_parallel_tool_use -
result_error hint ToolResult.error - - messages[].content[].is_error functionResponse.response
temperature hint Sampling.temperature temperature = = .temperature
top_p hint Sampling.top_p top_p = = .topP
top_k hint Sampling.top_k - - top_k .topK
frequency_penalty hint Sampling.frequency_penalty frequency_penalty - - .frequencyPenalty
presence_penalty hint Sampling.presence_penalty presence_penalty - - .presencePenalty
seed hint Sampling.seed seed - - .seed
logit_bias hint Sampling.logit_bias logit_bias - - -
output_max contract output_max max_completion_tokens max_output_tokens max_tokens .maxOutputTokens
stop contract stop stop - stop_sequences .stopSequences
reasoning hint reasoning reasoning_effort reasoning thinking .thinkingConfig
reasoning_state hint Reasoning messages[].reasoning_content input messages contents
format contract format response_format text.format output_config.format .responseMimeType
verbosity hint verbosity verbosity text.verbosity - -
modalities contract modalities modalities - - .responseModalities
audio contract audio audio - - .speechConfig
candidates contract candidates n - - .candidateCount
logprobs contract logprobs logprobs include - .responseLogprobs
top_logprobs contract top_logprobs top_logprobs = - .logprobs
metadata bookkeeping metadata metadata = - labels
user bookkeeping user user = metadata.user_id -
safety_id bookkeeping safety_id safety_identifier = metadata.user_id -
cache_key bookkeeping cache_key prompt_cache_key = - -
cache_mark hint CacheMark prompt_cache_breakpoint = cache_control -
service_tier hint service_tier service_tier = = serviceTier
store bookkeeping store store = - store
image contract Image image_url input_image image inlineData
detail hint Image.detail image_url.detail input_image.detail - mediaResolution
audio_input contract Audio input_audio = - inlineData
video_input contract Video - - - inlineData
document contract Document file input_file document inlineData
document_url contract Document file input_file document fileData
document_title hint Document.title file.filename input_file.filename title -
file_id contract Stored file_id = = fileData
citation hint Citation annotations = citations groundingMetadata
vendor_tool contract VendorTool tools = = =
vendor_part hint VendorPart messages input messages contents
"""
"""A line a concept: its rank, its field, and its member in each of ``_COLUMNS``. There ``-`` says
that the shape has none, ``=`` that it is as in the column before, and a leading dot that it stands
in ``generationConfig``: a format's is the one that is sent with either spelling of a schema."""

_CONVERSE: Final = """
instructions system
history messages
tools toolConfig.tools
strict_tool toolConfig.tools[].toolSpec.strict
tool_choice toolConfig.toolChoice
result_error messages[].content[].toolResult.status
temperature inferenceConfig.temperature
top_p inferenceConfig.topP
top_k additionalModelRequestFields.top_k
output_max inferenceConfig.maxTokens
stop inferenceConfig.stopSequences
reasoning additionalModelRequestFields.thinking
reasoning_state messages
format outputConfig.textFormat
metadata requestMetadata
cache_mark cachePoint
service_tier serviceTier
image image
audio_input audio
video_input video
document document
document_url s3Location
document_title document.name
file_id s3Location
citation citationsContent
vendor_tool toolConfig.tools
vendor_part messages
"""
"""The same of the converse shape, a line a concept; those without one it has not."""


_OTHERS: Final[Mapping[str, Mapping[str, str]]] = {
    "cohere": {
        "instructions": "messages",
        "history": "messages",
        "tools": "tools",
        "strict_tool": "strict_tools",
        "tool_choice": "tool_choice",
        "temperature": "temperature",
        "top_p": "p",
        "top_k": "k",
        "frequency_penalty": "frequency_penalty",
        "presence_penalty": "presence_penalty",
        "seed": "seed",
        "output_max": "max_tokens",
        "stop": "stop_sequences",
        "reasoning": "thinking",
        "reasoning_state": "messages",
        "format": "response_format",
        "logprobs": "logprobs",
        "image": "image_url",
        "detail": "image_url.detail",
        "document": "documents",
        "document_title": "documents",
        "citation": "citation_options",
        "vendor_part": "messages",
    },
}
"""What the shapes beyond those columns call each concept that they have."""


def _row(concept: str, rank: str, field: str, *columns: str) -> MemberRow:
    members: dict[str, str] = {}
    name = ""
    for shape, column in zip(_COLUMNS, columns, strict=True):
        name = name if column == "=" else column
        if name != "-":
            members[shape] = f"generationConfig{name}" if name.startswith(".") else name
    members |= {shape: names[concept] for shape, names in _OTHERS.items() if concept in names}
    return MemberRow(field, Rank(rank), members)


def _rows() -> Mapping[Concept, MemberRow]:
    rows = {
        Concept(concept): _row(concept, *columns)
        for concept, *columns in map(str.split, _TABLE.strip().splitlines())
    }
    for concept, name in map(str.split, _CONVERSE.strip().splitlines()):
        row = rows[Concept(concept)]
        rows[Concept(concept)] = row._replace(members={**row.members, "converse": name})
    return MappingProxyType(rows)


ROWS: Final = _rows()
"""Every concept has its row."""

SAMPLING: Final = tuple(
    (concept, row.field.removeprefix("Sampling."), row.members)
    for concept, row in ROWS.items()
    if row.field.startswith("Sampling.")
)
"""Concepts that are fields of ``Sampling``, each with its field and its members."""

_COMPLETIONS: Final = "completions"
_PROMPTED: Final = {
    Concept.INSTRUCTIONS: "prompt",
    Concept.HISTORY: "prompt",
    Concept.OUTPUT_MAX: "max_tokens",
    Concept.TOP_LOGPROBS: "logprobs",
}
"""Where the completions shape, which only callers speak, has other names than chat."""


def member(concept: Concept, shape: str) -> str:
    """What a shape calls a concept; the canonical field's name where it has none."""
    if shape == _COMPLETIONS:
        if concept in _PROMPTED:
            return _PROMPTED[concept]
        shape = "chat"
    row = ROWS[concept]
    return row.members.get(shape, row.field)


_ADDRESSED: Final = {"generate": "fileData", "converse": "s3Location"}
_CITABLE: Final = {"converse": "document.citations", "cohere": "documents"}
_EFFORT: Final = {"messages": "output_config.effort", "converse": "outputConfig.effort"}


def addressed(concept: Concept, shape: str) -> str:
    """What a shape calls a medium that it has by its address."""
    return _ADDRESSED.get(shape) or member(concept, shape)


def citable(shape: str) -> str:
    """Where a shape asks for a document to be cited."""
    return _CITABLE.get(shape) or member(Concept.CITATION, shape)


def effort(shape: str) -> str:
    """Where a shape asks for a step of effort and nothing else of reasoning."""
    return _EFFORT.get(shape) or member(Concept.REASONING, shape)


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
    act: DropAction = DropAction.DROPPED,
    where: str | None = None,
) -> None:
    """Report that a concept is not carried, by its rank and under the caller's name for it, which
    is ``where`` if that says more.

    Raises ``Fault`` (UNREPRESENTABLE) as ``Report.drop`` does.
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


DEMOTED: Final = "instructions in the middle are said as the user's, in a tag"
"""Why they are reworded where the target has no role for them there."""


def unnamed(wanted: ResponseFormat, shape: str, report: Report) -> None:
    """Report what names a schema, for shapes that know the schema alone.

    ``strict`` is no loss there: an answer is always held to its schema.
    """
    where = member(Concept.FORMAT, shape)
    if wanted.name is not None:
        report.drop(Rank.BOOKKEEPING, f"{where}.name", "a schema has no name there")
    if wanted.description is not None:
        report.drop(Rank.HINT, f"{where}.description", "a schema has no words beside it there")
