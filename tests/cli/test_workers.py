"""Workers are started, watched, restarted, told, and never left behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trivium.cli.output import Failed
from trivium.cli.workers import reserve

SCRIPT = """
import os, signal, sys, threading, time
from trivium.cli import workers

workers.DELAY_FIRST_S = 0.05

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # whole, from several processes

def run(ready):
    done = threading.Event()
    code = [0]
    def stop(number, frame):
        done.set()
    def reload(number, frame):
        say("reload", os.getpid())
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGHUP, reload)
    kind = sys.argv[1]
    if kind == "broken":
        print("cannot start", file=sys.stderr, flush=True)
        return 1
    if kind == "raises":
        raise RuntimeError("a bug")
    if kind == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say("worker", os.getpid(), os.getpgid(0) == os.getpid())
    ready(["http://127.0.0.1:1"])
    while not done.is_set():
        time.sleep(0.01)
    say("drained", os.getpid())
    return 3 if kind == "sad" else 0

raise SystemExit(workers.Supervisor(run, workers=2, stop_s=0.5).run())
"""


class Running:
    """A supervisor with two small workers in a process of its own."""

    def __init__(self, kind, folder):
        self.out, self.err = folder / "out", folder / "err"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SCRIPT, kind], stdout=out, stderr=err, start_new_session=True
            )

    def said(self, word, count=1, limit_s=10.0):
        """Process ids that said a word so far, waiting for ``count`` of them."""
        until = time.monotonic() + limit_s
        while True:
            found = [int(n) for n in re.findall(rf"(?m)^{word} (\d+)", self.out.read_text())]
            if len(found) >= count or time.monotonic() > until:
                return found
            time.sleep(0.01)

    def noted(self, text, limit_s=10.0):
        """Whether standard error comes to contain a text."""
        until = time.monotonic() + limit_s
        while text not in self.err.read_text() and time.monotonic() < until:
            time.sleep(0.01)
        return text in self.err.read_text()


@pytest.fixture
def supervise(tmp_path):
    """Starts supervisors and leaves nothing behind."""
    started = []

    def start(kind="good"):
        started.append(Running(kind, tmp_path))
        return started[-1]

    yield start
    for running in started:
        running.process.kill()
        running.process.wait()
        for pid in running.said("worker", 0):
            if not ended(pid):
                os.kill(pid, signal.SIGKILL)


def ended(pid, limit_s=0.0):
    """Whether a process is gone, at the latest after ``limit_s``."""
    until = time.monotonic() + limit_s
    while True:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in "ZX" or time.monotonic() >= until:
            return state in "ZX"
        time.sleep(0.01)


def test_one_line_says_when_all_listen(supervise):
    """The supervisor speaks for its workers, once."""
    running = supervise()
    assert len(running.said("worker", 2)) == 2
    assert running.noted(
        f"trivium is listening on http://127.0.0.1:1 (pid {running.process.pid})\n"
    )
    assert running.err.read_text().count("listening") == 1


def test_workers_are_out_of_the_terminals_reach(supervise):
    """Ctrl-C goes to the supervisor alone, or workers would be told twice."""
    running = supervise()
    pids = running.said("worker", 2)
    assert [True, True] == [f"worker {pid} True" in running.out.read_text() for pid in pids]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_waits_for_every_drain(supervise, number):
    """Exit code 0 and both workers ended by themselves."""
    running = supervise()
    pids = running.said("worker", 2)
    assert running.noted("listening")
    running.process.send_signal(number)
    assert running.process.wait(10) == 0
    assert sorted(pids) == sorted(running.said("drained", 2))


def test_a_reload_reaches_every_worker_and_stops_none(supervise):
    """SIGHUP is passed on."""
    running = supervise()
    pids = running.said("worker", 2)
    assert running.noted("listening")
    running.process.send_signal(signal.SIGHUP)
    assert sorted(pids) == sorted(running.said("reload", 2))
    assert running.process.poll() is None


def test_a_dead_worker_gets_a_successor(supervise):
    """Serving goes on with the number asked for, and the death is told."""
    running = supervise()
    victim, other = running.said("worker", 2)
    assert running.noted("listening")
    os.kill(victim, signal.SIGKILL)
    assert len(running.said("worker", 3)) == 3
    assert running.noted(f"worker {victim} ended (signal 9); starting another in 0.05 s\n")
    assert not ended(other)


def test_workers_that_keep_dying_are_restarted_ever_more_slowly(supervise):
    """A crash loop does not eat the machine."""
    running = supervise()
    victim, _ = running.said("worker", 2)
    assert running.noted("listening")
    for count in (3, 4):
        os.kill(victim, signal.SIGKILL)
        victim = running.said("worker", count)[count - 1]
    os.kill(victim, signal.SIGKILL)
    assert running.noted("another in 0.05 s")
    assert running.noted("another in 0.1 s")
    assert running.noted("another in 0.2 s")


@pytest.mark.parametrize(("kind", "said"), [("broken", "cannot start"), ("raises", "a bug")])
def test_workers_that_cannot_start_are_not_tried_again(supervise, kind, said):
    """What they die of is said and ends everything."""
    running = supervise(kind)
    assert running.process.wait(10) == 1
    assert said in running.err.read_text()
    assert "starting another" not in running.err.read_text()


def test_a_workers_exit_code_is_ours(supervise):
    """Whoever started us learns that a drain went wrong."""
    running = supervise("sad")
    running.said("worker", 2)
    assert running.noted("listening")
    running.process.terminate()
    assert running.process.wait(10) == 3


def test_a_worker_that_does_not_end_is_killed(supervise):
    """Stopping is bounded."""
    running = supervise("stubborn")
    pids = running.said("worker", 2)
    assert running.noted("listening")
    running.process.terminate()
    assert running.process.wait(10) == 9
    assert [True, True] == [ended(pid) for pid in pids]


def test_workers_drain_when_the_supervisor_is_killed(supervise):
    """Nobody would restart or stop them otherwise."""
    running = supervise()
    pids = running.said("worker", 2)
    assert running.noted("listening")
    running.process.kill()
    assert sorted(pids) == sorted(running.said("drained", 2))
    assert [True, True] == [ended(pid, 5.0) for pid in pids]


def test_a_taken_port_is_refused():
    """With SO_REUSEPORT two gateways would share the callers unnoticed."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        listen = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(Failed, match=f"cannot listen on {listen}: another program"):
            reserve(listen)


def test_any_free_port_becomes_one_that_all_workers_share():
    """Port 0 would give every worker another one."""
    listen, held = reserve("127.0.0.1:0")
    with held:
        assert listen == f"127.0.0.1:{held.getsockname()[1]}"
        with socket.socket() as worker:
            worker.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            worker.bind(held.getsockname())
            worker.listen()
            socket.create_connection(held.getsockname()).close()
