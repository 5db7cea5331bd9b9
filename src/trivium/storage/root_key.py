"""The gateway's own key: everything it seals or encrypts hangs on it.

``TRIVIUM_SECRET`` where several nodes must open each other's envelopes; else a file readable by
its owner alone, made on first start. Losing it costs what was sealed, never a balance.
"""

import hashlib
import os
from pathlib import Path
from typing import Final

SECRET_CHARS_MIN: Final = 32
"""A shorter ``TRIVIUM_SECRET`` can be guessed."""
_KEY_BYTES: Final = 32


class RootKeyError(Exception):
    """The key cannot be had; the message says what to do."""


def root_key(given: str | None, file: Path) -> bytes:
    """Thirty-two bytes: from ``given`` (``TRIVIUM_SECRET``), else from ``file``, made if absent.

    Raises RootKeyError for a secret that is too short and for a file that cannot be read, written
    or is not a key.
    """
    if given:
        if len(given) < SECRET_CHARS_MIN:
            raise RootKeyError(
                f"TRIVIUM_SECRET must have at least {SECRET_CHARS_MIN} characters; "
                "`openssl rand -hex 32` prints a good one"
            )
        return hashlib.sha256(given.encode()).digest()
    try:
        return _read(file)
    except FileNotFoundError:
        return _make(file)
    except OSError as error:
        raise RootKeyError(f"{file} cannot be read: {error.strerror}") from error


def _read(file: Path) -> bytes:
    key = file.read_bytes()
    if len(key) != _KEY_BYTES:
        raise RootKeyError(f"{file} is not a key of this gateway: it has {len(key)} bytes, not 32")
    return key


def _make(file: Path) -> bytes:
    """Write whole or not at all: two workers may start at once, and both must get one key."""
    key = os.urandom(_KEY_BYTES)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(key)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            return _read(file)
        finally:
            draft.unlink()
    except OSError as error:
        raise RootKeyError(f"{file} cannot be written: {error.strerror}") from error
    return key
