"""Engines that are quick to start: the real one's process with a small web server inside."""

import textwrap
from pathlib import Path

import pytest

SERVER = """
import http.server
import threading

from trivium.demo import child


class Handler(http.server.BaseHTTPRequestHandler):
    key = ""
    health = 200

    def do_GET(self):
        known = self.headers["authorization"] == f"Bearer {self.key}"
        self.send_response(self.health if self.path == "/health" else 200 if known else 401)
        self.end_headers()

    def log_message(self, *args):
        pass


class Server:
    def __init__(self, key):
        print("noise", flush=True)
        Handler.key = key
        http_server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=http_server.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{http_server.server_port}"

"""

BEHAVIOURS = {
    "good": "child.serve(Server)",
    "broken": "raise SystemExit('no such weights')",
    "silent": "import time\ntime.sleep(60)",
    "unwell": "Handler.health = 503\nchild.serve(Server)",
    "deaf": "child.serve(lambda key: __import__('time').sleep(60))",
}


@pytest.fixture
def environ(tmp_path):
    """An environment in which ``-m engine_NAME`` finds the engines below, and little else."""
    for name, last in BEHAVIOURS.items():
        text = textwrap.dedent(SERVER) + last + "\n"
        (tmp_path / f"engine_{name}.py").write_text(text)
    return {"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"}


@pytest.fixture
def gone():
    """Whether a process has ended, collected or not."""

    def look(pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
        except OSError:
            return True

    return look
