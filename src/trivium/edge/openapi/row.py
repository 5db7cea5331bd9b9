"""What is said of one operation in the description."""

from typing import Final

import msgspec

from trivium.wire.operation import SHAPE, TABLE, Operation, Shape

Body = str | tuple[str, ...]
"""A component's name, or several of which the answer is one."""

BEARER: Final = ("gatewayBearer",)
MESSAGES: Final = ("gatewayMessagesKey", "gatewayBearer")
GENERATE: Final = ("gatewayGenerateKey", "gatewayGenerateQuery")
ANY: Final = (*BEARER, "gatewayMessagesKey", *GENERATE)


class OperationRow(msgspec.Struct, frozen=True, kw_only=True):
    """One operation."""

    method: str
    path: str
    name: str
    """``operationId``."""
    tag: str
    about: str
    request: str | None = None
    """Component of the JSON body."""
    form: str | None = None
    """Component of the multipart form that is taken, beside or instead of a JSON body."""
    answer: Body | None = None
    """Component of the 200 answer in JSON; ``None``: there is none."""
    files: tuple[str, ...] = ()
    """Content types of answers that are not JSON."""
    event: str | None = None
    """Component of one event of the streamed answer; ``None``: it never streams."""
    stream_only: bool = False
    """Whether every answer is a stream: of events, or of one JSON array."""
    failures: tuple[str, ...] = ()
    """Statuses it fails with where no key is asked for; else those that all operations have."""
    ranges: bool = False
    """Whether a part of the file may be asked for."""
    known: bool = False
    """Whether a file that the client has already is not sent again."""
    keys: tuple[str, ...] = ()
    """Ways to present a key, any one of which does; empty: none is asked for."""
    parameters: tuple[str, ...] = ()
    """Components of parameters."""


_KEYS: Final = {Shape.MESSAGES: MESSAGES, Shape.GENERATE: GENERATE}
"""Ways to present a key that a shape's own clients know; all others send it as a bearer."""


def relayed(
    operation: Operation,
    *,
    name: str,
    about: str,
    path: int = 0,
    request: str | None = None,
    form: str | None = None,
    answer: Body | None = None,
    files: tuple[str, ...] = (),
    event: str | None = None,
    stream_only: bool = False,
    parameters: tuple[str, ...] = (),
) -> OperationRow:
    """The row of an operation of the table, which knows its address and its shape.

    ``path`` says which of its paths. The others are those of ``OperationRow``.
    """
    shape = SHAPE[operation]
    return OperationRow(
        method="POST",
        path=TABLE[operation].paths[path],
        name=name,
        tag=shape.value,
        about=about,
        request=request,
        form=form,
        answer=answer,
        files=files,
        event=event,
        stream_only=stream_only,
        keys=_KEYS.get(shape, BEARER),
        parameters=parameters,
    )
