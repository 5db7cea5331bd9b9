"""The chat shape of llama.cpp's server: some streams begin without a role.

When the first token is only a part of a character (most emoji), the chunk that names the role is
never sent. openai-node's stream helper fails without it, and what openai-python's gives cannot be
sent back as a turn.

Source: llama.cpp's server in xllamacpp 2026.10.11549, recorded 2026-11-21.
"""

from typing import Any, Final

import msgspec

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


class Roles:
    """Names the role where each choice of a stream begins. One object per answer."""

    __slots__ = ("_named",)

    def __init__(self) -> None:
        self._named: set[int] = set()

    def rewrite(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """(no event name, data) of what becomes of one frame's data."""
        try:
            chunk = _decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return [(b"", data)]
        choices = chunk.get("choices") if isinstance(chunk, dict) else None
        added = [self._name(c) for c in choices] if isinstance(choices, list) else []
        return [(b"", _encode(chunk) if any(added) else data)]

    def _name(self, choice: Any) -> bool:
        """Add the role if the choice begins here without it; whether that was so."""
        index = choice.get("index") if isinstance(choice, dict) else None
        if not isinstance(index, int) or index in self._named:
            return False
        self._named.add(index)
        delta = choice.get("delta")
        if not isinstance(delta, dict) or "role" in delta:
            return False
        choice["delta"] = {"role": "assistant"} | delta
        return True
