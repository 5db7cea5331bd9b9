"""What the engine process owes the demo."""

import subprocess
import sys

import pytest


@pytest.fixture
def child(environ):
    """Starts an engine process with its pipes in hand."""
    started = []

    def start(module):
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_the_address_is_all_of_standard_output(child):
    """What libraries print does not get between."""
    process = child("engine_good")
    process.stdin.write(b"key\n")
    process.stdin.flush()
    line = process.stdout.readline()
    out, err = process.communicate(timeout=30)
    assert line.startswith(b"http://127.0.0.1:")
    assert (b"", b"noise\n", 0) == (out, err, process.returncode)


def test_the_end_of_standard_input_ends_it(child):
    """No signal is needed, so it works on every system."""
    process = child("engine_good")
    process.stdin.write(b"key\n")
    process.stdin.flush()
    process.stdout.readline()
    assert process.poll() is None
    process.stdin.close()
    assert process.wait(30) == 0
    process.stdin = None


def test_without_a_key_nothing_is_started(child):
    """A demo that died before it sent the key leaves no open engine."""
    process = child("engine_good")
    assert (b"", b"") == process.communicate(b"", timeout=30)
