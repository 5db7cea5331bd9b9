"""What is read of a responses request's JSON: members of a conversation, and what is limited.

What a form does not list is skimmed.
"""

from typing import Final

import msgspec

from trivium.wire.request_structs import Name

_ABSENT: Final = msgspec.Raw()


class ToolKind(msgspec.Struct, gc=False):
    """Of a tool, or of a choice of one, only its kind and its name."""

    type: str | None = None
    name: str | None = None


class LimitedTool(ToolKind, gc=False):
    """A tool, of which the specification limits the name."""

    tools: list[ToolKind] | None = None


class LimitedFormat(msgspec.Struct, gc=False):
    """A ``text.format``, as far as it is limited."""

    type: str | None = None
    name: Name | None = None


class LimitedText(msgspec.Struct, gc=False):
    """A ``text`` member, as far as it is limited."""

    format: LimitedFormat | None = None


class Format(msgspec.Struct, gc=False):
    """A ``text.format``: how the answer is to be written."""

    type: str | None = None
    name: Name | None = None
    description: str | None = None
    schema: msgspec.Raw = _ABSENT
    strict: bool | None = None


class TextMember(msgspec.Struct, gc=False):
    """The ``text`` member: the format of the answer's text, and its verbosity."""

    format: Format | None = None
    verbosity: str | None = None


class ReasoningMember(msgspec.Struct, gc=False):
    """The ``reasoning`` member: how hard the model thinks, and what of it is shown."""

    effort: str | None = None
    summary: str | None = None
    generate_summary: str | None = None
    mode: msgspec.Raw = _ABSENT
    context: msgspec.Raw = _ABSENT


class InputItem(msgspec.Struct, gc=False):
    """One item of ``input``; of each kind only what it is read for."""

    type: str | None = None
    role: str | None = None
    id: str | None = None
    call_id: str | None = None
    name: str | None = None
    namespace: str | None = None
    phase: str | None = None
    arguments: str | None = None
    input: str | None = None
    encrypted_content: str | None = None
    content: msgspec.Raw = _ABSENT
    output: msgspec.Raw = _ABSENT
    tools: msgspec.Raw = _ABSENT
    caller: msgspec.Raw = _ABSENT


class SoundMember(msgspec.Struct, gc=False):
    """The ``input_audio`` member of a part: base64 data and its format."""

    data: str
    format: str


class CacheBreakpoint(msgspec.Struct, gc=False):
    """The ``prompt_cache_breakpoint`` member of a part: how long it is cached."""

    ttl: str | None = None


class ContentPart(msgspec.Struct, gc=False):
    """One part of a message's content, or of an output's."""

    type: str | None = None
    text: str | None = None
    refusal: str | None = None
    image_url: str | None = None
    detail: str | None = None
    file_id: str | None = None
    file_data: str | None = None
    file_url: str | None = None
    filename: str | None = None
    input_audio: SoundMember | None = None
    prompt_cache_breakpoint: CacheBreakpoint | None = None
    annotations: msgspec.Raw = _ABSENT
    logprobs: msgspec.Raw = _ABSENT


class ToolFormat(msgspec.Struct, gc=False):
    """What a custom tool's input looks like."""

    type: str | None = None
    syntax: str | None = None
    definition: str | None = None


class Filters(msgspec.Struct, gc=False):
    """Where a search may look."""

    allowed_domains: list[str] | None = None
    blocked_domains: list[str] | None = None


class Tool(msgspec.Struct, gc=False):
    """One entry of ``tools``, of whatever kind."""

    type: str | None = None
    name: str | None = None
    description: str | None = None
    parameters: msgspec.Raw = _ABSENT
    strict: bool | None = None
    format: ToolFormat | None = None
    tools: list[msgspec.Raw] | None = None
    filters: Filters | None = None
    search_context_size: str | None = None
    user_location: dict[str, str | None] | None = None


class Choice(ToolKind, gc=False):
    """A ``tool_choice`` that is no word."""

    mode: str | None = None
    tools: list[ToolKind] | None = None
