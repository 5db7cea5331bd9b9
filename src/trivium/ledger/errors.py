"""What can be wrong with a booking."""


class LedgerError(Exception):
    """A booking that cannot be made. The message is for whoever asked for it."""


class BookedError(LedgerError):
    """A request that was booked already, for another user, kind or amount."""
