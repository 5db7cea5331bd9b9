"""A forked `trivium` is one as its users start it, but for the time it takes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import warm
from warm import TRIVIUM

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere everything starts from nothing"
)


def command(folder, *argv, run=warm.run, **more):
    done = run([TRIVIUM, *argv], cwd=folder, capture_output=True, text=True, check=False, **more)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("argv", [["--version"], ["check"], ["nobody"], ["serve", "--workers"]])
def test_it_says_and_ends_as_one_that_starts_from_nothing(tmp_path, argv):
    """Its exit code and both streams."""
    expected = command(tmp_path, *argv, run=subprocess.run)
    assert expected == command(tmp_path, *argv)


def test_it_reads_its_own_input_and_environment(tmp_path, monkeypatch):
    """Not those of the process it was forked from, nor those of the one before it."""
    (tmp_path / "one.toml").write_text('[server]\nlisten = "nowhere"\n')
    monkeypatch.setenv("TRIVIUM_CONFIG", str(tmp_path / "one.toml"))
    code, said, heard = command(tmp_path, "check")
    assert (1, True) == (code, "nowhere" in said + heard)
    monkeypatch.delenv("TRIVIUM_CONFIG")
    assert "nowhere" not in "".join(map(str, command(tmp_path, "check")))
    code, said, _ = command(
        tmp_path, "user", "create", "eve", "--email", "eve@example.com", "--password-stdin",
        stdin="a horse, a battery",
    )  # fmt: skip
    assert 0 == code, said
    assert (tmp_path / "trivium.db").exists()


def test_signals_reach_it_and_its_end_is_known(tmp_path):
    """A killed one as well, by nobody who waited for it meanwhile."""
    for number, code in ((signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGKILL, -9)):
        with (tmp_path / "serve.log").open("wb") as log:
            process = warm.popen(
                [TRIVIUM, "serve", "--listen", "127.0.0.1:0"], cwd=tmp_path,
                stdout=subprocess.DEVNULL, stderr=log,
            )  # fmt: skip
        deadline = time.monotonic() + 60
        while "listening" not in (tmp_path / "serve.log").read_text():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.send_signal(number)
        assert code == process.wait(60) == process.poll() == process.returncode
        process.kill()
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)


def test_what_it_says_can_be_read_from_a_pipe(tmp_path):
    """It ends when the process has."""
    process = warm.popen(
        [TRIVIUM, "nobody"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    with process.stderr as said:
        assert b"No such command" in said.read()
    assert 2 == process.wait(60)


def test_no_descriptor_of_another_is_left_open(tmp_path):
    """Not of the process it was forked from, nor of others forked from it: a pipe would never end
    that somebody else holds as well.
    """
    processes = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        with (folder / "serve.log").open("wb") as log:
            processes.append(
                warm.popen(
                    [TRIVIUM, "serve", "--listen", "127.0.0.1:0"],
                    cwd=folder,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                )
            )
    try:
        deadline = time.monotonic() + 60
        while "listening" not in (tmp_path / "two" / "serve.log").read_text():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        there = Path(f"/proc/{processes[1].pid}/fd")
        held = [str(each.readlink()) for each in there.iterdir() if each.is_symlink()]
        assert any("two/serve.log" in each for each in held)
        assert not [each for each in held if "/one/" in each or "memfd" in each]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.parametrize(
    ("argv", "changed"),
    [([TRIVIUM], {"PYTHONPATH": "/elsewhere"}), ([TRIVIUM], {"LANG": "xx"}), (["/bin/true"], {})],
)
def test_what_could_start_otherwise_is_started_from_nothing(argv, changed):
    """Another program, or an environment that an interpreter reads at its start."""
    assert warm.suits([TRIVIUM], dict(warm.HERE) | {"TRIVIUM_SECRET": "x", "HOME": "/elsewhere"})
    assert not warm.suits(argv, dict(warm.HERE) | changed)
