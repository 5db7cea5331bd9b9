"""What a path asks of the pipeline; ``edge/routes.py`` has the paths."""

import msgspec

from trivium.wire.operation import Operation


class Route(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a relay path asks for."""

    operation: Operation
    model: str = ""
    """The model named in the path; empty where the body names it."""
    array: bool = False
    """A streamed answer as one JSON array (generate-content without ``alt=sse``)."""


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """What a path below a stored response asks for."""

    response_id: str
    action: str
    """``retrieve``, ``delete``, ``cancel`` or ``input_items``."""


class VideoCall(msgspec.Struct, frozen=True, kw_only=True):
    """What a path of the videos shape asks for."""

    action: str
    """``create``, ``list``, ``retrieve``, ``delete``, ``content`` or ``remix``."""
    video_id: str = ""
