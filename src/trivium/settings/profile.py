"""``[models.bindings.profile]``: what an operator knows better about a model than we do.

The names are those of ``conversation/target.py``; what is not said stays as the shipped profile has
it (docs/profiles.md).
"""

from typing import Any, Final

import msgspec

from trivium.conversation.member_table import Concept
from trivium.conversation.request import Effort
from trivium.conversation.target import Input, OwnFields, ReasoningBack, Thinks
from trivium.conversation.tools import ServerKind
from trivium.settings.syntax import above_zero, between, filled, one_of


class Profile(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """One ``[models.bindings.profile]`` table; ``None``: as the shipped profile has it."""

    thinks: str | None = None
    """How thinking is steered: ``none``, ``effort``, ``adaptive``, ``budget`` or ``level``."""
    efforts: tuple[str, ...] | None = None
    """Steps of effort or thinking levels it knows."""
    budget_min: int | None = None
    """Least tokens of thinking."""
    budget_max: int | None = None
    """Most tokens of thinking."""
    thinking_off: bool | None = None
    """Whether thinking can be switched off."""
    thinks_unasked: bool | None = None
    """Whether it thinks when the request says nothing of it."""
    think_tags: bool | None = None
    """chat: whether the server writes reasoning into the text, between ``<think>`` tags."""
    own_fields: str | None = None
    """converse: whose own members it takes beside the shape's: ``none``, ``claude``, ``nova``,
    ``gpt`` or ``gpt-oss``."""
    reasoning_back: str | None = None
    """What of earlier reasoning it reads again: ``nothing``, ``sealed`` or ``text``."""
    placeholder_signature: str | None = None
    """generate: stands in for a missing signature on the first call of a step."""
    refuses: tuple[str, ...] | None = None
    """Members it does not take: dropped and reported, or refused where callers rely on them."""
    refuses_thinking: tuple[str, ...] | None = None
    """Members it does not take while it thinks."""
    temperature_max: float | None = None
    """Highest temperature it takes."""
    temperature_with_top_p: bool | None = None
    """Whether both may be sent at once."""
    stop_max: int | None = None
    """Most stop sequences it takes; 0: none."""
    output_member: str | None = None
    """chat: ``max_tokens`` or ``max_completion_tokens``."""
    output_default: int | None = None
    """Output limit that is sent when the caller set none and the shape demands one."""
    output_cap: int | None = None
    """The model's own limit on output tokens."""
    developer_role: bool | None = None
    """Whether instructions go out as ``developer`` instead of ``system``."""
    mid_system: bool | None = None
    """Whether system messages may stand in the middle."""
    prefill: bool | None = None
    """Whether the last message may be the assistant's."""
    blank_text: bool | None = None
    """Whether text of white space only is taken."""
    forced_calls: bool | None = None
    """Whether a tool call can be demanded."""
    custom_tools: bool | None = None
    """Whether it takes tools with free text as input."""
    server_tools: tuple[str, ...] | None = None
    """Vendor-run tools it has: ``web_search``, ``web_fetch``, ``code_execution``."""
    mixed_tools: bool | None = None
    """Whether vendor-run tools may be declared beside functions."""
    drop_tools: tuple[str, ...] | None = None
    """Vendor-run tools, by type or name, that are left out and reported where it has none; without
    it such a request is refused."""
    tool_name_max: int | None = None
    """Longest name of a tool."""
    tool_name_first: bool | None = None
    """Whether a tool's name must begin with a letter or underscore."""
    call_id_max: int | None = None
    """Longest id of a call."""
    call_id_exact: bool | None = None
    """Whether ids have exactly so many characters, letters and digits only."""
    inputs: tuple[str, ...] | None = None
    """What it reads besides text: ``image``, ``image_url``, ``audio``, ``video``, ``document``,
    ``document_url``, ``result_media``."""
    schema: bool | None = None
    """Whether it takes a JSON schema for the answer."""
    schema_full: bool | None = None
    """Whether any keyword of JSON Schema is taken, or only the shape's own subset."""
    cache_marks: int | None = None
    """Most explicit cache marks taken."""

    def facts(self) -> dict[str, Any]:
        """Return the values that were set, without the others."""
        if self == _NOTHING:  # as most are, of thousands
            return {}
        said = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: value for name, value in said.items() if value is not None}


_NOTHING: Final = Profile()
_COUNT: Final = between(0, 1_000_000_000)
_TOKENS: Final = between(1, 1_000_000_000)
_LENGTH: Final = between(8, 512)

_MEMBERS: Final = one_of(*(one.value for one in Concept))
_EFFORTS: Final = one_of(*(one.value for one in Effort))
_INPUTS: Final = one_of(*(one.value for one in Input))
_SERVER: Final = one_of(*(one.value for one in ServerKind))

EXAMPLES: Final = {
    "thinks": ('thinks = "budget"', one_of(*(one.value for one in Thinks))),
    "efforts.*": ('efforts = ["low", "medium", "high"]', _EFFORTS),
    "budget_min": ("budget_min = 1024", _COUNT),
    "budget_max": ("budget_max = 24576", _COUNT),
    "thinking_off": ("thinking_off = true", None),
    "thinks_unasked": ("thinks_unasked = false", None),
    "think_tags": ("think_tags = true", None),
    "own_fields": ('own_fields = "claude"', one_of(*(one.value for one in OwnFields))),
    "reasoning_back": ('reasoning_back = "text"', one_of(*(one.value for one in ReasoningBack))),
    "placeholder_signature": ('placeholder_signature = "skip_thought_signature_validator"', None),
    "refuses.*": ('refuses = ["temperature", "top_p"]', _MEMBERS),
    "refuses_thinking.*": ('refuses_thinking = ["temperature"]', _MEMBERS),
    "temperature_max": ("temperature_max = 1.0", above_zero),
    "temperature_with_top_p": ("temperature_with_top_p = false", None),
    "stop_max": ("stop_max = 4", _COUNT),
    "output_member": (
        'output_member = "max_completion_tokens"',
        one_of("max_tokens", "max_completion_tokens"),
    ),
    "output_default": ("output_default = 8192", _TOKENS),
    "output_cap": ("output_cap = 64000", _TOKENS),
    "developer_role": ("developer_role = true", None),
    "mid_system": ("mid_system = false", None),
    "prefill": ("prefill = false", None),
    "blank_text": ("blank_text = false", None),
    "forced_calls": ("forced_calls = false", None),
    "custom_tools": ("custom_tools = true", None),
    "server_tools.*": ('server_tools = ["web_search"]', _SERVER),
    "mixed_tools": ("mixed_tools = true", None),
    "drop_tools.*": ('drop_tools = ["web_search"]', filled),
    "tool_name_max": ("tool_name_max = 64", _LENGTH),
    "tool_name_first": ("tool_name_first = true", None),
    "call_id_max": ("call_id_max = 40", _LENGTH),
    "call_id_exact": ("call_id_exact = false", None),
    "inputs.*": ('inputs = ["image", "document"]', _INPUTS),
    "schema": ("schema = false", None),
    "schema_full": ("schema_full = false", None),
    "cache_marks": ("cache_marks = 4", _COUNT),
}
"""For every name a line that would be right, and the check its value, or each item, must pass."""
