"""Errors of booking, and of writing the journal."""


class LedgerError(Exception):
    """A booking that cannot be made. The message is for the person who asked for it."""


class BookedError(LedgerError):
    """A request that was booked already, for another user, kind or amount."""


class TornError(OSError):
    """The disk took only a part of a write."""

    def __init__(self, taken: int) -> None:
        """``taken``: how many bytes it took."""
        super().__init__("the disk took a part of a record")
        self.taken = taken


class UnwrittenError(OSError):
    """The gathered lines could not be written, or not all of them."""

    def __init__(self, reason: OSError, holds: list[str]) -> None:
        """``holds``: the requests whose hold is not in the journal."""
        super().__init__(str(reason))
        self.holds = holds
