"""The header lines of an answer, as bytes that a strict parser has passed.

They are looked up or taken apart when somebody asks, and of most answers nobody asks for more than
one: a vendor sends thirty. What the parser has passed is tokens, colons and values without control
characters, ended by CRLF: it refuses a bare CR or LF, a folded line and a blank before the colon.
"""

from collections.abc import Iterator
from typing import Final

_BLANK: Final = b" \t"


class AnswerHeaders:
    """Header lines in their order. Names are in lower case; what repeats comes as often."""

    __slots__ = ("_apart", "_head", "_without", "low")

    def __init__(self, head: bytes, without: frozenset[bytes] = frozenset()) -> None:
        """``head``: from the status line to the last header, without its line end. ``without``:
        names that are passed over.
        """
        self._head = head
        self.low = head.lower()
        """All of the head in lower case, to be searched."""
        self._without = without
        self._apart: list[tuple[bytes, bytes]] | None = None

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        """Name and value of each line."""
        if self._apart is None:
            rows = [line.partition(b":") for line in self._head.split(b"\r\n")[1:]]
            lines = [(name.lower(), value.strip(_BLANK)) for name, _, value in rows]
            self._apart = [line for line in lines if line[0] not in self._without]
        return iter(self._apart)

    def without(self, names: frozenset[bytes]) -> "AnswerHeaders":
        """Return the same headers with those names left out."""
        return AnswerHeaders(self._head, names)

    def values(self, name: bytes) -> list[bytes]:
        """The values of a name, in lower case."""
        low = self.low
        before = b"\n" + name + b":"
        at = low.rfind(before)
        if at < 0 or name in self._without:
            return []
        found: list[bytes] = []
        while at >= 0:
            end = low.find(b"\r", at)
            found.append(low[at + len(before) : end if end >= 0 else len(low)].strip(_BLANK))
            at = low.rfind(before, 0, at)
        found.reverse()
        return found


NO_LINES: Final = AnswerHeaders(b"")
