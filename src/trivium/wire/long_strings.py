"""JSON that comes in pieces, with its long strings kept apart: what is left is read in one go.

A film within an answer is a string of a hundred megabytes. Joined, scanned and built as a text it
would be three copies and long turns of the loop. Here its pieces are kept as they came, a mark
stands in the place of each such string, and what is around them is small.
"""

from typing import Final

from trivium.faults import Fault, Kind

LONG_BYTES: Final = 16_384
"""Of a string that is kept apart."""
SMALL_BYTES_MAX: Final = 65_536
"""Most bytes around the long strings."""
_MARK: Final = "\0long "
_QUOTE: Final = b'"'


class LongStrings:
    """One JSON value. ``add`` its bytes, cut anywhere; then ask."""

    __slots__ = ("_found", "_is_inside", "_is_odd", "_size", "_small", "_small_size", "_text")

    def __init__(self) -> None:
        self._found: list[list[bytes]] = []
        self._small: list[bytes] = []
        self._small_size = 0
        self._text: list[bytes] = []
        """Pieces of the string that is open, and their bytes."""
        self._size = 0
        self._is_inside = False
        self._is_odd = False
        """Whether what has come of it ends with a backslash that begins an escape."""

    def add(self, data: bytes) -> None:
        """Take the next bytes. Raises ``Fault`` (UPSTREAM_BROKE) where there is much beside long
        strings, or one holds a quote, which none of base64 does.
        """
        at = 0
        while at < len(data):
            end = data.find(_QUOTE, at)
            if not self._is_inside:
                self._keep(data[at:] if end < 0 else data[at : end + 1])
                self._is_inside = end >= 0
            elif self._goes_on(data[at:] if end < 0 else data[at:end], is_whole=end >= 0):
                self._close()
            if end < 0:
                return
            at = end + 1

    def small(self) -> bytes:
        """The JSON with a mark in the place of each long string; none where one was left open."""
        return b"".join(self._small)

    def pieces(self, text: str) -> list[bytes]:
        """A string of ``small``, as it is written in JSON: of a mark the pieces of what it stands
        for, which are whoever asks to keep. Raises ``Fault`` for a mark that is none of ours.
        """
        if not text.startswith(_MARK):
            return [text.encode("utf-8", "surrogatepass")]
        number = text.removeprefix(_MARK)
        if not number.isascii() or not number.isdigit() or int(number[:9]) >= len(self._found):
            raise _broken("is none of the protocol")
        found, self._found[int(number)] = self._found[int(number)], []
        return found

    def _goes_on(self, piece: bytes, *, is_whole: bool) -> bool:
        """Take more of the open string; whether the quote behind it closes it."""
        slashes = len(piece) - len(piece.rstrip(b"\\"))
        if slashes == len(piece) and self._is_odd:
            slashes += 1
        self._is_odd = slashes % 2 == 1
        closes = is_whole and not self._is_odd
        if is_whole and self._is_odd:
            piece += _QUOTE
            self._is_odd = False
            if self._size + len(piece) > LONG_BYTES:
                raise _broken("has a long text that is no base64")
        if piece:
            self._text.append(piece)
            self._size += len(piece)
        return closes

    def _close(self) -> None:
        text, self._text = self._text, []
        if self._size > LONG_BYTES:
            self._keep(b"\\u0000long %d" % len(self._found))
            self._found.append(text)
        else:
            self._keep(b"".join(text))
        self._keep(_QUOTE)
        self._size = 0
        self._is_inside = False

    def _keep(self, piece: bytes) -> None:
        self._small_size += len(piece)
        if self._small_size > SMALL_BYTES_MAX:
            raise _broken("is too large")
        self._small.append(piece)


def _broken(why: str) -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, f"The upstream's answer {why}.")
