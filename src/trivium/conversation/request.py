"""The canonical request: what a caller asks for, whatever shape it was written in.

Absent is ``None`` throughout: a member that the caller did not send is not sent on. Raw JSON
(``bytes``) is kept for schemas and for members that only one shape has.
"""

from enum import Enum, unique

import msgspec

from trivium.conversation.items import Turn
from trivium.conversation.losses import Rank
from trivium.conversation.parts import CacheMark, Text
from trivium.conversation.tools import Tool, ToolChoice


@unique
class Effort(Enum):
    """How hard the model should think; in rising order."""

    NONE = "none"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"

    __hash__ = object.__hash__


@unique
class Thinking(Enum):
    """The switch for thinking, where the caller set one apart from effort and budget."""

    OFF = "off"
    ON = "on"  # with a budget
    ADAPTIVE = "adaptive"  # the model decides
    BETWEEN_TOOLS = "between_tools"  # messages only: short notes between calls


class ReasoningSettings(msgspec.Struct, frozen=True, gc=False):
    """What the caller asks of the model's thinking."""

    switch: Thinking | None = None
    effort: Effort | None = None
    budget: int | None = None
    """Tokens. Generate's -1 is ``switch=ADAPTIVE``, its 0 ``switch=OFF``."""
    shown: bool | None = None
    """Whether readable thinking is wanted: R ``summary``, M ``display``, G ``includeThoughts``."""
    style: str | None = None
    """Responses: ``concise`` or ``detailed``; ``auto`` is ``shown=True`` alone."""


@unique
class FormatKind(Enum):
    """The format that the answer's text must have."""

    TEXT = "text"
    JSON = "json"  # any JSON object
    SCHEMA = "schema"
    ENUM = "enum"  # generate's text/x.enum: one bare word of the schema's enum


class ResponseFormat(msgspec.Struct, frozen=True, gc=False):
    """The format of the answer's text: a kind, and a schema for some kinds."""

    kind: FormatKind
    schema: bytes | None = None
    """JSON Schema as it came, with kind SCHEMA or ENUM."""
    name: str | None = None
    """OpenAI requires one; ``response`` where the caller's shape has none."""
    description: str | None = None
    strict: bool | None = None


class Sampling(msgspec.Struct, frozen=True, gc=False):
    """How tokens are drawn."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    seed: int | None = None
    logit_bias: bytes | None = None
    """JSON object of token id to bias."""


class Extension(msgspec.Struct, frozen=True, gc=False):
    """A member that only the caller's shape has, kept so that its loss can be reported."""

    member: str
    """Path in the body, in the caller's spelling: ``prediction``, ``messages[2].audio``."""
    data: bytes
    """Its JSON."""
    rank: Rank
    """What becomes of the request when it cannot be carried."""


class Conversation(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A request of any conversation shape, as all codecs read and write it."""

    shape: str
    """Shape it was read from; names members in reports."""
    model: str
    """Name asked for."""
    instructions: tuple[Text, ...] = ()
    """The top-level slot: R ``instructions``, M ``system``, G ``systemInstruction``. Chat has no
    such slot: its leading system messages are turns."""
    turns: tuple[Turn, ...] = ()
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice | None = None
    parallel_calls: bool | None = None
    sampling: Sampling = Sampling()
    output_max: int | None = None
    """Tokens, reasoning included."""
    stop: tuple[str, ...] = ()
    reasoning: ReasoningSettings | None = None
    format: ResponseFormat | None = None
    verbosity: str | None = None
    modalities: tuple[str, ...] = ()
    """Wanted output in lower case (``text``, ``audio``, ``image``); empty: not said."""
    audio: bytes | None = None
    """Voice and format of spoken output, JSON as it came."""
    candidates: int | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    metadata: tuple[tuple[str, str], ...] = ()
    user: str | None = None
    """End user: C/R ``user``, M ``metadata.user_id``."""
    safety_id: str | None = None
    """C/R ``safety_identifier``; goes where ``user`` goes when that is absent."""
    cache_key: str | None = None
    """C/R ``prompt_cache_key``."""
    cache: CacheMark | None = None
    """M top-level ``cache_control``: mark the last block that can be marked."""
    service_tier: str | None = None
    """``auto``, ``default``, ``flex``, ``priority``, ``fast``, …, in OpenAI's words."""
    store: bool | None = None
    stream: bool = False
    usage_wanted: bool = False
    """Whether a stream is to carry usage; always true of shapes that do so unasked."""
    extensions: tuple[Extension, ...] = ()
