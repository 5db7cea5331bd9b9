"""The demo's folder: settings, database, keys and the engine's log, all of it private.

Everything the demo makes lies in one folder, so that it can be looked at and thrown away. What an
operator adds to the settings file stays: only the one line with the engine's address is rewritten
at each start, because the engine's port is a new one each time.
"""

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from trivium.demo.llama import MODEL, SLOT_TOKENS
from trivium.demo.speech import EARS, VOICE

MARK: Final = "# set at each start of `trivium demo`"
_ADDRESS: Final = re.compile(rf'(?m)^base_url = "[^"\n]*"  {re.escape(MARK)}$')

TEMPLATE: Final = """\
# The demo's settings. Add channels and models of your own: they stay.
# `trivium check --config FILE` says what is wrong with it.

[server]
listen = {listen}

[storage]
url = {url}
journal = {journal}

[logs]
level = "warning"

[[channels]]
name = "local"
provider = "llamacpp"
api_key = "file:engine.key"
base_url = "http://127.0.0.1:1/v1"  {mark}

[[models]]
name = "{model}"
title = "SmolLM2 135M Instruct"
context_max = {context}
free = true

[[models.bindings]]
channel = "local"
"""


SPEECH_MARK: Final = "# set at each start of `trivium demo --speech`"
_SPEECH: Final = re.compile(rf'(?m)^base_url = "[^"\n]*"  {re.escape(SPEECH_MARK)}$')
SPEECH: Final = """
[[channels]]
name = "speech"
provider = "openai-compatible"
api_key = "file:speech.key"
base_url = "http://127.0.0.1:1/v1"  {mark}

[[models]]
name = "{voice}"
free = true
[[models.bindings]]
channel = "speech"

[[models]]
name = "{ears}"
free = true
[[models.bindings]]
channel = "speech"
"""


class HomeError(Exception):
    """The folder cannot be used. The message is one readable line."""


class Home:
    """The folder and the files in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.config = self.folder / "trivium.toml"
        self.database = self.folder / "trivium.db"
        self.journal = self.folder / "journal"
        self.key_file = self.folder / "key"
        """The gateway key of the demo's user, so that a second start can show it again."""
        self.engine_key_file = self.folder / "engine.key"
        self.log = self.folder / "engine.log"
        self.speech_key_file = self.folder / "speech.key"
        self.speech_log = self.folder / "speech.log"

    def prepare(self, listen: str) -> None:
        """Make the folder and, at the first start, the settings file. Raises HomeError."""
        if "?" in str(self.folder):
            raise HomeError(f"{self.folder}: a database address cannot hold the ? of this name")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self.config.exists():
                write_private(self.config, self._settings(listen))
        except OSError as exc:
            raise HomeError(f"{self.folder}: cannot be written: {exc.strerror}") from None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Refuse a second demo in this folder, which would point this one's gateway at its own
        engine. The kernel drops the lock when the process ends. Raises HomeError.
        """
        held = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise HomeError(
                f"{self.folder}: a demo runs in this folder already; another one needs its own: "
                "--dir FOLDER --listen HOST:PORT"
            ) from None
        else:
            yield
        finally:
            os.close(held)

    def point_at(self, address: str, key: str) -> None:
        """Write the engine's address and key into the settings. Raises HomeError."""
        text = self.config.read_text(encoding="utf-8")
        line = f"base_url = {_toml(address + '/v1')}  {MARK}"
        text, count = _ADDRESS.subn(lambda _: line, text)
        if count != 1:
            raise HomeError(
                f"{self.config}: the line that ends in `{MARK}` is gone, so the demo cannot say "
                "where its engine is; put it back below the channel local, or remove the file"
            )
        write_private(self.engine_key_file, key)
        write_private(self.config, text)

    def speak_at(self, address: str, key: str) -> None:
        """Write the models' of speech address and key into the settings, at first all of it."""
        text = self.config.read_text(encoding="utf-8")
        if not _SPEECH.search(text):
            text += SPEECH.format(mark=SPEECH_MARK, voice=VOICE, ears=EARS)
        line = f"base_url = {_toml(address + '/v1')}  {SPEECH_MARK}"
        write_private(self.speech_key_file, key)
        write_private(self.config, _SPEECH.sub(lambda _: line, text))

    def key(self) -> str | None:
        """The gateway key of an earlier start; ``None`` at the first."""
        try:
            return self.key_file.read_text(encoding="ascii").strip() or None
        except FileNotFoundError:
            return None

    def keep_key(self, key: str) -> None:
        """Store the gateway key for the next start."""
        write_private(self.key_file, key + "\n")

    def _settings(self, listen: str) -> str:
        return TEMPLATE.format(
            listen=_toml(listen),
            url=_toml(f"sqlite:///{self.database}"),
            journal=_toml(str(self.journal)),
            mark=MARK,
            model=MODEL,
            context=SLOT_TOKENS,
        )


def write_private(path: Path, text: str) -> None:
    """Replace a file in one step; nobody but its owner can read it at any moment."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(path)


def _toml(text: str) -> str:
    return msgspec.json.encode(text).decode()  # a JSON string is a TOML basic string
