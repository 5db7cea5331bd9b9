"""The seam between an attempt and whoever waits for what it comes to."""

from typing import Protocol


class Outcome(Protocol):
    """What an attempt comes to: of a future, what is used of it."""

    __slots__ = ()

    def done(self) -> bool:
        """Whether it is known, or awaited no longer."""
        ...

    def set_result(self, result: None, /) -> None:
        """The caller has its answer. The last thing that an attempt does."""
        ...

    def set_exception(self, error: Exception, /) -> None:
        """The attempt has no result, but this fault."""
        ...
