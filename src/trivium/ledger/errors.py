"""What can be wrong with a booking, and with noting what is to be booked."""


class LedgerError(Exception):
    """A booking that cannot be made. The message is for whoever asked for it."""


class BookedError(LedgerError):
    """A request that was booked already, for another user, kind or amount."""


class TornError(OSError):
    """The disk took a part of what was to be written."""

    def __init__(self, taken: int) -> None:
        """``taken``: bytes that it took."""
        super().__init__("the disk took a part of a record")
        self.taken = taken


class UnwrittenError(OSError):
    """What was gathered could not be written, or not all of it."""

    def __init__(self, reason: OSError, holds: list[str]) -> None:
        """``holds``: requests whose hold is not noted."""
        super().__init__(str(reason))
        self.holds = holds
