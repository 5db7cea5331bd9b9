"""Places in a text in characters and in bytes of UTF-8, without going through all of it."""

from typing import Final

_STEP: Final = 512
_CONTINUED: Final = bytes(range(0x80, 0xC0))
"""Bytes that go on with a character."""
_QUOTED: Final = 2
"""Times that a text is quoted in all: thousands of citations may each be of all of it."""
_QUOTED_BYTES: Final = 65_536


class Offsets:
    """Translates offsets into one text from one count to the other."""

    __slots__ = ("_bytes", "_characters", "_data", "_left", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._data = b"" if text.isascii() else text.encode("utf-8", "surrogatepass")
        self._characters: list[int] = []
        """Characters before every ``_STEP`` bytes; made when first asked for."""
        self._bytes: list[int] = []
        """Bytes before every ``_STEP`` characters."""
        self._left = _QUOTED * len(text) + _QUOTED_BYTES

    def in_characters(self, at: int) -> int | None:
        """Characters before an offset in bytes; ``None``: outside, or inside of a character."""
        data = self._data
        if not data:
            return at if 0 <= at <= len(self._text) else None
        if (
            not 0 <= at <= len(data)
            or data[at : at + 1].translate(None, _CONTINUED) != data[at : at + 1]
        ):
            return None
        if not self._characters:
            total = 0
            for start in range(0, len(data) + 1, _STEP):
                self._characters.append(total)
                total += len(data[start : start + _STEP].translate(None, _CONTINUED))
        step = at // _STEP
        return self._characters[step] + len(data[step * _STEP : at].translate(None, _CONTINUED))

    def in_bytes(self, at: int) -> int:
        """Bytes before an offset in characters."""
        text = self._text
        at = min(at, len(text))
        if not self._data:
            return at
        if not self._bytes:
            total = 0
            for start in range(0, len(text) + 1, _STEP):
                self._bytes.append(total)
                total += _size(text[start : start + _STEP])
        step = at // _STEP
        return self._bytes[step] + _size(text[step * _STEP : at])

    def quoted(self, start: int, end: int) -> str | None:
        """The text between two offsets; ``None`` when too much has been quoted already."""
        self._left -= max(0, end - start)
        return None if self._left < 0 else self._text[start:end]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
