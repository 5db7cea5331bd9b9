"""The tools a caller declares, and how the model is to choose among them."""

from enum import Enum, unique

import msgspec

from trivium.conversation.parts import CacheMark, Native


class FunctionTool(msgspec.Struct, frozen=True, gc=False):
    """A function that the caller runs."""

    name: str
    description: str | None = None
    parameters: bytes | None = None
    """JSON Schema as it came; ``None``: no parameters."""
    strict: bool | None = None
    """``None``: not said. Responses reads a missing one as true, all others as false."""
    namespace: str | None = None
    """Responses only."""
    cache: CacheMark | None = None
    native: Native | None = None
    """Members that one shape alone has (``defer_loading``, ``input_examples``), a JSON object."""


class Grammar(msgspec.Struct, frozen=True, gc=False):
    """The grammar that the input of a custom tool must follow."""

    syntax: str
    """``lark`` or ``regex``."""
    definition: str


class CustomTool(msgspec.Struct, frozen=True, gc=False):
    """A tool that takes free text."""

    name: str
    description: str | None = None
    grammar: Grammar | None = None
    namespace: str | None = None
    cache: CacheMark | None = None


@unique
class ServerKind(Enum):
    """Kinds of vendor-run tools that more than one vendor has."""

    WEB_SEARCH = "web_search"
    WEB_FETCH = "web_fetch"
    CODE = "code_execution"


class ServerTool(msgspec.Struct, frozen=True, gc=False):
    """A tool the vendor runs. A restriction is policy: a target that lacks it is refused."""

    kind: ServerKind
    native: Native
    """The declaration as it came."""
    name: str = ""
    """Its name where the shape gives one."""
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    max_uses: int | None = None
    user_location: bytes | None = None
    """JSON object ``{city, country, region, timezone}``."""
    context_size: str | None = None
    """``low``, ``medium`` or ``high``."""
    cache: CacheMark | None = None


class VendorTool(msgspec.Struct, frozen=True, gc=False):
    """Any other tool, which only its own shape can carry."""

    kind: str
    """Its ``type``; for generate the member's name."""
    native: Native
    name: str = ""
    cache: CacheMark | None = None


Tool = FunctionTool | CustomTool | ServerTool | VendorTool


@unique
class ChoiceMode(Enum):
    """How freely the model chooses among the tools."""

    AUTO = "auto"
    NONE = "none"
    REQUIRED = "required"  # at least one call
    NAMED = "named"  # a call of the one tool in ``names``
    VALIDATED = "validated"  # generate: as AUTO, calls are checked against their schemas


class ToolChoice(msgspec.Struct, frozen=True, gc=False):
    """The caller's choice among the tools; absent (``None`` in the request) is not AUTO."""

    mode: ChoiceMode
    names: tuple[str, ...] = ()
    """NAMED: the tool. AUTO and REQUIRED: the allowed subset, empty for all of them."""
    native: Native | None = None
    """A choice of a vendor's own tool, which no other shape can express."""
