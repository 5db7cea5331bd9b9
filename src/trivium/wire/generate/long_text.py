"""A long text that is written and not kept: what its citations still need to know of it.

They count its code points, and this shape bytes. Of a stretch in which all characters have as many
bytes, as most do, that number is kept; of any other two bits a character.
"""

from array import array
from typing import Final

_STEP: Final = 512
"""Characters of a stretch. A multiple of four."""
_CONTINUED: Final = bytes(range(0x80, 0xC0))
"""Bytes that go on with a character."""
_DIGITS: Final = bytes(
    ord("0") if byte < 0xC0 else ord("1") if byte < 0xE0 else ord("2") if byte < 0xF0 else ord("3")
    for byte in range(256)
)
"""Of the first byte of each character, how many more there are."""
_MORE: Final = bytes(sum(byte >> shift & 3 for shift in (0, 2, 4, 6)) for byte in range(256))
"""Of four such digits in a byte, their sum."""


class LongText:
    """How many bytes there are before each character of a text. It quotes nothing."""

    __slots__ = ("_before", "_digits", "_rest", "_sizes")

    def __init__(self) -> None:
        self._before = array("Q", [0])
        """Bytes before each stretch, and after the last."""
        self._sizes = bytearray()
        """Bytes of each character of a stretch; 0 where they differ."""
        self._digits: dict[int, bytes] = {}
        """Of stretches where they differ: of each character one byte less, as two bits."""
        self._rest = ""
        """What is yet to be a stretch."""

    def add(self, text: str) -> None:
        """Count the bytes of the text that follows, and keep none of it but an end."""
        text = self._rest + text
        end = len(text) - len(text) % _STEP
        for at in range(0, end, _STEP):
            self._stretch(text[at : at + _STEP])
        self._rest = text[end:]

    def in_bytes(self, at: int) -> int:
        """Bytes before an offset in characters; of one that lies beyond the text, all of them."""
        number, left = divmod(max(0, at), _STEP)
        if number >= len(self._sizes):
            start = len(self._sizes) * _STEP
            return self._before[-1] + _size(self._rest[: at - start])
        before = self._before[number]
        if size := self._sizes[number]:
            return before + size * left
        digits = self._digits[number]
        whole, some = divmod(left, 4)
        more = sum(digits[:whole].translate(_MORE))
        if some:
            more += _MORE[digits[whole] >> 2 * (4 - some)]
        return before + left + more

    def quoted(self, start: int, end: int) -> str | None:
        """Nothing: it is not kept."""
        del start, end
        return None

    def _stretch(self, text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        size, differs = divmod(len(data), _STEP)
        if not text.isascii():
            digits = data.translate(_DIGITS, _CONTINUED)
            if differs or digits.count(digits[0]) != _STEP:
                size = 0
                self._digits[len(self._sizes)] = int(digits, 4).to_bytes(_STEP // 4)
        self._sizes.append(size)
        self._before.append(self._before[-1] + len(data))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
