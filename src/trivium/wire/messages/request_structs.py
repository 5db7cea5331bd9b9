"""What is read of a messages request's JSON; what a form does not list is skimmed."""

from typing import Annotated, Final

import msgspec

_ABSENT: Final = msgspec.Raw()


class Message(msgspec.Struct, gc=False):
    """One of ``messages``: its role, and its content as text or unread blocks."""

    role: str
    content: str | list[msgspec.Raw] | None = None


class ThinkingMember(msgspec.Struct, gc=False):
    """The ``thinking`` member: whether the model thinks, with which budget, and what is shown."""

    type: str
    budget_tokens: int | None = None
    display: str | None = None


class Format(msgspec.Struct, gc=False):
    """How the answer is to be written."""

    type: str
    schema: msgspec.Raw = _ABSENT


class OutputConfig(msgspec.Struct, gc=False):
    """The ``output_config`` member: effort, format and budget of the task."""

    effort: str | None = None
    format: Format | None = None
    task_budget: msgspec.Raw = _ABSENT


class Metadata(msgspec.Struct, gc=False):
    """The ``metadata`` member, which names the end user."""

    user_id: str | None = None


class Cache(msgspec.Struct, gc=False):
    """The ``cache_control`` member of a block, a tool or a request."""

    type: str
    ttl: str | None = None


class RequestBlock(msgspec.Struct, gc=False):
    """Any block of a request; ``None`` and empty where it has no such member."""

    type: str
    text: str | None = None
    cache_control: Cache | None = None
    citations: msgspec.Raw = _ABSENT
    source: msgspec.Raw = _ABSENT
    title: str | None = None
    context: str | None = None
    content: msgspec.Raw = _ABSENT
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = _ABSENT
    caller: msgspec.Raw = _ABSENT
    toolset_name: msgspec.Raw = _ABSENT
    tool_use_id: str | None = None
    is_error: bool | None = None


class PlainText(msgspec.Struct, gc=False, forbid_unknown_fields=True, tag_field="type", tag="text"):
    """A block of words and nothing else."""

    text: str


class PlainCall(
    msgspec.Struct, gc=False, forbid_unknown_fields=True, tag_field="type", tag="tool_use"
):
    """A call and nothing else."""

    id: Annotated[str, msgspec.Meta(min_length=1)]
    name: Annotated[str, msgspec.Meta(min_length=1)]
    input: msgspec.Raw


class PlainResult(
    msgspec.Struct, gc=False, forbid_unknown_fields=True, tag_field="type", tag="tool_result"
):
    """A result and nothing else."""

    tool_use_id: Annotated[str, msgspec.Meta(min_length=1)]
    content: msgspec.Raw = _ABSENT
    is_error: bool | None = None


class BlockType(msgspec.Struct, gc=False):
    """Of a block only its kind."""

    type: str


class Source(msgspec.Struct, gc=False):
    """Where an image or a document comes from."""

    type: str
    media_type: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None
    content: msgspec.Raw = _ABSENT


class RequestPiece(msgspec.Struct, gc=False):
    """A block inside a document or a search result."""

    type: str
    text: str | None = None
    source: msgspec.Raw = _ABSENT


class Citable(msgspec.Struct, gc=False):
    """Whether a document may be cited."""

    enabled: bool | None = None


class Tool(msgspec.Struct, gc=False):
    """One entry of ``tools``, of whatever kind."""

    type: str | None = None
    name: str | None = None
    description: str | None = None
    input_schema: msgspec.Raw = _ABSENT
    strict: bool | None = None
    cache_control: Cache | None = None
    allowed_domains: list[str] | None = None
    blocked_domains: list[str] | None = None
    max_uses: int | None = None
    user_location: msgspec.Raw = _ABSENT


class Choice(msgspec.Struct, gc=False):
    """The ``tool_choice`` member: how freely the model may call tools."""

    type: str
    name: str | None = None
    disable_parallel_tool_use: bool | None = None
