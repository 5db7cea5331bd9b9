"""What every store of secrets has in common: how it fails, and how long it may take."""

import threading
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol, TypeAlias, TypeVar

TIMEOUT_S: Final = 8.0
"""For one document, logging in included. A gateway that is told to stop meanwhile waits for it."""
CONNECT_S: Final = 3.0

Document: TypeAlias = str | Mapping[str, Any]
"""A secret as its store has it: one text, or members by name."""
_T = TypeVar("_T")


class StoreError(Exception):
    """A store gave no secret. The message says why, and holds no value."""

    def __init__(self, message: str, *, whole: bool = False) -> None:
        """``whole``: it will give no other secret now either."""
        super().__init__(message)
        self.whole = whole


class SecretStore(Protocol):
    """A store that one reading of the settings asks, in threads."""

    def read(self, name: str) -> Document:
        """The document of this name, as it is now. Raises StoreError."""
        ...


def missing_library(library: str, extra: str) -> StoreError:
    """The error for a store whose library is not installed."""
    return StoreError(
        f"needs the package {library}, which is not installed: pip install 'trivium[{extra}]'",
        whole=True,
    )


def bounded(call: Callable[[], _T], limit_s: float) -> _T:
    """The result of a call in a thread that is waited for no longer than this. Raises StoreError.

    Time limits of libraries count from one packet to the next, so a slow server could go on for
    ever. The thread is left behind; it holds nothing up, and ends with its call.
    """
    outcome: SimpleQueue[tuple[bool, Any]] = SimpleQueue()

    def run() -> None:
        try:
            outcome.put((True, call()))
        except BaseException as exc:  # noqa: BLE001 - it is raised again where it is waited for
            outcome.put((False, exc))

    threading.Thread(target=run, name="secret-store", daemon=True).start()
    try:
        done, value = outcome.get(timeout=limit_s)
    except Empty:
        raise StoreError(f"did not answer within {limit_s:g} s", whole=True) from None
    if not done:
        raise value
    result: _T = value
    return result
