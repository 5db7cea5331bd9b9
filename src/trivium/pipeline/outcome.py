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


class FinishedAnswer(Protocol):
    """An answer that is all there; ``pipeline/attempt.py`` has the real ones."""

    __slots__ = ()

    def settle(self) -> None:
        """Book what it came to."""
        ...

    def send(self) -> None:
        """Send its last bytes, and write down what it came to."""
        ...

    def crash(self, error: Exception) -> None:
        """End it by what nobody planned."""
        ...


class AnswerEnds(Protocol):
    """Ends answers in the loop's next turn, all of this one together."""

    __slots__ = ()

    def add(self, one: FinishedAnswer) -> None:
        """Have it ended, behind those that wait already."""
        ...


class EagerOutcome(Outcome, Protocol):
    """What stands in the place of a future while there is no task."""

    __slots__ = ()

    ends: AnswerEnds
