"""What the parts of the relay hand each other: data without a decision, so that no Struct keeps the
code beside it from being compiled.
"""

from collections.abc import Mapping
from enum import Enum, auto, unique
from typing import TYPE_CHECKING

import msgspec

from trivium.conversation.opaque import StateOrigin
from trivium.conversation.usage import Usage
from trivium.response_store.signatures.model import SignatureTrace
from trivium.wire.operation import Operation
from trivium.wire.surface import Surface

if TYPE_CHECKING:  # pictures are not read of before the port is open
    from trivium.wire.images.generate import SourceImage
    from trivium.wire.images.request import ImageRequest


class Route(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a relay path asks for; ``edge/routes.py`` has the paths."""

    operation: Operation
    model: str = ""
    """The model named in the path; empty where the body names it."""
    array: bool = False
    """A streamed answer as one JSON array (generate-content without ``alt=sse``)."""
    surface: Surface = Surface.OWN
    """Whose clients have such an address: what came and what is answered may be in a cloud's words
    (``pipeline/surface.py``)."""


class StoredResponseRoute(msgspec.Struct, frozen=True, kw_only=True):
    """What a path below a stored response asks for."""

    response_id: str
    action: str
    """``retrieve``, ``delete``, ``cancel`` or ``input_items``."""


class VideoRoute(msgspec.Struct, frozen=True, kw_only=True):
    """What a path of the videos shape asks for."""

    action: str
    """``create``, ``list``, ``retrieve``, ``delete``, ``content`` or ``remix``."""
    video_id: str = ""


class AffinityState(msgspec.Struct, frozen=True):
    """What is known of the opaque state in one request. ``pipeline/affinity.py`` finds it out."""

    traces: Mapping[str, SignatureTrace] = msgspec.field(default_factory=dict)
    """Of the calls in its history, by id."""
    sealed: bool = False
    """Whether envelopes of ours are in it, which no vendor must see."""
    makers: frozenset[StateOrigin] = frozenset()
    """Channels that are known to have made values which stand there as they made them."""


class ImageOrder(msgspec.Struct):
    """What one request asks for, and the pictures it brings."""

    wanted: "ImageRequest"
    sources: "tuple[SourceImage, ...] | None" = None
    """``None`` until a channel needs them as bytes."""


@unique
class Mode(Enum):
    """How the body of a vendor's answer is taken."""

    WAITING = auto()
    """The head has not come."""
    WHOLE = auto()
    STREAM = auto()
    REFUSAL = auto()


class WholeAnswer(msgspec.Struct, frozen=True, gc=False):
    """A whole answer on its way to the caller."""

    body: bytes
    usage: Usage | None
    content_type: bytes = b"application/json"
