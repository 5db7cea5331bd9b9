"""How commands begin and end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from trivium import __version__
from trivium.cli.main import app


def leaves(command, above=""):
    """Names of all commands that do something, such as ``key create``."""
    inner = getattr(command, "commands", None)
    if inner is None:
        return [above]
    return [leaf for name in inner for leaf in leaves(inner[name], f"{above} {name}".strip())]


COMMANDS = tuple(leaves(get_command(app)))
assert len(COMMANDS) > 20, "the commands moved: these tests would pass by seeing nothing"


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_command_explains_itself(trivium, command):
    """On standard output, with exit code 0, in whole sentences."""
    done = trivium(*command.split(), "--help")
    assert (0, "") == (done.code, done.err)
    assert f"Usage: trivium {command}".rstrip() in done.out


def test_the_list_of_commands_is_not_cut_short(trivium):
    """Each line of it is a sentence."""
    listed = trivium("--help").out.partition("Commands:")[2]
    assert "..." not in listed
    assert {name.split()[0] for name in COMMANDS} == {
        line.split()[0] for line in listed.splitlines() if line.strip()
    }


def test_the_manual_names_every_command_and_option():
    """Whoever reads the page and not the program misses nothing."""
    operate = Path(__file__).parents[2] / "docs" / "operate"
    manual = "".join((operate / f"{name}.md").read_text() for name in ("command-line", "demo"))
    missing = [name for name in COMMANDS if f"trivium {name}" not in manual]
    for command in COMMANDS:
        context = get_command(app)
        for word in command.split():
            context = context.commands[word]
        options = [option for p in context.params for option in p.opts if option[:2] == "--"]
        missing += [f"{command} {option}" for option in options if f"`{option}" not in manual]
    assert [] == [name for name in missing if "--config" not in name and "--help" not in name]


def test_alone_it_shows_what_there_is(trivium):
    """As `--help` does."""
    assert trivium() == trivium("--help")


@pytest.mark.parametrize("argv", [["version"], ["--version"]])
def test_the_version_is_one_line(trivium, argv):
    """For scripts and reports."""
    done = trivium(*argv)
    assert (0, f"{__version__}\n", "") == (done.code, done.out, done.err)


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["bogus"], "No such command 'bogus'. See `trivium --help`."),
        (["serv"], "No such command 'serv'. Did you mean 'serve', 'user'? See `trivium --help`."),
        (["user"], "Missing command. See `trivium user --help`."),
        (["key", "revoke"], "Missing argument 'KEY'. See `trivium key revoke --help`."),
        (["check", "--what"], "No such option: --what. See `trivium check --help`."),
        (
            ["credit", "ada", "-5.00"],
            "No such option: -5. A negative amount goes after `--`. See `trivium credit --help`.",
        ),
        (["audit", "list", "--act", "x"], "Invalid value for '--act': 'x' is not one of"),
        (["serve", "--workers", "x"], "Invalid value for '--workers'"),
    ],
)
def test_wrong_usage_is_one_line_and_two(trivium, argv, line):
    """It names the page that would help."""
    done = trivium(*argv)
    assert (2, "", 1) == (done.code, done.out, done.err.count("\n"))
    assert done.err.startswith(f"trivium: {line}")


@pytest.mark.parametrize("command", ["serve", "user list", "key list", "migrate", "check"])
def test_settings_that_are_wrong_end_every_command(trivium, folder, command):
    """With the line, before anything is touched."""
    (folder / "trivium.toml").write_text("[server]\nlisten = 1\n")
    done = trivium(*command.split())
    assert done.code == 1
    assert "trivium.toml:2: server.listen" in done.out + done.err
    assert ["trivium.toml"] == [path.name for path in folder.iterdir()]


def test_a_reader_that_leaves_is_no_failure_of_ours(folder):
    """`trivium --help | head -1` is quiet."""
    source = "from trivium.cli.main import main; main()"
    command = f'{sys.executable} -c "{source}" --help | head -c 1 >/dev/null'
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False)
    assert done.stderr == b""


def shell(folder, line, **environment):
    """One line of a shell in which `trivium` is this program, with streams of its own."""
    program = (
        f"trivium() {{ {sys.executable} -c 'from trivium.cli.main import main; main()' \"$@\"; }}"
    )
    return subprocess.run(
        ["/bin/sh", "-c", f"{program}; {line}"],
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "0", **environment},
    )


@pytest.fixture
def named(folder, trivium):
    """A database with a user whose name no terminal of 1980 can show."""
    assert 0 == trivium("user", "create", "Zoë日", "--email", "z@example.org").code
    return folder


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("latin-1", b"Zo\xeb\\u65e5"),
        pytest.param("ascii", rb"Zo\xeb\u65e5", marks=pytest.mark.slow),
        pytest.param("utf-8", "Zoë日".encode(), marks=pytest.mark.slow),
    ],
)
def test_a_name_that_the_terminal_cannot_show_is_escaped(named, encoding, shown):
    """The command does what it was asked."""
    done = shell(named, "trivium user list", PYTHONIOENCODING=encoding)
    assert (0, shown) == (done.returncode, done.stdout.split(b"\n")[1].split()[1])


@pytest.mark.parametrize(
    "command", ["ledger export", pytest.param("user list --json", marks=pytest.mark.slow)]
)
def test_what_programs_read_is_utf_8_on_any_terminal(named, trivium, command):
    """An escape of the terminal's would not be JSON, and another name in CSV."""
    assert 0 == trivium("credit", "Zoë日", "1.00", "--note", "März").code
    done = shell(named, f"trivium {command}", PYTHONIOENCODING="ascii")
    assert (0, True) == (done.returncode, "Zoë日" in done.stdout.decode())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full disk to hand")
@pytest.mark.parametrize("command", ["user list", pytest.param("--help", marks=pytest.mark.slow)])
def test_a_full_disk_is_one_line(named, command):
    """Nobody takes half a list for the whole."""
    done = shell(named, f"trivium {command} >/dev/full")
    said = done.stderr.splitlines()[-1]
    expected = b"trivium: what there was to say could not be written: No space left on device"
    assert (1, expected, False) == (done.returncode, said, b"Traceback" in done.stderr)


@pytest.mark.parametrize(
    "closed", [">&-", *(pytest.param(one, marks=pytest.mark.slow) for one in ("2>&-", "<&-"))]
)
def test_a_closed_stream_is_no_failure(named, closed):
    """Supervisors start programs that way."""
    done = shell(named, f"trivium user list {closed}")
    assert (0, False) == (done.returncode, b"Traceback" in done.stderr)


def test_a_bug_keeps_its_traceback(trivium, monkeypatch):
    """It is not a mistake of the user's, and we want to know where."""
    monkeypatch.setattr("trivium.cli.check.environment", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        trivium("check")
