"""Settings from variables and flags."""

import pytest

from trivium.settings.environment import read_environment, read_flags, variables


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("TRIVIUM_SERVER__LISTEN", "0.0.0.0:80", "0.0.0.0:80"),
        ("TRIVIUM_SERVER__WORKERS", "4", 4),
        ("TRIVIUM_SERVER__DRAIN_S", "2.5", 2.5),
        ("TRIVIUM_SERVER__DRAIN_S", "2", 2.0),
        ("TRIVIUM_SERVER__QUERY_KEY", "false", False),
        ("TRIVIUM_SERVER__QUERY_KEY", "ON", True),
        ("TRIVIUM_SERVER__CORS_ORIGINS", "https://a, https://b,", ["https://a", "https://b"]),
        ("TRIVIUM_SERVER__CORS_ORIGINS", "", []),
        ("TRIVIUM_SERVER__ADMIN_LISTEN", "a:1", "a:1"),
        ("TRIVIUM_SERVER__ADMIN_LISTEN", "", None),
        ("TRIVIUM_SHARED__URL", "", ""),
        ("TRIVIUM_SERVER__WORKERS", "four", "four"),
        ("TRIVIUM_SERVER__QUERY_KEY", "maybe", "maybe"),
    ],
)
def test_a_variable_is_read_by_the_type_of_its_setting(name, text, value):
    """What does not fit is kept as text: the checks refuse it with the setting's name."""
    given, problems = read_environment({name: text})

    assert [] == problems
    assert [(name, value)] == [(item.label, item.value) for item in given]
    assert type(value) is type(given[0].value)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("TRIVIUM_SERVER__LISTN", "did you mean TRIVIUM_SERVER__LISTEN?"),
        ("TRIVIUM_SERVER_LISTEN", "did you mean TRIVIUM_SERVER__LISTEN?"),
        ("TRIVIUM_LOG__LEVEL", "did you mean TRIVIUM_LOGS__LEVEL?"),
        ("TRIVIUM_X__Y", "did you mean TRIVIUM_"),
        ("TRIVIUM_CHANNELS__MAIN__API_KEY", "channels and models are declared in the file"),
    ],
)
def test_a_variable_that_is_no_setting_is_an_error(name, what):
    """The closest name is offered."""
    given, problems = read_environment({name: "hunter2"})

    assert [] == given
    assert 1 == len(problems)
    assert (name,) == problems[0].path
    assert what in problems[0].what
    assert "hunter2" not in problems[0].what


@pytest.mark.parametrize(
    "name", ["TRIVIUM_PORT", "TRIVIUM_SERVICE_HOST", "TRIVIUM_SECRET", "PATH", "trivium_server__x"]
)
def test_other_variables_are_left_alone(name):
    """Kubernetes sets some of these for a service called trivium."""
    assert ([], []) == read_environment({name: "tcp://10.0.0.1:80"})


def test_flags_are_named_as_they_were_written():
    """``--workers`` is what the operator typed."""
    (item,) = read_flags({"server.workers": "4"})

    assert (("server", "workers"), "--workers", 4) == (item.path, item.label, item.value)


def test_every_section_can_be_given():
    """Sections, not lists of channels and models."""
    assert {"server", "storage", "shared", "upstream", "records", "logs"} <= {
        path[0] for path in variables().values()
    }
    assert not {"channels", "models"} & {path[0] for path in variables().values()}
