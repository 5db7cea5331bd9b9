"""A block of a streamed message that is being said."""

from typing import Any, Final

import msgspec

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


class OpenBlock:
    """One block, from its start to its stop."""

    __slots__ = ("block", "index", "kind", "pieces", "said", "signed", "start", "texts")

    def __init__(self, kind: str, index: int, start: bytes = b"") -> None:
        self.kind = kind
        """What the block is read as; empty: a vendor's own, told when it is whole."""
        self.index = index
        """The part's; -1 while it has not been told: a vendor's block, silent thinking."""
        self.said = False
        self.start = start
        """The input that the block began with."""
        self.signed: list[str] = []
        """Pieces of the signature."""
        self.texts: list[str] = []
        """What an undocumented kind of delta adds to the block's text."""
        self.block: dict[str, Any] = {}
        self.pieces: list[str] = []

    def grow(self, event: bytes) -> None:
        """Add what an undocumented delta says: more of the block's text, anything else anew.

        Raises ``ValueError`` or ``RecursionError`` for what is no such event.
        """
        delta = _decode(event)["delta"]
        more = {name: value for name, value in delta.items() if name != "type"}
        if isinstance(self.block.get("text"), str) and isinstance(more.get("text"), str):
            self.texts.append(more.pop("text"))
        elif "text" in more:
            self.texts.clear()
        self.block.update(more)

    def whole(self) -> bytes:
        """A vendor's block with what came after its start."""
        if self.texts:
            self.block["text"] += "".join(self.texts)
        text = "".join(self.pieces)
        if text.strip():
            try:
                self.block["input"] = _decode(text.encode())
            except (ValueError, RecursionError):
                self.block["input"] = {"_raw": text}
        return _encode(self.block)
