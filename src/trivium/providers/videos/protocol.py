"""What the two ways of asking for videos have in common: the questions, as data. Pure."""

from collections.abc import Callable, Mapping

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.long_strings import LongStrings
from trivium.wire.multipart import Part
from trivium.wire.videos.answer import SeenVideo
from trivium.wire.videos.request import VideoRequest


class ReferencePicture(msgspec.Struct, frozen=True):
    """A reference that is at hand."""

    mime: str
    body: bytes


class FormBody(msgspec.Struct, frozen=True):
    """A body as form parts; a file part without a value is read from the upload."""

    parts: tuple[Part, ...]


class InlineVideo(msgspec.Struct, frozen=True):
    """A file that came within an answer."""

    mime: str
    pieces: list[bytes]
    """Its bytes in base64, as JSON writes them and cut anywhere; whoever hands them over lets go of
    them one by one."""


class VendorCall(msgspec.Struct, frozen=True, kw_only=True):
    """One request to an upstream. ``path`` is below the channel's base URL."""

    method: str
    path: str
    query: Mapping[str, str] = msgspec.field(default_factory=dict)
    body: bytes | FormBody | None = None
    """JSON, or a form."""
    read_file: Callable[[LongStrings], InlineVideo] | None = None
    """Reads the file out of the answer to this; ``None``: the answer is the file. Raises ``Fault``
    (UPSTREAM_BROKE)."""


class UpstreamVideo(msgspec.Struct, frozen=True, kw_only=True):
    """A video at its upstream."""

    served: str
    """The path of the operation that made it."""
    id: str
    file: str
    """Where the upstream said its file is; empty: under the id."""


class VideoProtocol(msgspec.Struct, frozen=True, kw_only=True):
    """One way of asking for videos."""

    inline: bool
    """Whether a reference must be at hand: this upstream takes no URLs and no files."""
    keeps_s: int | None
    """How long the upstream keeps files when it does not say; ``None``: until they are deleted."""
    create: Callable[[str, VideoRequest, str, ReferencePicture | None], VendorCall]
    """(the operation's path, what is asked, the channel's model, the reference if ``inline``).
    Raises ``Fault`` (UNREPRESENTABLE) naming what cannot be carried."""
    look: Callable[[UpstreamVideo], VendorCall]
    read: Callable[[bytes], SeenVideo]
    """Of an answer to ``create``, ``remix`` and ``look``, the last without its long strings
    (``wire/long_strings.py``). Raises ``Fault`` (UPSTREAM_BROKE)."""
    content: Callable[[UpstreamVideo, str], VendorCall]
    """(the video, a variant). Raises ``Fault`` (UNREPRESENTABLE)."""
    delete: Callable[[UpstreamVideo], VendorCall | None]
    """``None``: there is nothing to be deleted."""
    remix: Callable[[UpstreamVideo, str], VendorCall]
    """(the video, a prompt). Raises ``Fault`` (UNREPRESENTABLE)."""


def lacking(param: str, what: str) -> Fault:
    """The refusal of what an upstream cannot be asked for."""
    return Fault(Kind.UNREPRESENTABLE, f"{what} Choose another model.", param=param)
