"""How an expected failure ends a process: readable lines on standard error and an exit code."""

from trivium.cli.output import Failed, fail
from trivium.faults import Fault
from trivium.identity.errors import IdentityError
from trivium.ledger.errors import LedgerError
from trivium.settings.errors import SettingsError
from trivium.storage.errors import StorageError
from trivium.storage.root_key import RootKeyError


def ending(exc: BaseException) -> int | None:
    """Say why and return the exit code; ``None`` for an exception that nobody foresaw."""
    if isinstance(exc, SettingsError):
        for line in exc.lines:
            fail(line)
        return 1
    if isinstance(exc, Failed | StorageError | RootKeyError | IdentityError | LedgerError | Fault):
        fail(str(exc))
        return exc.code if isinstance(exc, Failed) else 1
    return None
