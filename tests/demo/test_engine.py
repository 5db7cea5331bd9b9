"""The engine is started, waited for, stopped, and never left behind."""

import os
import signal
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from trivium.demo.engine import Engine, EngineError


def status(address, key):
    """What the engine answers to a request with this key."""
    request = urllib.request.Request(address + "/v1/models")
    request.add_header("authorization", f"Bearer {key}")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def within(seconds, condition):
    """Whether a condition comes true in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def engine(tmp_path, environ):
    """A small engine that runs."""
    with Engine.start(tmp_path / "engine.log", environ, module="engine_good") as running:
        yield running


def test_only_the_key_of_this_start_is_taken(engine):
    """Nobody else on the machine can use the engine."""
    assert (200, 401) == (status(engine.address, engine.key), status(engine.address, "guess"))


def test_the_engine_listens_on_loopback(engine):
    """It is not for the network."""
    assert engine.address.startswith("http://127.0.0.1:")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("place", ["cmdline", "environ"])
def test_the_key_cannot_be_read_from_the_process_table(engine, place):
    """Arguments are everyone's to read."""
    assert engine.key.encode() not in Path(f"/proc/{engine.pid}/{place}").read_bytes()


def test_model_look_ups_stay_off_the_network(engine):
    """The engine's libraries are told to be offline."""
    assert b"HF_HUB_OFFLINE=1" in Path(f"/proc/{engine.pid}/environ").read_bytes().split(b"\0")


def test_what_the_engine_prints_goes_to_a_private_log(engine, tmp_path):
    """Its output is kept, and not for others."""
    log = tmp_path / "engine.log"
    assert ("noise\n", 0o600) == (log.read_text(), stat.S_IMODE(log.stat().st_mode))


def test_ctrl_c_does_not_reach_the_engine(engine):
    """The demo still needs it for the answers that are running."""
    os.kill(engine.pid, signal.SIGINT)
    time.sleep(0.1)
    assert status(engine.address, engine.key) == 200
    assert os.getpgid(engine.pid) != os.getpgid(0)


def test_stopping_ends_the_process(engine, gone):
    """Twice is as good as once."""
    engine.stop()
    engine.stop()
    assert gone(engine.pid)


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("engine_broken", "ended at start (exit code 1): no such weights"),
        ("engine_silent", "was not ready in time"),
        ("engine_deaf", "was not ready in time"),
        ("engine_unwell", "was not healthy in time"),
        ("engine_missing", "No module named engine_missing"),
    ],
)
def test_an_engine_that_does_not_come_up_is_reported(tmp_path, environ, module, said):
    """The message says what happened and where the log is; the wait is bounded."""
    log = tmp_path / "engine.log"
    began = time.monotonic()
    with pytest.raises(EngineError) as caught:
        Engine.start(log, environ, module=module, wait_s=2.0)
    assert said in str(caught.value)
    assert str(log) in str(caught.value)
    assert time.monotonic() - began < 9


KEEPER = """
import pathlib, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
from trivium.demo.engine import Engine
engine = Engine.start(pathlib.Path(sys.argv[1]), {"PYTHONPATH": sys.argv[2]}, module="engine_good")
print(engine.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_engine_ends_with_a_killed_demo(tmp_path, environ, gone, how):
    """However the demo dies, no engine stays."""
    command = [sys.executable, "-c", KEEPER, str(tmp_path / "log"), environ["PYTHONPATH"]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as demo:
        pid = int(demo.stdout.readline())
        assert not gone(pid)
        demo.send_signal(how)
        demo.wait(30)
    assert within(5, lambda: gone(pid))
