"""Finish reasons of the chat shape and the canonical ones.

Source: OpenAI's API reference, chat completions, ``finish_reason``, read 2026-11-21. The other
words are those of servers that speak the shape (vLLM, Mistral, DeepSeek, OpenRouter).
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.conversation.finish import Finish, Unified

_READ: Final = {
    "stop": Unified.STOP,
    "eos": Unified.STOP,
    "end_turn": Unified.STOP,
    "length": Unified.LENGTH,
    "max_tokens": Unified.LENGTH,
    "model_length": Unified.CONTEXT_FULL,
    "tool_calls": Unified.TOOL_CALLS,
    "function_call": Unified.TOOL_CALLS,
    "content_filter": Unified.CONTENT_FILTER,
    "safety": Unified.CONTENT_FILTER,
}

_ENDS: Final = {word: Finish(unified, word) for word, unified in _READ.items()}

BROKEN: Final = frozenset({"error", "insufficient_system_resource"})
"""Words of an answer that broke off: no completion at all."""

_WRITTEN: Final = {
    Unified.STOP: "stop",
    Unified.STOP_SEQUENCE: "stop",
    Unified.TOOL_CALLS: "tool_calls",
    Unified.LENGTH: "length",
    Unified.CONTEXT_FULL: "length",
    Unified.CONTENT_FILTER: "content_filter",
    # no word of the shape means these two, and neither may look complete
    Unified.PAUSED: "content_filter",
    Unified.OTHER: "length",
}


def read(word: str | None, *, called: bool) -> Finish:
    """The canonical reason of a vendor's word.

    ``called``: the candidate has tool calls, which outweigh a vendor's plain ``stop``. No word at
    all is that of a server which ends its streams without one.
    """
    if not called and word is not None and (found := _ENDS.get(word)) is not None:
        return found
    unified = Unified.STOP if word is None else _READ.get(word, Unified.OTHER)
    if called and unified is Unified.STOP:
        unified = Unified.TOOL_CALLS
    return Finish(unified, word or "")


def is_legacy(members: Mapping[str, msgspec.Raw]) -> bool:
    """Whether a request declares ``functions`` and no tools: its answer has room for one call."""
    functions = members.get("functions")
    if functions is None or bytes(functions) == b"null":
        return False
    tools = members.get("tools")
    return tools is None or bytes(tools) in _NONE


_NONE: Final = frozenset({b"null", b"[]"})


def written(finish: Finish, *, legacy: bool) -> str:
    """The chat word. ``legacy``: the request declared ``functions`` instead of tools."""
    unified = finish.unified
    if legacy and unified is Unified.TOOL_CALLS:
        return "function_call"
    return _WRITTEN[unified]
