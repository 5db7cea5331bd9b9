"""What a caller said of a tool that a vendor runs, beyond what every family of them knows.

A condition that another vendor's tool cannot keep is policy: which pages may be read, what the
code may reach, which files it sees. Anything else is a matter of quality or cost.

Sources: messages reference with SDK types 2.11, openai-python 3.52.0; both read on 2026-11-21.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from trivium.conversation.losses import Rank
from trivium.conversation.tools import ServerTool

_KNOWN: Final = {
    "chat": {"user_location", "search_context_size"},
    "responses": {"type", "user_location", "search_context_size"},
    "messages": {
        "type",
        "name",
        "cache_control",
        "allowed_domains",
        "blocked_domains",
        "max_uses",
        "user_location",
    },
}
"""Members that ``ServerTool`` has fields for; generate's reader looks at its own."""
_FILTERS: Final = frozenset({"allowed_domains", "blocked_domains"})
_POLICY: Final = frozenset({"url_sources", "external_web_access", "filters", "container"})
_NEUTRAL: Final[tuple[Any, ...]] = (None, [], {}, "")
_decode: Final = msgspec.json.Decoder().decode


def unsaid(tool: ServerTool) -> Iterator[tuple[str, Rank]]:
    """Yield the members of a declaration that no other shape has, each with its rank."""
    known = _KNOWN.get(tool.native.shape)
    members = _decode(tool.native.data) if known else None
    if not isinstance(members, dict) or known is None:
        return
    for name, value in members.items():
        if name not in known and value not in _NEUTRAL:
            yield from _one(name, value)


def _one(name: str, value: Any) -> Iterator[tuple[str, Rank]]:
    if name == "filters" and isinstance(value, dict):
        value = {key: one for key, one in value.items() if key not in _FILTERS}
    elif name == "container" and isinstance(value, dict):
        value = {key: one for key, one in value.items() if key != "type"}
        if value.pop("memory_limit", None) is not None:
            yield "container.memory_limit", Rank.HINT
    elif name == "external_web_access" and value is True:
        return  # as everywhere
    elif name == "allowed_callers" and value == ["direct"]:
        return
    if isinstance(value, dict):
        value = {key: one for key, one in value.items() if one not in _NEUTRAL}
    if value not in _NEUTRAL:
        yield name, Rank.CONTRACT if name in _POLICY else Rank.HINT
