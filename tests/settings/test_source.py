"""Settings are named so that they are found at once."""

import pytest

from trivium.settings.errors import Problem
from trivium.settings.source import SettingsSource, dotted


@pytest.fixture
def source():
    return SettingsSource(
        name="trivium.toml",
        lines={("server",): 1, ("models", 0): 7, ("models", 0, "name"): 8},
        given={
            ("server", "workers"): "TRIVIUM_SERVER__WORKERS",
            ("server", "listen"): "--listen",
            ("server", "cors_origins"): "TRIVIUM_SERVER__CORS_ORIGINS",
            ("server", "query_key"): "TRIVIUM_SERVER__QUERY_KEY",
        },
        data={"models": [{"name": "gpt-5", "bindings": [{}]}, {"name": 5}]},
    )


def test_a_path_is_written_with_dots_and_brackets():
    """The form used where nothing better is known."""
    assert "models[0].bindings[1].weight" == dotted(("models", 0, "bindings", 1, "weight"))


@pytest.mark.parametrize(
    ("path", "title"),
    [
        (("server", "listn"), "trivium.toml:1: server.listn"),
        (("models", 0, "name"), 'trivium.toml:8: models["gpt-5"].name'),
        (
            ("models", 0, "bindings", 0, "weight"),
            'trivium.toml:7: models["gpt-5"].bindings[0].weight',
        ),
        (("models", 1, "name"), "trivium.toml: models[1].name"),
        (("server", "workers"), "TRIVIUM_SERVER__WORKERS: server.workers"),
    ],
)
def test_a_title_has_place_and_name(source, path, title):
    """The nearest line there is, and entries by their own name."""
    assert title == source.title(path)


def test_without_a_file_the_name_stands_alone():
    """Defaults have no line."""
    assert "server.listen" == SettingsSource(name="").title(("server", "listen"))


@pytest.mark.parametrize(
    ("path", "example"),
    [
        (("server", "backlog"), "backlog = 2048"),
        (("server", "workers"), "TRIVIUM_SERVER__WORKERS=1"),
        (("server", "listen"), "--listen 127.0.0.1:8080"),
        (("server", "cors_origins"), "TRIVIUM_SERVER__CORS_ORIGINS=https://app.example"),
        (("server", "query_key"), "TRIVIUM_SERVER__QUERY_KEY=true"),
    ],
)
def test_the_example_is_written_as_the_setting_was_given(source, path, example):
    """Someone who set a variable is shown a variable."""
    assert source.say(Problem(path, "is wrong")).endswith(f" is wrong. Example: {example}")


def test_a_setting_without_an_example_is_still_named(source):
    """Unknown settings have none."""
    assert "trivium.toml: nothing is wrong" == source.say(Problem(("nothing",), "is wrong"))


def test_a_source_does_not_print_what_it_holds():
    """The raw data has keys in it."""
    assert "hunter2" not in repr(
        SettingsSource(name="", data={"channels": [{"api_key": "hunter2"}]})
    )
