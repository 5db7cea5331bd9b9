"""Which settings file a command reads."""

from pathlib import Path

import pytest

from trivium.cli import config
from trivium.settings.errors import SettingsError


@pytest.mark.parametrize(
    ("option", "environ", "present", "expected"),
    [
        ("a.toml", {"TRIVIUM_CONFIG": "b.toml"}, True, "a.toml"),
        (None, {"TRIVIUM_CONFIG": "b.toml"}, True, "b.toml"),
        (None, {"TRIVIUM_CONFIG": ""}, True, "trivium.toml"),
        (None, {}, True, "trivium.toml"),
        (None, {}, False, None),
    ],
)
def test_the_nearest_word_counts(folder, option, environ, present, expected):
    """Option, then environment, then the working directory, then the defaults."""
    if present:
        (folder / "trivium.toml").write_text("")
    found = config.locate(Path(option) if option else None, environ)
    assert found == (Path(expected) if expected else None)


def test_a_file_that_was_asked_for_must_be_there(folder):
    """A slip in --config never falls back to something else."""
    with pytest.raises(SettingsError, match=r"gone\.toml: cannot be read"):
        config.read(Path("gone.toml"))


def test_options_win_over_the_file(settings):
    """What is typed counts; what is left out does not."""
    loaded, path = config.read(None, flags={"server.listen": "127.0.0.1:9", "server.workers": None})
    assert path == Path("trivium.toml")
    assert ("127.0.0.1:9", 1) == (loaded.settings.server.listen, loaded.settings.server.workers)


def test_defaults_are_used_openly(folder, capsys):
    """Nobody should wonder which database was changed."""
    _, path = config.read(None)
    assert path is None
    assert capsys.readouterr().err == "no settings file: using the defaults (see --config)\n"
