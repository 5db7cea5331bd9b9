"""Mistakes of the people who manage users and keys."""


class IdentityError(Exception):
    """A user or key that cannot be made or found. The message is for whoever typed it.

    ``field`` is the argument at fault: ``name``, ``email``, ``user``, ``key``, ``models``,
    ``expires_at``, ``group``, ``limits``, ``budgets`` or ``networks``.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field


class KeptError(IdentityError):
    """Somebody who cannot be erased yet: others need the account, or something is under way."""


class TakenError(IdentityError):
    """A name or an address that another user has."""
