"""The gateway's own keys, from which every sealing and encrypting key is derived.

They come from ``TRIVIUM_SECRET`` where several nodes must open what the others seal; else from a
file readable by its owner alone, made on first start. The first key seals, the others only open, so
that a key can be replaced. Losing one costs what it sealed, never a balance.
"""

import contextlib
import functools
import hashlib
import os
from pathlib import Path
from typing import Final

from trivium.secret import Keyring

SECRET_CHARS_MIN: Final = 32
"""A shorter secret in ``TRIVIUM_SECRET`` can be guessed."""
OLDER: Final = ".old"
"""Ends the name of a key file that is only read."""
_KEY_BYTES: Final = 32


class RootKeyError(Exception):
    """The keys cannot be read or made; the message says what to do."""


class RootKeys:
    """Keys from which others are derived; never used themselves."""

    __slots__ = ("_keys",)

    def __init__(self, *keys: bytes) -> None:
        """``keys``: at least one, of thirty-two bytes; the first one seals."""
        self._keys = keys

    def ring(self, purpose: str) -> Keyring:
        """Return the keys for one purpose, which tell nothing of those for another (RFC 5869)."""
        return Keyring.late(functools.partial(_derived, self._keys, f"trivium {purpose}".encode()))


def _derived(keys: tuple[bytes, ...], label: bytes) -> list[bytes]:
    # imported at first use: 7 MiB that a gateway without secrets to keep does not need
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return [HKDF(SHA256(), _KEY_BYTES, None, label).derive(key) for key in keys]


def root_keys(given: str | None, file: Path) -> RootKeys:
    """From ``given`` (``TRIVIUM_SECRET``: secrets with spaces between), else from ``file``, made
    if absent. After those come, if they are there, ``file`` and the one named like it with
    ``OLDER``, so that nothing is lost by replacing the file or changing over to a secret.

    Raises RootKeyError for a secret that is too short and for a file that cannot be read, written
    or is not a key.
    """
    found = found_keys(given, file)
    if found is None:
        _make(file)
        found = found_keys(given, file)
        assert found is not None
    return found


def found_keys(given: str | None, file: Path) -> RootKeys | None:
    """Return the keys as ``root_keys`` does, without making any; ``None``: there is none yet."""
    keys = [_secret(one) for one in (given or "").split()]
    if not keys:
        key = _read(file)
        if key is None:
            return None
        keys.append(key)
    for older in (file, file.with_name(file.name + OLDER)):
        key = _read(older)
        if key is not None:
            keys.append(key)
    return RootKeys(*dict.fromkeys(keys))


def _secret(text: str) -> bytes:
    if len(text) < SECRET_CHARS_MIN:
        raise RootKeyError(
            f"every secret in TRIVIUM_SECRET must have at least {SECRET_CHARS_MIN} characters; "
            "`openssl rand -hex 32` prints a good one"
        )
    # bytes of the environment that are no text come as lone surrogates
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


def _read(file: Path) -> bytes | None:
    """The key in a file; ``None`` when there is no such file."""
    try:
        key = file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RootKeyError(f"{file} cannot be read: {error.strerror}") from error
    if len(key) != _KEY_BYTES:
        raise RootKeyError(f"{file} is not a key of this gateway: it has {len(key)} bytes, not 32")
    return key


def _make(file: Path) -> None:
    """Write a new key whole or not at all: two workers that start at once must get one key."""
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
            with contextlib.suppress(FileExistsError):
                os.link(draft, file)
        finally:
            draft.unlink()
    except OSError as error:
        raise RootKeyError(f"{file} cannot be written: {error.strerror}") from error
