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

from trivium.cli.interpreter import remark

SCRIPT = """
import os, signal, sys, threading, time
from trivium.cli import worker_sockets, workers

workers.DELAY_FIRST_S = 0.05

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # whole, from several processes

kind = sys.argv[1]
starts = os.path.join(sys.argv[2], "starts")
forks = os.fork
forked = [0]

def fork():
    forked[0] += 1
    full = {"full": forked[0] in (3, 4), "full at once": forked[0] == 2}
    if full.get(kind):
        raise BlockingIOError(11, "Resource temporarily unavailable")
    return forks()

os.fork = fork

def run(ready, slot):
    with open(starts, "ab") as file:
        file.write(b".")
    later = os.path.getsize(starts) > 2
    done = threading.Event()
    code = [0]
    def stop(number, frame):
        done.set()
    def reload(number, frame):
        say("reload", os.getpid())
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGUSR2, stop)
    signal.signal(signal.SIGHUP, reload)
    if kind == "broken":
        print("cannot start", file=sys.stderr, flush=True)
        return 1
    if kind == "raises":
        raise RuntimeError("a bug")
    if kind == "stale" and later:
        print("cannot start any more", file=sys.stderr, flush=True)
        return 1
    if kind == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    say("worker", os.getpid(), os.getpgid(0) == os.getpid())
    say("on", os.getpid(), *(sock.getsockname()[1] for one in slot.sockets for sock in one))
    ready(["http://127.0.0.1:1"])
    while not done.is_set():
        time.sleep(0.01)
    say("drained", os.getpid())
    return 3 if kind == "sad" else 0

made = worker_sockets.AllSockets(["127.0.0.1:0"], 2, 512)
try:
    # a busy machine may take a while to let one end that wants to
    stop_s = 0.5 if kind == "stubborn" else 30.0
    raise SystemExit(workers.Supervisor(run, made.all, stop_s=stop_s).run())
except workers.CommandFailed as failed:
    raise SystemExit(str(failed))
"""


class Running:
    """A supervisor with two small workers in a process of its own."""

    def __init__(self, kind, folder):
        self.out, self.err = folder / "out", folder / "err"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SCRIPT, kind, str(folder)],
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def said(self, word, count=1, limit_s=60.0):
        """Process ids that said a word so far, waiting for ``count`` of them."""
        until = time.monotonic() + limit_s
        while True:
            found = [int(n) for n in re.findall(rf"(?m)^{word} (\d+)", self.out.read_text())]
            if len(found) >= count or time.monotonic() > until:
                return found
            time.sleep(0.01)

    def noted(self, text, limit_s=60.0):
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
        f"trivium is listening on http://127.0.0.1:1 (pid {running.process.pid}){remark()}\n"
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
    assert running.process.wait(60) == 0
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
    assert running.process.wait(60) == 1
    assert said in running.err.read_text()
    assert "starting another" not in running.err.read_text()


def test_a_workers_exit_code_is_ours(supervise):
    """Whoever started us learns that a drain went wrong."""
    running = supervise("sad")
    running.said("worker", 2)
    assert running.noted("listening")
    running.process.terminate()
    assert running.process.wait(60) == 3


def test_a_worker_that_does_not_end_is_killed(supervise):
    """Stopping is bounded."""
    running = supervise("stubborn")
    pids = running.said("worker", 2)
    assert running.noted("listening")
    running.process.terminate()
    assert running.process.wait(60) == 9
    assert [True, True] == [ended(pid) for pid in pids]


def test_workers_drain_when_the_supervisor_is_killed(supervise):
    """Nobody would restart or stop them otherwise."""
    running = supervise()
    pids = running.said("worker", 2)
    assert running.noted("listening")
    running.process.kill()
    assert sorted(pids) == sorted(running.said("drained", 2))
    assert [True, True] == [ended(pid, 5.0) for pid in pids]


def test_workers_are_replaced_one_by_one(supervise):
    """SIGUSR2: a new one takes its place first, then the old one is told; all listen as before."""
    running = supervise()
    old = running.said("worker", 2)
    assert running.noted("listening")
    running.process.send_signal(signal.SIGUSR2)
    assert running.noted("all workers have been replaced")
    lines = [line.split()[:2] for line in running.out.read_text().splitlines()]
    told = [(word, int(pid) in old) for word, pid in lines if word in ("worker", "drained")]
    one = [("worker", False), ("drained", True)]
    assert [("worker", True)] * 2 + one * 2 == told
    assert sorted(old) == sorted(running.said("drained", 2))
    ports = re.findall(r"(?m)^on \d+ (\d+)", running.out.read_text())
    assert (4, 1) == (len(ports), len(set(ports)))
    assert running.err.read_text().count("listening on") == 1
    running.process.terminate()
    assert running.process.wait(60) == 0
    assert 4 == len(running.said("drained", 4))


def test_workers_that_cannot_begin_anew_replace_nobody(supervise):
    """Settings that are wrong by now, say: the old ones go on, and are restarted when they die."""
    running = supervise("stale")
    old = running.said("worker", 2)
    assert running.noted("listening")
    running.process.send_signal(signal.SIGUSR2)
    assert running.noted("a new one, ended (exit code 1); the old ones go on")
    assert [False, False] == [ended(pid, 0.2) for pid in old]
    assert [] == running.said("drained", 1, 0.1)
    running.process.terminate()
    assert running.process.wait(60) == 0


def test_a_replaced_worker_that_does_not_end_is_killed(supervise):
    """The others are replaced after it."""
    running = supervise("stubborn")
    old = running.said("worker", 2)
    assert running.noted("listening")
    running.process.send_signal(signal.SIGUSR2)
    assert running.noted("all workers have been replaced")
    assert [True, True] == [ended(pid) for pid in old]
    assert all(running.noted(f"worker {pid} did not end in time; killing it") for pid in old)
    assert 4 == len(running.said("worker", 4))


def test_who_comes_while_a_worker_is_replaced_is_not_lost(supervise):
    """What the kernel has dealt to a worker waits for its successor: no connection is refused."""
    running = supervise()
    running.said("worker", 2)
    assert running.noted("listening")
    port = int(re.findall(r"(?m)^on \d+ (\d+)", running.out.read_text())[0])
    running.process.send_signal(signal.SIGUSR2)
    lines = []
    pause_s = 0.002
    while not running.noted("all workers have been replaced", pause_s):
        lines.append(socket.create_connection(("127.0.0.1", port), timeout=20))
        # nobody accepts here: however long a busy machine takes, they fit in what may wait
        assert len(lines) < 500
        pause_s *= 1.02
    assert lines
    for line in lines:
        line.setblocking(False)
        with pytest.raises(BlockingIOError):
            line.recv(1)  # neither an end nor a reset
        line.close()


def test_a_worker_that_cannot_be_made_now_is_made_later(supervise):
    """The machine has no room for another process for a while: the others serve on meanwhile."""
    running = supervise("full")
    victim, other = running.said("worker", 2)
    assert running.noted("listening")
    os.kill(victim, signal.SIGKILL)
    assert running.noted("no worker can be started (Resource temporarily unavailable)")
    assert len(running.said("worker", 3)) == 3
    assert not ended(other)
    running.process.terminate()
    assert running.process.wait(60) == 0


def test_without_room_for_a_new_worker_the_old_ones_go_on(supervise):
    """SIGUSR2 on a machine that is full: nobody is relieved, and it can be asked for again."""
    running = supervise("full")
    old = running.said("worker", 2)
    assert running.noted("listening")
    for _ in range(2):
        before = running.err.read_text().count("the old ones go on")
        running.process.send_signal(signal.SIGUSR2)
        until = time.monotonic() + 60
        while running.err.read_text().count("the old ones go on") == before:
            assert time.monotonic() < until
            time.sleep(0.01)
    assert [False, False] == [ended(pid) for pid in old]
    running.process.send_signal(signal.SIGUSR2)
    assert running.noted("all workers have been replaced")


def test_a_start_without_room_for_all_workers_ends(supervise):
    """With one line; those that were made end as if the supervisor had been killed."""
    running = supervise("full at once")
    assert running.process.wait(60) == 1
    said = running.err.read_text()
    assert "cannot start a worker: Resource temporarily unavailable" in said
    assert all(ended(pid, 10.0) for pid in running.said("worker", 0))
