"""An exchange on which nobody is answered: what ``pipeline/explain.py`` goes through with one."""

from collections.abc import Mapping

from trivium.faults import Fault
from trivium.identity.model import Caller
from trivium.pipeline.services import Exchange
from trivium.wire.operation import SHAPE, Operation


class Rehearsal(Exchange):
    """An exchange that nobody waits for. See ``Exchange``."""

    __slots__ = ()

    def __init__(
        self,
        operation: Operation,
        headers: Mapping[bytes, bytes],
        caller: Caller,
        body: bytes,
        request_id: str,
    ) -> None:
        self.request_id = request_id
        self.method = "POST"
        self.headers = dict(headers)
        self.body = body
        self.arrived = 0.0
        self.caller = caller
        self.shape = SHAPE[operation]
        self.extra = []
        self.lines = b""
        self.task = None
        self.gone = False
        self.flow = None
        self.bytes_out = 0
        self.upload = None
        self.framing = None
        self.begun = False
        self.congested = False

    def values(self, name: bytes) -> list[bytes]:
        """Every value of a header."""
        return [self.headers[name]] if name in self.headers else []

    def answer(self, status: int, body: bytes, *, content_type: bytes = b"") -> None:
        """Send nothing, because a rehearsal has no caller."""

    def fail(self, fault: Fault) -> None:
        """Send no error, because a rehearsal has no caller."""

    def begin(self, status: int, content_type: bytes, *, length: int | None = None) -> None:
        """Start no answer, because a rehearsal has no caller."""

    def write(self, data: bytes) -> None:
        """Send no piece, because a rehearsal has no caller."""

    def finish(self, rest: bytes = b"") -> None:
        """End no answer, because a rehearsal has no caller."""

    def drop_body(self) -> None:
        """Let go of the request, as a real exchange does."""
        self.body = b""

    def break_off(self) -> None:
        """Close nothing, because a rehearsal has no caller."""
