"""What can be wrong with a booking."""


class LedgerError(Exception):
    """A booking that cannot be made. The message is for whoever asked for it."""
