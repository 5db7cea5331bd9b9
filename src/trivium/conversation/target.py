"""What one binding's model takes, as data: the facts a writer needs, never a model's name.

Model profiles fill these in (routing); ``BY_SHAPE`` holds what is true of the shape itself.
"""

from collections.abc import Mapping
from enum import Enum, unique
from types import MappingProxyType
from typing import Final

import msgspec

from trivium.conversation.member_table import Concept
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.request import Effort
from trivium.conversation.tools import ServerKind


@unique
class Thinks(Enum):
    """How a model's thinking is controlled."""

    NONE = "none"  # it does not think, or cannot be told to
    EFFORT = "effort"  # C/R reasoning_effort
    ADAPTIVE = "adaptive"  # M thinking adaptive with output_config.effort
    BUDGET = "budget"  # M thinking enabled, G 2.5 thinkingBudget
    LEVEL = "level"  # G 3 thinkingLevel


@unique
class OwnFields(Enum):
    """Converse: whose own members a model takes beside those of the shape."""

    NONE = "none"
    CLAUDE = "claude"  # ``thinking``, ``top_k``; tells which stop sequence fired
    NOVA = "nova"  # ``reasoningConfig``, ``inferenceConfig.topK``
    GPT = "gpt"  # ``reasoning.effort``
    GPT_OSS = "gpt-oss"  # ``reasoning_effort``


@unique
class Input(Enum):
    """Media that may stand in the history besides text."""

    IMAGE = "image"
    IMAGE_URL = "image_url"
    AUDIO = "audio"
    VIDEO = "video"
    DOCUMENT = "document"
    DOCUMENT_URL = "document_url"
    RESULT_MEDIA = "result_media"  # images and documents inside tool results

    __hash__ = object.__hash__


@unique
class ReasoningBack(Enum):
    """Which earlier reasoning the target wants to be sent back."""

    NOTHING = "nothing"
    SEALED = "sealed"  # only with its own attachment
    TEXT = "text"  # the plain text: chat servers that demand ``reasoning_content``


class TargetFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about one upstream model behind one channel."""

    origin: StateOrigin
    """Shape, provider and account: only attachments with this origin go back."""
    model: str
    """The channel's own name of the model, which goes into the body or path."""
    title: str
    """For people, in refusals: ``the messages shape of claude-x``."""
    refuses: frozenset[Concept] = frozenset()
    """Members the shape has and this model does not take: dropped and reported by rank."""
    refuses_thinking: frozenset[Concept] = frozenset()
    """Members it does not take while it thinks."""
    thinks_unasked: bool = False
    """Whether it thinks when the request says nothing of it."""
    output_member: str = "max_tokens"
    """Chat: ``max_tokens`` or ``max_completion_tokens``."""
    output_default: int | None = None
    """Sent when the caller set no limit and the shape demands one."""
    output_cap: int | None = None
    """The model's own limit on output tokens."""
    thinks: Thinks = Thinks.NONE
    efforts: tuple[Effort, ...] = ()
    """Steps it knows, rising; the nearest one is sent."""
    budget_min: int = 1024
    budget_max: int | None = None
    thinking_off: bool = True
    """Whether thinking can be switched off."""
    own_fields: OwnFields = OwnFields.NONE
    """Converse: members that its model takes under ``additionalModelRequestFields``."""
    reasoning_back: ReasoningBack = ReasoningBack.NOTHING
    think_tags: bool = False
    """Chat: whether the server writes reasoning into the text, between ``<think>`` tags."""
    placeholder_signature: str | None = None
    """Stands in for a missing signature on the first call of a step (generate 3 and later)."""
    developer_role: bool = False
    """Whether instructions go out as ``developer`` instead of ``system``."""
    mid_system: bool = True
    """Whether system turns may stand in the middle."""
    prefill: bool = True
    """Whether the last turn may be the assistant's."""
    blank_text: bool = True
    """Whether text of white space only is taken."""
    forced_calls: bool = True
    """Whether REQUIRED and NAMED are taken."""
    custom_tools: bool = False
    """Whether it takes free-text tools; else they go as functions with one string ``input``."""
    server_tools: frozenset[ServerKind] = frozenset()
    mixed_tools: bool = True
    """Whether those may be declared beside functions."""
    drop_tools: frozenset[str] = frozenset()
    """Tools of other vendors, by kind or name, that are left out and reported where the target has
    none; all others are refused."""
    tool_name_max: int = 64
    tool_name_first: bool = False
    """Whether a name must begin with a letter or underscore (generate)."""
    call_id_max: int = 64
    call_id_exact: bool = False
    """Whether ids have exactly so many characters, letters and digits only (Mistral: 9)."""
    inputs: frozenset[Input] = frozenset()
    schema: bool = True
    """Whether it takes a JSON schema for the answer."""
    schema_full: bool = True
    """Whether any JSON Schema keyword is taken, or only the shape's own subset."""
    temperature_max: float = 2.0
    temperature_with_top_p: bool = True
    """Whether both may be sent at once."""
    stop_max: int | None = None
    """Most stop sequences taken; 0: none."""
    cache_marks: int = 0
    """Most explicit cache marks taken."""


_MEDIA: Final = frozenset(Input)

BY_SHAPE: Final = MappingProxyType(
    {
        "chat": {
            "inputs": frozenset({Input.IMAGE, Input.IMAGE_URL, Input.AUDIO, Input.DOCUMENT}),
            "call_id_max": 40,
            "stop_max": 4,
            "thinks": Thinks.EFFORT,
            "efforts": tuple(Effort),
        },
        "responses": {
            "inputs": _MEDIA - {Input.VIDEO, Input.AUDIO},
            "stop_max": 0,
            "thinks": Thinks.EFFORT,
            "efforts": tuple(Effort),
            "reasoning_back": ReasoningBack.SEALED,
            "custom_tools": True,
            "cache_marks": 4,
            "prefill": False,
            "server_tools": frozenset({ServerKind.WEB_SEARCH, ServerKind.CODE}),
        },
        "messages": {
            "inputs": _MEDIA - {Input.VIDEO, Input.AUDIO},
            "tool_name_max": 128,
            "output_default": 8192,
            "thinks": Thinks.ADAPTIVE,
            "efforts": (Effort.LOW, Effort.MEDIUM, Effort.HIGH, Effort.XHIGH, Effort.MAX),
            "reasoning_back": ReasoningBack.SEALED,
            "mid_system": False,
            "blank_text": False,
            "schema_full": False,
            "temperature_max": 1.0,
            "temperature_with_top_p": False,
            "cache_marks": 4,
            "server_tools": frozenset(ServerKind),
        },
        "generate": {
            "inputs": _MEDIA - {Input.IMAGE_URL, Input.DOCUMENT_URL},
            "tool_name_first": True,
            "stop_max": 5,
            "thinks": Thinks.LEVEL,
            "efforts": (Effort.MINIMAL, Effort.LOW, Effort.MEDIUM, Effort.HIGH),
            "reasoning_back": ReasoningBack.SEALED,
            "placeholder_signature": "skip_thought_signature_validator",
            "mid_system": False,
            "server_tools": frozenset(ServerKind),
            "mixed_tools": False,
        },
        "converse": {
            "inputs": _MEDIA - {Input.IMAGE_URL, Input.DOCUMENT_URL},
            "stop_max": 2500,
            "reasoning_back": ReasoningBack.SEALED,
            "mid_system": False,
            "blank_text": False,
            "schema_full": False,
            "temperature_max": 1.0,
        },
        "cohere": {
            "inputs": frozenset({Input.IMAGE, Input.IMAGE_URL}),
            "stop_max": 5,
            "thinks": Thinks.BUDGET,
            "budget_min": 1,
            "reasoning_back": ReasoningBack.TEXT,
            "temperature_max": 1.0,
        },
    }
)
"""What is true of a public shape when nothing is known of the model. A provider that speaks one of
its own says it itself."""


NOT_PROFILED: Final = frozenset({"origin", "model", "title"})
"""Facts that say which model is meant; all others a profile may state."""


_OWN: Final[Mapping[str, object]] = {}


def target(origin: StateOrigin, model: str, **facts: object) -> TargetFacts:
    """Return the facts of a model: those of the shape, overridden by those of its profile."""
    known = {**BY_SHAPE.get(origin.shape, _OWN), **facts}
    known.setdefault("title", f"the {origin.shape} shape of {model}")
    return msgspec.convert({"origin": origin, "model": model, **known}, TargetFacts, strict=True)
