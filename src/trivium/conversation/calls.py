"""Tool calls and their results.

Chat and responses carry arguments as text, messages and generate as objects. The canonical call
keeps the text, because text survives: broken JSON, key order and number spelling included.
"""

from enum import Enum, unique
from typing import Final

import msgspec

from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Native,
    PartBase,
    SearchResult,
    Text,
    VendorPart,
    Video,
)

RAW_MEMBER: Final = "_raw"
"""Holds arguments that are no JSON object where the shape demands an object."""


@unique
class CallKind(Enum):
    """What the arguments are."""

    FUNCTION = "function"  # JSON text
    CUSTOM = "custom"  # free text, the ``input``


class ToolCall(PartBase, frozen=True, gc=False):
    """The model wants a tool to be run by the caller."""

    id: str
    """Links the result; empty where the shape has none (``pairing.py`` mints one)."""
    name: str
    """The caller's own name of the tool, without its namespace."""
    arguments: str = ""
    """JSON text of a function call, raw input of a custom one. As the maker wrote it."""
    kind: CallKind = CallKind.FUNCTION
    namespace: str | None = None
    """Responses only: the namespace the tool was declared in."""
    native: Native | None = None
    """Members that one shape alone has (``caller``, ``toolset_name``), as a JSON object."""


ResultPart = Text | Image | Audio | Video | Document | SearchResult | VendorPart
"""What a result may be made of."""


class ToolResult(PartBase, frozen=True, gc=False):
    """What a tool answered. Stands in a user turn."""

    call_id: str
    """Empty where the shape has none; then ``name`` and order link it."""
    parts: tuple[ResultPart, ...] = ()
    name: str = ""
    """The tool's name where the shape repeats it (generate)."""
    error: bool = False
    kind: CallKind = CallKind.FUNCTION
    structured: bytes | None = None
    """The JSON object of a generate ``functionResponse.response``, as it came; ``parts`` then holds
    its text rendering."""


_decode_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def compact(raw: bytes) -> str:
    """JSON as text in the one spelling we ever give it: no blanks, order and numbers kept.

    Raises ``ValueError`` for what is no JSON.
    """
    return msgspec.json.format(raw, indent=-1).decode()


def argument_object(arguments: str) -> tuple[bytes, bool]:
    """Arguments as a JSON object, and whether they were one.

    Blank text is an empty object (a call without arguments). Anything else that is no object is
    kept word for word under ``_raw``: silently running a tool with nothing is worse.
    """
    if not arguments.strip():
        return b"{}", True
    data = arguments.encode()
    try:
        _decode_object(data)
        return msgspec.json.format(data, indent=-1), True
    except (ValueError, RecursionError):
        return msgspec.json.encode({RAW_MEMBER: arguments}), False


def unwrapped_arguments(raw: bytes) -> str:
    """Text of an argument object: our own ``_raw`` wrapping is undone, all else is compacted.

    Raises ``ValueError`` for what is no JSON.
    """
    if b'"_raw"' in raw:
        members = msgspec.json.decode(raw)
        if isinstance(members, dict) and len(members) == 1:
            text = members.get(RAW_MEMBER)
            if isinstance(text, str):
                return text
    return compact(raw)
