"""What every store of secrets has in common: how it fails, and how long it may take."""

import re
import threading
from collections.abc import Callable, Iterable, Mapping
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol, TypeAlias, TypeVar

TIMEOUT_S: Final = 8.0
"""For one document, logging in included. A gateway that is told to stop meanwhile waits for it."""
READING_S: Final = 60.0
"""For all documents of one store in one reading of the settings."""
CONNECT_S: Final = 3.0
ANSWER_BYTES_MAX: Final = 1_048_576
"""Vault's own limit of an entry is 1 MiB, with most storages less; the others' is 64 KiB."""
LEFT_BEHIND_MAX: Final = 4
"""So many calls that nobody waits for any more may go on at once."""
_THREAD: Final = "secret-store"
_UNSEEN: Final = re.compile(r"[^\x20-\x7e]+")

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


def told(text: object) -> str:
    """What a store said, as one short line; empty for what is no text. It may be anybody's words:
    a line end would make two lines of the log, an escape sequence would steer a terminal.
    """
    return _UNSEEN.sub(" ", text[:1_000]).strip()[:200] if isinstance(text, str) else ""


def read_within_bounds(answer: Any, *_: Any, **__: Any) -> None:
    """Read an answer of ``requests`` here, before that reads it whole, however long it is.

    A hook of its sessions. Raises StoreError.
    """
    try:
        answer._content = collected(answer.iter_content(65_536))  # noqa: SLF001 - it has no other door
    except StoreError:
        answer.close()
        raise


def collected(pieces: Iterable[bytes]) -> bytes:
    """The pieces of an answer together. Raises StoreError where that is too much."""
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) > ANSWER_BYTES_MAX:
            raise StoreError(f"has an answer above {ANSWER_BYTES_MAX} bytes", whole=True)
    return bytes(data)


def bounded(call: Callable[[], _T], limit_s: float) -> _T:
    """The result of a call in a thread that is waited for no longer than this. Raises StoreError.

    Time limits of libraries count from one packet to the next, so a slow server could go on for
    ever. The thread is left behind; it holds nothing up, and ends with its call. While some are,
    no more are begun: a store that drips for days would have one more at each reading.
    """
    if sum(each.name == _THREAD for each in threading.enumerate()) >= LEFT_BEHIND_MAX:
        raise StoreError("is not asked: earlier calls still wait for their answers", whole=True)
    outcome: SimpleQueue[tuple[bool, Any]] = SimpleQueue()

    def run() -> None:
        try:
            outcome.put((True, call()))
        except BaseException as exc:  # noqa: BLE001 - it is raised again where it is waited for
            outcome.put((False, exc))

    threading.Thread(target=run, name=_THREAD, daemon=True).start()
    try:
        done, value = outcome.get(timeout=limit_s)
    except Empty:
        raise StoreError(f"did not answer within {limit_s:g} s", whole=True) from None
    if not done:
        raise value
    result: _T = value
    return result
