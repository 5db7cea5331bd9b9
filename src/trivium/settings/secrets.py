"""Turn ``env:NAME``, ``file:PATH`` and references to stores into what they name.

Values never reach a message.
"""

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from trivium.secret import Secret
from trivium.settings.errors import SettingsError
from trivium.settings.secret_stores.lookup import StoredSecrets
from trivium.settings.secret_stores.reference import PREFIXES as STORED

REGISTERED: Final = ("env:", "file:", *STORED)
"""How everything begins that is looked up, to the letter."""
_USABLE: Final = re.compile(r"[\x20-\x7e]+")
_DOCUMENT: Final = re.compile(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")
"""A whole file, as a certificate or a JSON object."""
BYTES_MAX: Final = 65_536
"""A secret file longer than this is not a secret but the wrong file."""


class Secrets:
    """Looks secrets up in one environment and, for relative paths, from one folder."""

    def __init__(
        self, environ: Mapping[str, str], folder: Path, stored: StoredSecrets | None = None
    ) -> None:
        """``stored``: what stores are asked through; ``None``: nothing is known of them yet."""
        self._environ = environ
        self._folder = folder
        self.stored = stored or StoredSecrets(environ)
        self.files: dict[Path, os.stat_result | None] = {}
        """Every file asked for so far, as it was when read; ``None`` for one that could not be.

        A reload watches them.
        """

    def resolve(self, text: str, setting: str, *, lines: bool = False) -> Secret:
        """The secret that ``text`` names, or ``text`` itself when it has none of the prefixes.

        ``lines``: whether it may have several lines, in any alphabet.
        Raises SettingsError naming ``setting`` and the variable or file, never the value.
        """
        try:
            return Secret(self.look_up(text, lines=lines))
        except ValueError as exc:
            raise SettingsError(f"{setting} {exc}") from None

    def look_up(self, text: str, *, lines: bool = False) -> str:
        """Do as :meth:`resolve`, but return the plain text. Raises ValueError."""
        if text.startswith("env:"):
            name = text.removeprefix("env:")
            value, origin = self._variable(name), f"the environment variable {name}"
        elif text.startswith("file:"):
            name = text.removeprefix("file:")
            value, origin = self._file(name), f"the file {name}"
        elif text.startswith(STORED):
            value, origin = self.stored.look_up(text).strip(), f"the secret {text}"
            if len(value) > BYTES_MAX:
                raise ValueError(f"names the secret {text}, which is above {BYTES_MAX} bytes")
        else:
            value, origin = text, "it"
        if not value:
            raise ValueError(f"has no value: {origin} is empty")
        if lines:
            if not _DOCUMENT.fullmatch(value):
                raise ValueError(f"must be text without control characters, but {origin} is not")
        elif not _USABLE.fullmatch(value):
            raise ValueError(f"must be visible ASCII text on one line, but {origin} is not")
        return value

    def _variable(self, name: str) -> str:
        value = self._environ.get(name)
        if value is None:
            raise ValueError(f"names the environment variable {name}, which is not set")
        return value.strip()

    def _file(self, name: str) -> str:
        path = self._folder / name
        self.files[path] = None
        try:
            with open(path, "rb", opener=_at_once) as file:
                self.files[path] = found = os.fstat(file.fileno())
                is_file = stat.S_ISREG(found.st_mode)
                data = file.read(BYTES_MAX + 1) if is_file else b""
        except (OSError, ValueError) as exc:
            why = getattr(exc, "strerror", None) or type(exc).__name__
            raise ValueError(f"names the file {name}, which cannot be read: {why}") from None
        if not is_file:
            raise ValueError(f"names {name}, which is no file but a device, a pipe or a socket")
        if len(data) > BYTES_MAX:
            raise ValueError(f"names the file {name}, which is above {BYTES_MAX} bytes")
        return data.decode("utf-8", "replace").rstrip("\r\n")


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for whoever writes into a pipe: nobody may."""
    return os.open(path, flags | os.O_NONBLOCK)
