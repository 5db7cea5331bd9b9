"""A gateway as its users run it: `trivium serve` in a process of its own, on a free port."""

import contextlib
import http.client
import re
import subprocess
import time

import warm
from warm import TRIVIUM

READY = re.compile(r"trivium is listening on (http://127\.0\.0\.1:\d+) \(pid (\d+)\)")
START_S = 30.0
STOP_S = 20.0
RESTLESS = "\n[routing]\ncooldown_s = 0.0001\ncooldown_max_s = 0.0001\nrecheck_s = 0.0001\n"
"""One gateway serves tests of good and of bad accounts: none of them is to bench the next."""
KEY_S = 2.0


class Served:
    """A running gateway."""

    def __init__(self, folder, process, origin):
        self.folder = folder
        self.origin = origin
        """``http://127.0.0.1:PORT``."""
        self._process = process

    @property
    def log(self):
        """What it has said on standard error so far."""
        return (self.folder / "serve.log").read_text()

    def key(self, *models):
        """A new key of the one user, for all models or for some, once it is in force."""
        wanted = [part for model in models for part in ("--model", model)]
        key = command(self.folder, "key", "create", "--user", "ada", *wanted).strip()
        deadline = time.monotonic() + KEY_S
        while not self._accepts(key):
            assert time.monotonic() < deadline, "the new key is not accepted"
            time.sleep(0.02)
        return key

    def _accepts(self, key):
        line = http.client.HTTPConnection(self.origin.removeprefix("http://"), timeout=10)
        line.request("GET", "/v1/models", headers={"authorization": f"Bearer {key}"})
        status = line.getresponse().status
        line.close()
        return status == 200

    def stop(self):
        """End it as a service manager does; it must end well."""
        self._process.terminate()
        try:
            assert self._process.wait(STOP_S) == 0
        finally:
            self._process.kill()
            self._process.wait()


def command(folder, *argv):
    """Run one `trivium` command in the gateway's folder; what it printed."""
    done = warm.run(
        [TRIVIUM, *argv], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextlib.contextmanager
def served(folder, settings, *, fresh=False):
    """Serve these settings from that folder until the end of the block. ``fresh``: from nothing."""
    (folder / "trivium.toml").write_text('[server]\nlisten = "127.0.0.1:0"\n' + settings + RESTLESS)
    command(folder, "user", "create", "ada", "--email", "ada@example.org", "--unlimited")
    popen = subprocess.Popen if fresh else warm.popen
    with (folder / "serve.log").open("wb") as log:
        process = popen([TRIVIUM, "serve"], cwd=folder, stdout=subprocess.DEVNULL, stderr=log)
    try:
        gateway = Served(folder, process, _origin(folder, process))
        yield gateway
        gateway.stop()
    finally:
        process.kill()
        process.wait()


def _origin(folder, process):
    """Where it listens, once it does."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        said = (folder / "serve.log").read_text()
        found = READY.search(said)
        if found:
            return found[1]
        assert process.poll() is None, said
        time.sleep(0.02)
    raise AssertionError(f"not listening in time: {said}")
