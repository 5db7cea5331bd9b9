"""Takes in the body of a form as it comes: files to the spool, fields and limits to the reader.

A sender that is faster than the disk is no longer read from until the disk has caught up.
"""

from collections.abc import Callable
from typing import Final

from trivium.edge.body import BodyBuffer
from trivium.edge.body_memory import LARGE_BYTES, UNCOUNTED_BYTES, MemoryShare
from trivium.edge.exchange import Exchange, Host
from trivium.edge.limits import ServerLimits, body_too_large
from trivium.edge.routes import PageRoute, form_limits
from trivium.faults import Fault, Kind
from trivium.pipeline.structs import Route
from trivium.uploads.form import Upload
from trivium.uploads.spool import HIGH_BYTES, Room, Spool
from trivium.wire.multipart import FormReader, boundary_of
from trivium.wire.multipart import Limits as FormLimits

_MULTIPART: Final = b"multipart/"


class FormUpload:
    """One form on its way in."""

    __slots__ = ("_kept_bytes_max", "_limits", "_reader", "_share", "_spool", "size")

    def __init__(
        self,
        boundary: bytes,
        room: Room,
        limits: ServerLimits,
        form: FormLimits,
        share: MemoryShare,
    ) -> None:
        """``limits``: of the whole body; ``form``: of its parts."""
        self._limits = limits
        self._share = share
        # its fields, its files while they are small, and what waits for the disk
        self._kept_bytes_max = form.fields_bytes + room.memory_bytes + HIGH_BYTES
        self._spool = Spool(room)
        self._reader = FormReader(boundary, self._spool.write, form)
        self.size = 0
        """Bytes so far."""

    def feed(self, data: bytes) -> None:
        """A piece of the body. Raises ``Fault`` when it is no form, or too much of one."""
        self.size += len(data)
        if self.size > self._limits.upload_bytes_max:
            raise body_too_large(self._limits, form=True)
        self._share.cover(min(self.size, self._kept_bytes_max))
        self._reader.feed(data)

    def full(self, resume: Callable[[], None]) -> bool:
        """Whether the sender should wait; then ``resume`` is called when it need not any more."""
        if not self._spool.full:
            return False
        self._spool.when_room(resume)
        return True

    def finish(self, exchange: Exchange) -> None:
        """Hand the whole form over. Raises ``Fault`` (MALFORMED_FORM) when it is not."""
        exchange.upload = Upload(self._reader.finish(), self._spool, self.size)
        self._share.came()
        exchange.share = self._share

    def close(self) -> None:
        """Nobody will serve it."""
        self._spool.close()
        self._share.close()


def prepared(exchange: Exchange, fault: Fault | None, host: Host) -> BodyBuffer | FormUpload | None:
    """How the body of this request is taken in; ``None``: it has none.

    ``fault`` is why it is refused, if it is. Raises ``Fault``: the same or BODY_TOO_LARGE for a
    body that is too large to be taken in at all, MALFORMED_FORM for a form without a boundary,
    MEDIA_TYPE for one where only JSON is taken.
    """
    limits = host.limits
    length = int(exchange.headers.get(b"content-length") or 0)
    intake = None if fault is not None else _intake(exchange, host)
    most = limits.body_bytes_max if intake is None else limits.upload_bytes_max
    if length > most:
        raise fault or body_too_large(limits, form=intake is not None)
    if intake is None and (length or b"transfer-encoding" in exchange.headers):
        is_page = isinstance(exchange.target, PageRoute)
        # most bodies are so small that they have no share
        share = _share(exchange, host) if length > UNCOUNTED_BYTES or not length else None
        return BodyBuffer(limits, share, is_page=is_page)
    return intake


def _intake(exchange: Exchange, host: Host) -> FormUpload | None:
    content_type = exchange.headers.get(b"content-type", b"")
    if content_type[: len(_MULTIPART)].lower() != _MULTIPART:
        return None
    form = form_limits(exchange.target)
    if form is None and isinstance(exchange.target, Route):
        raise Fault(Kind.MEDIA_TYPE, "This path takes a body of application/json, not a form.")
    boundary = None if form is None else boundary_of(content_type)
    if form is None or boundary is None:
        return None
    return FormUpload(boundary, host.room, host.limits, form, _share(exchange, host))


def _share(exchange: Exchange, host: Host) -> MemoryShare:
    length = exchange.headers.get(b"content-length")
    large = length is None or int(length) > LARGE_BYTES
    return MemoryShare(host.kept, exchange.caller, large=large)
