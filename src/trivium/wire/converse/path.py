"""Model and method of a Converse address: ``/model/{modelId}/converse``.

The SDKs encode all but letters, digits and ``-._~`` of an id: its colons and, of an ARN, its
slashes. A proxy on the way may have undone that, so the address is read from its end: the method
follows the last slash. Source: botocore 1.44, its requests read on 2026-11-28.
"""

from typing import Final
from urllib.parse import unquote_to_bytes

from trivium.wire.operation import TABLE, Operation, Shape

PREFIX: Final = "/model/"
METHODS: Final[dict[str, Operation]] = {
    path.rpartition("/")[2]: operation
    for operation, row in TABLE.items()
    if row.shape is Shape.CONVERSE
    for path in row.paths
}
"""Methods we answer, by their name in the address."""


def parse(path: bytes) -> tuple[str, Operation] | None:
    """Model and operation of a path as it stood in the request line.

    ``None`` when it is none of this shape's, the name is empty or is no UTF-8: there is nothing at
    such an address.
    """
    text = path.decode("latin-1")
    if not text.startswith(PREFIX):
        return None
    name, _, method = text.removeprefix(PREFIX).rpartition("/")
    operation = METHODS.get(method)
    model = decoded_name(name) if operation is not None else None
    return (model, operation) if operation is not None and model else None


def decoded_name(name: str) -> str | None:
    """A model's name, percent-decoded once; ``None`` where it is no UTF-8."""
    try:
        return unquote_to_bytes(name.encode("latin-1")).decode()
    except UnicodeError:
        return None
