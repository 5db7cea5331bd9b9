"""How much JSON a body holds, before anything is made of it.

A list of millions of tiny objects takes three bytes an object on the wire and a hundred to a
thousand in memory once each is a value; a limit on bytes alone does not hold that.
"""

from collections.abc import Iterator
from typing import Final

LARGE_BYTES: Final = 1_048_576
"""Of a body whose reading takes long enough that others have their turn between the steps, and
that is looked at before anything is made of it."""
PACED_BYTES: Final = 262_144
"""The same of a body that is translated, which takes ten times as long."""
MEMBERS_EACH: Final = 2
"""Members of objects that are counted for one object: a member takes half the time to read."""
VALUES_EACH: Final = 5
"""Values in arrays and objects that are counted for one object."""
_LOOK_BYTES: Final = 4_194_304
"""Looked at in one go: a third to 2 ms a MiB, of which most is where nothing else stands."""
_WINDOW_BYTES: Final = 262_144
"""Taken apart in one go: up to 90 ms a MiB, where every other byte ends a string."""
_SIGNS: Final = b"{[:,"
_WORDS: Final = bytes(byte for byte in range(256) if byte not in _SIGNS)
_UNQUOTED: Final = bytes(byte for byte in _WORDS if byte != ord('"'))


def exceeds(body: bytes, objects_max: int) -> bool:
    """Whether JSON holds more objects and arrays than that, twice as many members, or five times
    as many values. Garbage may be taken for either.
    """
    if len(body) <= objects_max:
        return False
    census = Census(body, objects_max)
    for _ in census.steps():
        pass
    return census.found


class Census:
    """The same in steps, for a body that takes long: ``found`` once all of them are done."""

    __slots__ = ("_body", "_objects_max", "found")

    def __init__(self, body: bytes, objects_max: int) -> None:
        self._body = body
        self._objects_max = objects_max
        self.found = False

    def steps(self) -> Iterator[None]:
        """Count, giving way after each step.

        Large bodies are long texts and pictures with few of the signs that make these; only
        where there are too many it is looked at which stand inside of strings.
        """
        body, most = self._body, self._objects_max
        signs = _Signs()
        for at in range(0, len(body), _LOOK_BYTES):
            if at:
                yield
            signs.count(body[at : at + _LOOK_BYTES])
        if signs.fit(most):
            return
        signs = _Signs()
        inside, rest = 0, b""
        for at in range(0, len(body), _WINDOW_BYTES):  # a crowd is found early
            yield
            text, rest = _unescaped(rest + body[at : at + _WINDOW_BYTES])
            signs.quotes += text.count(b'"')
            if signs.fit(most):
                # two quotes with no sign between them change nothing for those around them, and
                # most strings are no more than that: 10.6 -> 3.2 ms for a MiB of probabilities
                # (2026-11-28)
                parts = text.translate(None, _UNQUOTED).replace(b'""', b"").split(b'"')
                signs.count(b"".join(parts[inside::2]))
                inside ^= (len(parts) - 1) & 1
            if not signs.fit(most):
                self.found = True
                return


class JsonTally:
    """A first look at JSON that comes in pieces, those inside of strings counted as well."""

    __slots__ = ("_objects_max", "_signs")

    def __init__(self, objects_max: int) -> None:
        self._objects_max = objects_max
        self._signs = _Signs()

    def add(self, piece: bytes) -> None:
        """Count one more piece."""
        self._signs.count(piece)

    @property
    def fits(self) -> bool:
        """Whether all of them together surely do not exceed what ``exceeds`` asks for."""
        return self._signs.fit(self._objects_max)


def _unescaped(text: bytes) -> tuple[bytes, bytes]:
    """A piece without the escapes that could hide the end of a string, and what may be the first
    byte of one that its end has cut in two.
    """
    # not by an expression: one that goes over escapes takes 20 ns for each (2026-11-23)
    if text.find(b"\\") < 0:
        return text, b""
    text = text.replace(b"\\\\", b"")  # from the left, as a reader takes them
    rest = b"\\" if text.endswith(b"\\") else b""
    return text.removesuffix(rest).replace(b'\\"', b""), rest


class _Signs:
    """What there is of the signs that make many values of few bytes."""

    __slots__ = ("members", "objects", "quotes", "values")

    def __init__(self) -> None:
        self.objects = self.members = self.values = self.quotes = 0

    def count(self, text: bytes) -> None:
        """Add those of a text."""
        # texts and pictures have few: one pass instead of four: 1.6 -> 0.5 ms a MiB (2026-11-28)
        text = text.translate(None, _WORDS)
        self.objects += text.count(b"{") + text.count(b"[")
        self.members += text.count(b":")
        self.values += text.count(b",")

    def fit(self, objects_max: int) -> bool:
        """Whether none of them is too many."""
        members_max, values_max = MEMBERS_EACH * objects_max, VALUES_EACH * objects_max
        return (
            self.objects <= objects_max
            and self.members <= members_max
            and self.values <= values_max
            # each string is a name, the value of a member, or one of an array's
            and self.quotes <= 2 * (2 * members_max + values_max + objects_max + 1)
        )
