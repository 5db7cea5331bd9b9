"""A block of a streamed message that is being said."""

from typing import Any, Final

import msgspec

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


class Open:
    """One block, from its start to its stop."""

    __slots__ = ("block", "index", "kind", "pieces", "said", "signature", "start")

    def __init__(self, kind: str, index: int, start: bytes = b"") -> None:
        self.kind = kind
        """What the block is read as; empty: a vendor's own, told when it is whole."""
        self.index = index
        """The part's; -1 while it has not been told: a vendor's block, silent thinking."""
        self.said = False
        self.start = start
        """The input that the block began with."""
        self.signature = ""
        self.block: dict[str, Any] = {}
        self.pieces: list[str] = []

    def grow(self, event: bytes) -> None:
        """Add what an undocumented delta says: more of the block's text, anything else anew.

        Raises ``ValueError`` or ``RecursionError`` for what is no such event.
        """
        delta = _decode(event)["delta"]
        more = {name: value for name, value in delta.items() if name != "type"}
        before, text = self.block.get("text"), more.get("text")
        if isinstance(before, str) and isinstance(text, str):
            more["text"] = before + text
        self.block.update(more)

    def whole(self) -> bytes:
        """A vendor's block with what came after its start."""
        text = "".join(self.pieces)
        if text.strip():
            try:
                self.block["input"] = _decode(text.encode())
            except (ValueError, RecursionError):
                self.block["input"] = {"_raw": text}
        return _encode(self.block)
