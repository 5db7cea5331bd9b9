"""How much JSON a body holds, before anything is made of it.

A list of millions of tiny objects takes three bytes an object on the wire and a hundred to a
thousand in memory once each is a value; a limit on bytes alone does not hold that.
"""

from typing import Final

LARGE_BYTES: Final = 1_048_576
"""Of a body whose reading takes long enough that others have their turn between the steps, and
that is looked at before anything is made of it."""
MEMBERS_EACH: Final = 2
"""Members of objects that are counted for one object: a member takes half the time to read."""
VALUES_EACH: Final = 5
"""Values in arrays and objects that are counted for one object."""
_WINDOW_BYTES: Final = 1_048_576


def exceeds(body: bytes, objects_max: int) -> bool:
    """Whether JSON holds more objects and arrays than that, twice as many members, or five times
    as many values. Garbage may be taken for either.

    HOT: large bodies are long texts and pictures with few of the signs that make these; only where
    there are too many it is looked at which stand inside of strings.
    """
    if len(body) <= objects_max:
        return False
    found = _Signs()
    found.count(body)
    if found.fit(objects_max):
        return False
    # not by an expression: one that goes over escapes takes 20 ns for each (2026-11-23)
    if body.find(b"\\") >= 0:
        body = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    found = _Signs()
    inside = 0
    for at in range(0, len(body), _WINDOW_BYTES):  # a crowd is found early
        parts = body[at : at + _WINDOW_BYTES].split(b'"')
        found.count(b"".join(parts[inside::2]))
        if not found.fit(objects_max):
            return True
        inside ^= (len(parts) - 1) & 1
    return False


class _Signs:
    """What there is of the signs that make many values of few bytes."""

    __slots__ = ("members", "objects", "values")

    def __init__(self) -> None:
        self.objects = self.members = self.values = 0

    def count(self, text: bytes) -> None:
        """Add those of a text."""
        self.objects += text.count(b"{") + text.count(b"[")
        self.members += text.count(b":")
        self.values += text.count(b",")

    def fit(self, objects_max: int) -> bool:
        """Whether none of them is too many."""
        return (
            self.objects <= objects_max
            and self.members <= MEMBERS_EACH * objects_max
            and self.values <= VALUES_EACH * objects_max
        )
