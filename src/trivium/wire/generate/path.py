"""Model and method of a generate-content address: ``…/models/{model}:{method}``.

A model name may hold slashes (the Python SDK leaves them as they are) and colons (``llama3:8b``),
so the address is read from the right: the method follows the last colon. Source: google-genai
2.x and 3.x and @google/genai, their requests read on 2026-11-21.
"""

from typing import Final
from urllib.parse import unquote_to_bytes

from trivium.wire.operation import TABLE, Operation, Shape

METHODS: Final[dict[str, Operation]] = {
    path.rpartition(":")[2]: operation
    for operation, row in TABLE.items()
    if row.shape is Shape.GENERATE
    for path in row.paths
}
"""Methods we answer, by their name in the address."""

_PREFIX: Final = "models/"


def parse(path_after_models: str) -> tuple[str, Operation] | None:
    """Model and operation of what follows ``models/``, as it stood in the request line.

    One character is one byte (Latin-1). ``None`` when the method is unknown, the name is empty or
    the bytes are not UTF-8: there is nothing at such an address.
    """
    text = _decode(path_after_models)
    if text is None:
        return None
    name, _, method = text.rpartition(":")
    operation = METHODS.get(method)
    model = bare(name)
    return (model, operation) if operation is not None and model else None


def decode_model(path_after_models: str) -> str | None:
    """The name in ``GET …/models/{name}``, percent-decoded once; ``None`` when there is none."""
    text = _decode(path_after_models)
    return bare(text) or None if text is not None else None


def bare(name: str) -> str:
    """A model name without the resource prefix, which SDKs and people repeat."""
    while name.startswith(_PREFIX):
        name = name[len(_PREFIX) :]
    return name


def _decode(raw: str) -> str | None:
    try:
        return unquote_to_bytes(raw.encode("latin-1")).decode()
    except UnicodeError:
        return None
