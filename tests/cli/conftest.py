"""Commands are run as a shell would: arguments in, exit code and two streams out."""

import shutil
from dataclasses import dataclass

import msgspec
import pytest

from trivium.cli import output
from trivium.cli.main import run

SETTINGS = """
[[channels]]
name = "first"
provider = "openai"
api_key = "env:FIRST_KEY"

[[channels]]
name = "second"
provider = "anthropic"
api_key = "file:second.key"

[[models]]
name = "sonnet"
price = { input = "3", output = "15" }
[[models.bindings]]
channel = "first"
model = "gpt-5"
[[models.bindings]]
channel = "second"
model = "claude-sonnet-4-5"
priority = 1
"""


@pytest.fixture(autouse=True)
def _plain_words():
    """A command that serves may have turned them into lines of the log."""
    yield
    output.as_log_lines(None)


@dataclass(frozen=True)
class Done:
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def data(self):
        """Standard output read as JSON."""
        return msgspec.json.decode(self.out)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory: empty, and nothing set that concerns the gateway."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRIVIUM_CONFIG", raising=False)
    monkeypatch.setenv("FIRST_KEY", "sk-first")
    return tmp_path


@pytest.fixture
def settings(folder):
    """A settings file with two channels and one model in the working directory."""
    (folder / "second.key").write_text("sk-second")
    path = folder / "trivium.toml"
    path.write_text(SETTINGS)
    return path


@pytest.fixture
def migrated(folder, sqlite_template):
    """A database that is there already: a first command takes an eighth of a second to make it."""
    shutil.copy(sqlite_template, folder / "trivium.db")


@pytest.fixture
def trivium(folder, capfd):
    """Run one command in that directory."""

    def command(*argv):
        capfd.readouterr()
        code = run(argv)
        return Done(code, *capfd.readouterr())

    return command
