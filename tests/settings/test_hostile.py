"""Whatever stands for a setting: it can be used, or one readable line says why not."""

import asyncio
import os
import re
import signal
import time
from pathlib import Path

import pytest

from settings.hostile import VALUES, files, paths, text, whole, with_value
from trivium.cli.check import look
from trivium.cli.output import exit_code
from trivium.cli.worker import unlistenable
from trivium.routing.catalogue import catalogue_of
from trivium.settings.errors import SettingsError
from trivium.settings.load import load_with_source
from trivium.wiring.files import unusable
from trivium.wiring.serve import serve

FEW = ("", "\x00", "n" * 5_000, "http://[::1", 10**30, ["x", 1])
"""One of each kind, for every day."""
LINE_MAX = 1_000
LOOK_S = 10
"""So often it is looked whether anything goes on."""
WORK_S, WAIT_S = 30, 0.001
"""What works longer, or in all of such a time not even this long, does not end: a busy machine
makes nobody work more, and lets everybody work a little."""


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """Files that are none; whoever waits for one of them is ended."""
    monkeypatch.chdir(tmp_path)

    before = signal.signal(signal.SIGALRM, looked_at)
    yield files(tmp_path)
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def looked_at(*_):
    """Say so if it hangs; else look again later."""
    now, (began, last) = time.process_time(), WORKED
    assert now - began < WORK_S, "it works and does not end"
    assert now - last > WAIT_S, "it waits for something"
    bounded(began)


WORKED = [0.0, 0.0]
"""CPU seconds of this process at the beginning, and when it was last looked at."""


def bounded(began=None):
    """From now on, or still, it is looked at."""
    now = time.process_time()
    WORKED[:] = [now if began is None else began, now]
    signal.alarm(LOOK_S)


def settle(path, written):
    """What is wrong with these settings, as lines; empty: they can be used."""
    path.write_bytes(written.encode("utf-8", "surrogatepass"))
    bounded()
    try:
        loaded = load_with_source(path, {})
        catalogue_of(loaded)
        return SettingsError(*unusable(loaded.settings)).lines
    except SettingsError as error:
        return error.lines
    finally:
        signal.alarm(0)


@pytest.mark.parametrize(
    "values", [FEW, pytest.param(VALUES, marks=pytest.mark.slow)], ids=["few", "all"]
)
def test_no_value_of_any_setting_is_a_traceback(odd, tmp_path, values):
    """Every setting there is, in the file, with every value; and every file that is none."""
    strange = [odd["directory"]]
    if values is VALUES:
        strange = [*odd.values(), *(f"file:{path}" for path in odd.values())]
    refused = 0
    for path in paths():
        for value in (*values, *strange):
            lines = settle(tmp_path / "t.toml", text(with_value(path, value)))
            refused += bool(lines)
            for line in lines:
                assert line.isprintable(), (path, value)
                assert 0 < len(line) < LINE_MAX, (path, str(value)[:40])
    assert refused > len(paths())


def test_the_settings_without_a_hostile_value_are_right(odd, tmp_path):
    """Or nothing of the above would show anything."""
    assert () == settle(tmp_path / "t.toml", text(whole()))


RUNS = ["\udcff" * 40, "short", "\x01" * 40, "é" * 40, " " * 50]
"""Values of TRIVIUM_SECRET; the first holds bytes that are no text."""


def starts(odd, every):
    """What is looked at by a start alone: setting and value; a variable's name and value."""
    odd = {name: path for name, path in odd.items() if name != "pipe"}
    named = (
        odd if every else {name: odd[name] for name in ("directory", "text", "cycle", "long name")}
    )
    for path in named.values():
        yield from (("storage.journal", path), ("storage.url", f"sqlite:///{path}"))
        yield from (("server.upload_folder", path), ("assets.url", f"file://{path}"))
        yield "server.tls_certificate", path
    yield from (("storage.journal", value) for value in ("a" * 5_000, "x/y/z", "\u2028", ":0"))
    yield from (("storage.url", url) for url in ("sqlite:///a%00b", "sqlite:///x/y/z.db", "postgresql://[::1/x",
                "postgresql://u:p@127.0.0.1:1/x", "postgresql://h/x?sslmode=silly", "sqlite:///" + "a" * 5_000))  # fmt: skip
    for setting in ("server.listen", "server.admin_listen"):
        yield from (
            (setting, where)
            for where in ("nowhere.invalid:80", "192.0.2.1:80", "[fe80::1%nope]:80")
        )
    yield from (("TRIVIUM_SECRET", value) for value in RUNS)


async def started(settings, path):
    """Serve until requests run, and end."""
    return await serve(
        settings, config_path=path, serving=lambda _: os.kill(os.getpid(), signal.SIGTERM)
    )


def outcome(path, capsys, step):
    """Whether a step goes well. Fails for a traceback, and for a refusal of several lines."""
    bounded()
    try:
        return step()
    except Exception as error:
        capsys.readouterr()
        code = exit_code(error)
        said = capsys.readouterr().err
        assert code == 1, (path, error)  # noqa: PT017
        assert re.fullmatch(r"(trivium: [^\n]{1,1200}\n)+", said), said
        return False
    finally:
        signal.alarm(0)


@pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["few", "all"]
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_start_and_its_check_agree_and_say_why_not(odd, tmp_path, monkeypatch, capsys, every):
    """What `trivium check` finds sound starts, and what does not start it has found."""
    path = tmp_path / "t.toml"
    for number, (setting, value) in enumerate(starts(odd, every)):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        if setting.isupper():
            monkeypatch.setenv(setting, value)
            data = whole()
        else:
            data = with_value(setting, value)
        data.setdefault("server", {}).setdefault("listen", "127.0.0.1:0")
        path.write_bytes(text(data).encode())

        def sound():
            return all(finding.ok for finding in look(path))

        def serves():
            settings = load_with_source(path).settings
            try:
                return 0 == asyncio.run(started(settings, path))
            except OSError as error:
                raise unlistenable(error, settings.server.listen) from error

        before = outcome((setting, value), capsys, sound)
        assert before is outcome((setting, value), capsys, serves), (setting, str(value)[:60])
        if setting.isupper():
            monkeypatch.delenv(setting)


@pytest.mark.parametrize(
    "made", ["a directory", "binary", "a link to itself", "missing", "a long name"]
)
def test_a_settings_file_that_is_none_is_told(odd, trivium_line, made):
    """By the command itself, in one line."""
    names = {"a directory": "directory", "binary": "binary", "a link to itself": "cycle",
             "missing": "missing", "a long name": "long name"}  # fmt: skip
    for command in ("check", "serve"):
        code, lines = trivium_line(command, "--config", odd[names[made]])
        assert (1, True) == (code, all(line.isprintable() for line in lines))


@pytest.fixture
def trivium_line(capsys):
    """Runs a command: its exit code, and what it said to people."""
    from trivium.cli.main import run

    def go(*argv):
        code = run(argv)
        said = capsys.readouterr()
        return code, (said.out + said.err).splitlines()

    return go


def test_a_folder_for_the_tests_is_left(odd):
    """Nothing was made of what was only named."""
    assert not Path(odd["missing"]).exists()
