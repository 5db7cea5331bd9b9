"""Hands a body on in slices, so that what its sink makes of it is done in many turns of the loop.

A read brings up to 256 KiB, in which thirty thousand frames have room: taken apart in one turn they
would stop everybody else for tens of milliseconds.
"""

from typing import Final

SLICE_BYTES: Final = 32_768
"""Most that is handed on in one turn of the loop: a hundred ordinary frames, and three thousand of
the smallest."""


class Slices:
    """Cuts what it is fed; a content coding undoes itself on the way (``upstream/coding.py``)."""

    __slots__ = ("_at", "_input")

    def __init__(self) -> None:
        self._input = b""
        self._at = 0

    @property
    def waiting(self) -> bool:
        """Whether fed bytes have yet to be handed on."""
        return self._at < len(self._input)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body."""
        self._input = self._input[self._at :] + data if self._at < len(self._input) else data
        self._at = 0

    def step(self) -> bytes:
        """The next slice, at most ``SLICE_BYTES``, possibly empty though more is waiting.

        Raises ``CodingError`` for a body that is not what its coding says.
        """
        at = self._at
        self._at = at + SLICE_BYTES
        return self._input[at : at + SLICE_BYTES]

    def bound(self) -> None:
        """Raise ``CodingError`` for a body that grows on its way to far more than was sent."""

    def finish(self) -> None:
        """The body is whole. Raises ``CodingError`` when what it expands to is not."""
