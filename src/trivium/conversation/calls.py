"""Tool calls and their results.

Chat and responses carry arguments as text, messages and generate as objects. The canonical call
keeps the text, because text survives: broken JSON, key order and number spelling included.
"""

from enum import Enum, unique

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


@unique
class CallKind(Enum):
    """What the arguments of a call are."""

    FUNCTION = "function"  # JSON text
    CUSTOM = "custom"  # free text, the ``input``


class ToolCall(PartBase, frozen=True, gc=False):
    """A call of the model's that the caller is to run."""

    id: str
    """Links the result; empty where the shape has none (``tool_pairs.py`` mints one)."""
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
    """The answer of a tool. Stands in a user turn."""

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
