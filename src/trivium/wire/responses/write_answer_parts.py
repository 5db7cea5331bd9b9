"""Output items as callers get them, one function for each kind.

Ids are the shape's prefix, the answer's id and the item's place, so that the same answer always
has the same ones. Source: openai-python 3.52.0, ``ResponseOutputItem``, read 2026-11-21.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.items import Part
from trivium.conversation.names import qualified
from trivium.conversation.parts import (
    Audio,
    Citation,
    Image,
    Inline,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    VendorPart,
)
from trivium.conversation.tools import CustomTool, FunctionTool, Tool
from trivium.wire.responses import citations

_SHAPE: Final = "responses"
_SEARCH: Final = "web_search_call"


PREFIX: Final = {
    "message": "msg_",
    "function_call": "fc_",
    "custom_tool_call": "ctc_",
    "reasoning": "rs_",
    "image_generation_call": "ig_",
    _SEARCH: "ws_",
}
"""Of ids, by type of item."""


def kind(part: Part) -> str | None:
    """The type of item that a part becomes; ``None`` for what this shape cannot say."""
    if type(part) is Text or type(part) is Refusal:
        return "message"
    if type(part) is ToolCall:
        return "custom_tool_call" if part.kind is CallKind.CUSTOM else "function_call"
    if type(part) is Reasoning:
        return "reasoning"
    if type(part) is VendorPart:
        own = part.native.shape == _SHAPE
        return part.kind if own else _SEARCH if part.queries else None
    if type(part) is Image and isinstance(part.source, Inline):
        return "image_generation_call"
    return "message" if words(part) else None


def words(part: Part) -> str:
    """The plain words that stand for a part which this shape cannot show; empty for none."""
    return part.transcript if type(part) is Audio else ""


def declared(call: ToolCall, tools: tuple[Tool, ...]) -> ToolCall:
    """A call in the words of the caller's own declaration.

    A target without namespaces was told of a flat name.
    """
    for tool in tools:
        if not isinstance(tool, FunctionTool | CustomTool):
            continue
        flat = call.namespace is None and call.name == qualified(tool.name, tool.namespace)
        if not flat and (call.name, call.namespace) != (tool.name, tool.namespace):
            continue
        return msgspec.structs.replace(call, name=tool.name, namespace=tool.namespace)
    return call


def output_text(
    text: str | msgspec.Raw,
    size: int,
    cited: tuple[Citation, ...] | list[Citation] = (),
    probable: Sequence[Any] | msgspec.Raw = (),
) -> dict[str, Any]:
    """A content part of text, which has ``size`` characters; ``probable``: rows of its tokens."""
    rows = [citations.annotation(one, size) for one in cited] if cited else []
    return {
        "type": "output_text",
        "annotations": [row for row in rows if row is not None] if rows else rows,
        "logprobs": probable,
        "text": text,
    }


def refusal(text: str | msgspec.Raw) -> dict[str, Any]:
    """A content part that declines."""
    return {"type": "refusal", "refusal": text}


def message(
    id_: str, content: list[dict[str, Any]], status: str, phase: str | None = None
) -> dict[str, Any]:
    """What the model says."""
    out: dict[str, Any] = {
        "id": id_,
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": content,
    }
    if phase is not None:
        out["phase"] = phase
    return out


def call(id_: str, part: ToolCall, text: str | msgspec.Raw, status: str) -> dict[str, Any]:
    """A call of one of the caller's tools; ``text``: its arguments or input so far."""
    out: dict[str, Any] = {
        "id": id_,
        "type": "function_call" if part.kind is CallKind.FUNCTION else "custom_tool_call",
        "status": status,
        "call_id": part.id or "call_" + id_.partition("_")[2],
        "name": part.name,
    }
    if part.namespace is not None:
        out["namespace"] = part.namespace
    out["arguments" if part.kind is CallKind.FUNCTION else "input"] = text
    return out


def reasoning(
    id_: str, form: ReasoningForm, text: str | msgspec.Raw, sealed: str, status: str
) -> dict[str, Any]:
    """Thinking, as a summary or in the model's own words; ``sealed``: what the caller carries."""
    out: dict[str, Any] = {"id": id_, "type": "reasoning", "status": status, "summary": []}
    if form is ReasoningForm.SUMMARY and text != "":
        out["summary"] = [{"type": "summary_text", "text": text}]
    elif form is ReasoningForm.FULL and text != "":
        out["content"] = [{"type": "reasoning_text", "text": text}]
    out["encrypted_content"] = sealed or None
    return out


def picture(id_: str, source: Inline) -> dict[str, Any]:
    """An image the model made."""
    return {
        "id": id_,
        "type": "image_generation_call",
        "status": "completed",
        "output_format": source.mime.partition("/")[2],
        "result": source.data,
    }


def native(id_: str, part: VendorPart) -> Any:
    """A vendor's own item, as it came but in one line; another's as what was searched for."""
    if part.native.shape == _SHAPE:
        return msgspec.Raw(msgspec.json.format(part.native.data, indent=-1))
    action = {"type": "search", "query": part.queries[0], "queries": list(part.queries)}
    return {"id": id_, "type": _SEARCH, "status": "completed", "action": action}
