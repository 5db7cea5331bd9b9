"""A block of a streamed answer that is being said."""

import base64
from typing import Any, Final

import msgspec

_encode: Final = msgspec.json.Encoder().encode


class ConverseOpenBlock:
    """One block, from its start or its first delta to its stop."""

    __slots__ = ("head", "index", "kind", "pieces", "rows", "said", "secret", "signed")

    def __init__(self, kind: str, index: int = -1) -> None:
        self.kind = kind
        """``text``, ``toolUse``, ``reasoningContent``, ``image``, ``toolResult`` or any other name;
        ``server`` is a call that the vendor ran itself."""
        self.index = index
        """The part's; -1 while it has not been told."""
        self.said = False
        self.head: dict[str, Any] = {}
        """What it began with, of a block that is told when it is whole."""
        self.pieces: list[str] = []
        """Input or bytes of such a block."""
        self.rows: list[msgspec.Raw] = []
        """Its deltas, where they are told as they came."""
        self.signed: list[str] = []
        """Pieces of the signature."""
        self.secret: list[str] = []
        """Pieces of reasoning that only its maker can read, each in base64."""

    def native(self) -> bytes:
        """A block of the vendor's own as a whole answer has it."""
        if self.kind == "server":
            return _encode({"toolUse": {**self.head, "input": self._input()}})
        if self.kind == "toolResult":
            return _encode({"toolResult": {**self.head, "content": self.rows}})
        return _encode({self.kind: self.rows})

    def _input(self) -> Any:
        text = "".join(self.pieces)
        if not text.strip():
            return {}
        try:
            return msgspec.json.decode(text)
        except (ValueError, RecursionError):
            return {"_raw": text}


def joined(pieces: list[str]) -> str:
    """Bytes that came in pieces, each of them base64 by itself, as one text of base64.

    Raises ``ValueError`` for what is none.
    """
    if len(pieces) < 2:
        return "".join(pieces)
    found = b"".join([base64.b64decode(piece, validate=True) for piece in pieces])
    return base64.b64encode(found).decode()
