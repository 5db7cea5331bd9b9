"""Takes in the body of a form as it comes: files to the spool, fields and limits to the reader.

A sender that is faster than the disk is no longer read from until the disk has caught up.
"""

from collections.abc import Callable
from typing import Final

from trivium.edge.exchange import Exchange, Host
from trivium.edge.limits import Limits, body_too_large
from trivium.edge.routes import form_limits
from trivium.faults import Fault, Kind
from trivium.pipeline.route import Route
from trivium.uploads.form import Upload
from trivium.uploads.spool import Room, Spool
from trivium.wire.multipart import FormReader, boundary_of
from trivium.wire.multipart import Limits as FormLimits

_MULTIPART: Final = b"multipart/"


class Intake:
    """One form on its way in."""

    __slots__ = ("_limits", "_reader", "_size", "_spool")

    def __init__(self, boundary: bytes, room: Room, limits: Limits, form: FormLimits) -> None:
        """``limits``: of the whole body; ``form``: of its parts."""
        self._limits = limits
        self._spool = Spool(room)
        self._reader = FormReader(boundary, self._spool.write, form)
        self._size = 0

    def feed(self, data: bytes) -> None:
        """A piece of the body. Raises ``Fault`` when it is no form, or too much of one."""
        self._size += len(data)
        if self._size > self._limits.upload_bytes_max:
            raise body_too_large(self._limits, form=True)
        self._reader.feed(data)

    def full(self, resume: Callable[[], None]) -> bool:
        """Whether the sender should wait; then ``resume`` is called when it need not any more."""
        if not self._spool.full:
            return False
        self._spool.when_room(resume)
        return True

    def finish(self) -> Upload:
        """The whole form. Raises ``Fault`` (MALFORMED_FORM) when it is not."""
        return Upload(self._reader.finish(), self._spool, self._size)

    def close(self) -> None:
        """Nobody will serve it."""
        self._spool.close()


def prepared(
    exchange: Exchange, length: bytes | None, fault: Fault | None, host: Host
) -> Intake | None:
    """How the body of this request is taken in; ``None``: it is kept in memory as it is.

    ``length`` is what it says of its size, ``fault`` why it is refused, if it is. Raises ``Fault``:
    the same or BODY_TOO_LARGE for a body that is too large to be taken in at all, MALFORMED_FORM
    for a form without a boundary, MEDIA_TYPE for one where only JSON is taken.
    """
    limits = host.limits
    intake = None if fault is not None else _intake(exchange, host)
    most = limits.body_bytes_max if intake is None else limits.upload_bytes_max
    if length is not None and int(length) > most:
        raise fault or body_too_large(limits, form=intake is not None)
    return intake


def _intake(exchange: Exchange, host: Host) -> Intake | None:
    content_type = exchange.headers.get(b"content-type", b"")
    if content_type[: len(_MULTIPART)].lower() != _MULTIPART:
        return None
    form = form_limits(exchange.target)
    if form is None and isinstance(exchange.target, Route):
        raise Fault(Kind.MEDIA_TYPE, "This path takes a body of application/json, not a form.")
    boundary = None if form is None else boundary_of(content_type)
    if form is None or boundary is None:
        return None
    return Intake(boundary, host.room, host.limits, form)
