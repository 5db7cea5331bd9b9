"""The whole way from a file and an environment to settings, or to one error."""

from pathlib import Path
from textwrap import dedent

import pytest

from trivium.settings import load as module
from trivium.settings.errors import SettingsError
from trivium.settings.load import environment, load, load_with_source, proxy_for
from trivium.settings.model import Settings

P = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("url", "environ", "proxy"),
    [
        ("https://api.example/v1", {}, None),
        ("https://api.example/v1", {"https_proxy": P}, P),
        ("https://api.example/v1", {"HTTPS_PROXY": P + "/"}, P),
        ("https://api.example/v1", {"https_proxy": P, "HTTPS_PROXY": "http://other:1"}, P),
        ("https://api.example/v1", {"https_proxy": "proxy.example:3128"}, P),
        ("https://api.example/v1", {"all_proxy": "socks5://p:1"}, "socks5://p:1"),
        ("https://api.example/v1", {"http_proxy": P}, None),
        ("http://api.example/v1", {"http_proxy": P}, P),
        ("http://api.example/v1", {"HTTP_PROXY": P}, None),
        ("https://api.example/v1", {"https_proxy": P, "no_proxy": "*"}, None),
        ("https://api.example/v1", {"https_proxy": P, "no_proxy": "x, .EXAMPLE"}, None),
        ("https://api.example/v1", {"https_proxy": P, "no_proxy": "api.example"}, None),
        ("https://api.example/v1", {"https_proxy": P, "NO_PROXY": "*.example"}, None),
        ("https://api.example/v1", {"https_proxy": P, "no_proxy": "pi.example,"}, P),
        ("https://10.1.2.3/v1", {"https_proxy": P, "no_proxy": "10.0.0.0/8"}, None),
        ("https://11.1.2.3/v1", {"https_proxy": P, "no_proxy": "10.0.0.0/8"}, P),
        ("https://localhost:1/v1", {"https_proxy": P}, None),
        ("http://127.0.0.1:1/v1", {"http_proxy": P}, None),
        ("http://[::1]:1/v1", {"http_proxy": P}, None),
    ],
)
def test_the_proxy_of_an_address(url, environ, proxy):
    """Loopback is never proxied, and capitals count except for plain HTTP."""
    assert proxy == proxy_for(url, environ)


def test_a_proxy_we_cannot_use_is_named():
    """The variable is named, its value may hold a password."""
    with pytest.raises(SettingsError) as caught:
        proxy_for("https://api.example", {"https_proxy": "socks4://u:hunter2@p:1"})

    assert "https_proxy" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("trivium.toml")

    def write(text):
        data = text if isinstance(text, bytes) else dedent(text).encode()
        path.write_bytes(data)
        return path

    return write


def _refused(path, environ=None, **more):
    with pytest.raises(SettingsError) as caught:
        load(path, environ or {}, **more)
    return list(caught.value.lines)


def test_without_a_file_the_defaults_stand():
    """A gateway can be run from the environment alone."""
    assert Settings() == load(None, {})


def test_the_later_of_file_environment_and_flags_wins(file):
    """The order every twelve-factor service has."""
    path = file("[server]\nlisten = '127.0.0.1:1'\nbacklog = 1\npipeline_max = 1\n")
    environ = {"TRIVIUM_SERVER__LISTEN": "127.0.0.1:2", "TRIVIUM_SERVER__BACKLOG": "2"}

    server = load(path, environ, flags={"server.listen": "127.0.0.1:3"}).server

    assert ("127.0.0.1:3", 2, 1) == (server.listen, server.backlog, server.pipeline_max)


def test_every_problem_is_told_in_the_order_of_the_file(file):
    """File, line, setting, what is wrong and a line that would be right."""
    path = file(
        """\
        [[models]]
        name = "gpt-5"
        price = { input = 1.25 }
        [[models.bindings]]
        channel = "main"

        [server]
        listn = "127.0.0.1:8080"
        workers = 2
        """
    )

    assert [
        (
            'trivium.toml:3: models["gpt-5"].price.input must be a decimal in quotes, not 1.25: '
            'a float cannot hold money. Example: price = { input = "1.25", output = "10" }'
        ),
        (
            'trivium.toml:5: models["gpt-5"].bindings[0].channel names no channel: there is no "main". '
            'Example: channel = "openai-main"'
        ),
        (
            "trivium.toml:8: server.listn is not a setting (did you mean listen?). "
            'Example: listen = "127.0.0.1:8080"'
        ),
        (
            "trivium.toml:9: server.workers is 2, which needs shared.url: without it each worker "
            "counts requests, tokens and budgets for itself, and every limit is multiplied by the "
            'workers. Example: [shared] url = "redis://127.0.0.1:6379/0"'
        ),
    ] == _refused(path)


@pytest.mark.parametrize(
    ("environ", "flags", "line"),
    [
        (
            {"TRIVIUM_SERVER__WORKERS": "many"},
            {},
            (
                'TRIVIUM_SERVER__WORKERS: server.workers must be a whole number, not the text "many". '
                "Example: TRIVIUM_SERVER__WORKERS=1"
            ),
        ),
        (
            {},
            {"server.listen": "8080"},
            (
                '--listen: server.listen must be HOST:PORT with a port up to 65535, not the text "8080"'
                ". Example: --listen 127.0.0.1:8080"
            ),
        ),
        (
            {"TRIVIUM_SERVER__LISTN": "x"},
            {},
            "TRIVIUM_SERVER__LISTN is not a setting; did you mean TRIVIUM_SERVER__LISTEN?",
        ),
        (
            {"TRIVIUM_STORAGE__URL": "env:DB_URL"},
            {},
            (
                "TRIVIUM_STORAGE__URL: storage.url names the environment variable DB_URL, which is not "
                "set. Example: TRIVIUM_STORAGE__URL=sqlite:///trivium.db"
            ),
        ),
    ],
)
def test_problems_from_outside_the_file_name_the_variable_or_flag(environ, flags, line):
    """There is no line to look at."""
    assert [line] == _refused(None, environ, flags=flags)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("[server\n", "trivium.toml:1: is not TOML: "),
        ("a = 1\nb = c\n", "trivium.toml:2: is not TOML: "),
        ("a = '''", "trivium.toml:1: is not TOML: "),
        ("a = 1\na = 2\n", "trivium.toml:2: is not TOML: "),
        (f"a = {'9' * 5000}", "trivium.toml: holds a number of more than 4,300 digits"),
        (b"a = 1\nb = '\xff'", "trivium.toml:2: is not UTF-8 text"),
        ("a = " + "[" * 5000, "trivium.toml: is nested too deeply"),
    ],
)
def test_a_file_that_cannot_be_parsed_names_the_line(file, text, start):
    """Before any setting is looked at."""
    (line,) = _refused(file(text))

    assert line.startswith(start)


def test_a_file_with_foreign_line_ends_and_mark_is_read(file):
    """As some editors write it; lines still count."""
    path = file(b"\xef\xbb\xbf[server]\r\nbacklog = 7\r\nworkers = 0\r\n")

    (line,) = _refused(path)

    assert line.startswith("trivium.toml:3: server.workers")


@pytest.mark.parametrize("name", ["public_url", "auth_url", "api_url"])
def test_an_address_that_others_could_listen_on_is_refused(file, name):
    """Codes, tokens and cookies would travel in the clear; the line says what to write."""
    (line,) = _refused(file(f'[server]\n{name} = "http://gateway.example"\n'))

    assert line.startswith(f"trivium.toml:2: server.{name} must begin with https://")
    assert f'{name} = "https://' in line


@pytest.mark.parametrize(("name", "why"), [("missing.toml", "No such file"), (".", "directory")])
def test_a_file_that_cannot_be_read_is_named(file, name, why):
    """With the system's reason."""
    file("")

    (line,) = _refused(Path(name))

    assert line.startswith(f"{name}: cannot be read: ")
    assert why in line


def test_a_file_of_absurd_size_is_not_read(file, monkeypatch):
    """A device or a log given by mistake does not fill the memory."""
    monkeypatch.setattr(module, "_BYTES_MAX", 10)

    assert ["trivium.toml: is above 10 bytes, which no settings file is"] == _refused(
        file("# a comment that is longer\n")
    )


def test_a_password_in_a_wrong_address_is_not_shown(file):
    """Neither from the file nor from the environment."""
    path = file("[storage]\nurl = 'mysql://u:hunter2@h/db'\n")

    lines = _refused(path, {"TRIVIUM_SHARED__URL": "ftp://u:hunter2@h"})

    assert 2 == len(lines)
    assert "hunter2" not in " ".join(lines)


def test_secrets_are_relative_to_the_file(file, tmp_path):
    """Not to wherever the process was started."""
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "db").write_text("postgresql://h/db\n")
    path = tmp_path / "conf" / "t.toml"
    path.write_text("[storage]\nurl = 'file:db'\n")

    loaded = load_with_source(path, {})

    assert "postgresql://h/db" == loaded.settings.storage.url
    assert {tmp_path / "conf" / "db"} == set(loaded.secrets.files)


def test_a_variable_for_a_section_that_is_no_table_leaves_the_problem_to_the_file(file):
    """There is nothing to lay it over."""
    (line,) = _refused(file("server = 5\n"), {"TRIVIUM_SERVER__BACKLOG": "5"})

    assert line.startswith("trivium.toml:1: server must be a table, not 5")


def test_the_process_environment_is_the_default(monkeypatch):
    """For the command line."""
    monkeypatch.setenv("TRIVIUM_SERVER__BACKLOG", "9")

    assert "9" == environment()["TRIVIUM_SERVER__BACKLOG"]
    assert 9 == load(None).server.backlog


def test_what_was_loaded_does_not_print_the_environment():
    """It is full of keys."""
    assert "hunter2" not in repr(load_with_source(None, {"KEY": "hunter2"}))


def test_the_environments_proxy_goes_with_the_settings():
    """Nothing else reads the environment."""
    loaded = load_with_source(None, {"https_proxy": "http://p:1"})

    assert "http://p:1" == loaded.proxy("https://api.example")
