"""A program for a network namespace without routes: a gateway starts there and answers.

Run as ``unshare -n python no_network.py FOLDER TRIVIUM TRACER...``. Loopback is brought up, a
stand-in for Ollama listens at its usual port, and the settings are those of ``trivium init``. The
gateway runs below the tracer, if one is given. Prints what was seen as JSON.
"""

import fcntl
import http.server
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

ENGINE = ("127.0.0.1", 11434)
REST_S = 3.0
"""How long it is left alone after its answer: what it does by itself, it does within seconds."""
ANSWER = {
    "id": "c1", "object": "chat.completion", "model": "local",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Ho"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
}  # fmt: skip


class Engine(http.server.BaseHTTPRequestHandler):
    """Lists one model, and answers for it."""

    def do_GET(self):
        self.say({"object": "list", "data": [{"id": "local", "object": "model"}]})

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.say(ANSWER)

    def say(self, document):
        data = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def loopback():
    """Bring the one interface up (linux/sockios.h: SIOCSIFFLAGS with IFF_UP)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        fcntl.ioctl(line, 0x8914, struct.pack("16sh14x", b"lo", 1))


def without_route():
    """How often this namespace was asked for an address that it has no way to."""
    six = re.search(r"(?m)^Ip6OutNoRoutes\s+(\d+)", _read("snmp6"))
    heads, values = (line.split() for line in _read("snmp").splitlines()[:2])
    four = dict(zip(heads, values, strict=True))["OutNoRoutes"]
    return int(four) + (int(six[1]) if six else 0)


def _read(name):
    return Path("/proc/net", name).read_text()


def tried(address):
    """Try an address, to show that it would be seen."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as line:
        line.settimeout(1)
        return line.connect_ex((address, 443)) != 0


def ask(origin, path, key="", body=None):
    """Status and bytes of one call."""
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(origin + path, data, headers)) as answer:
        return answer.status, answer.read()


def main(folder, trivium, tracer):
    loopback()
    threading.Thread(
        target=http.server.ThreadingHTTPServer(ENGINE, Engine).serve_forever, daemon=True
    ).start()
    environ = {**os.environ, "OPENAI_API_KEY": "sk-unreachable"}

    def run(*argv):
        done = subprocess.run(
            [trivium, *argv], cwd=folder, env=environ, check=True, capture_output=True, text=True
        )
        return done.stdout

    run("init")
    run("user", "create", "me", "--email", "me@example.org", "--credit", "1.00")
    key = run("key", "create", "--user", "me").strip()
    check = run("check")
    before = without_route()
    serving = subprocess.Popen(
        [*tracer, trivium, "serve"], cwd=folder, env=environ, stderr=subprocess.PIPE, text=True
    )
    lines = []
    while not (lines and "listening on" in lines[-1]):
        lines.append(serving.stderr.readline())
        assert lines[-1], "".join(lines)
    threading.Thread(target=lambda: lines.extend(serving.stderr), daemon=True).start()
    origin, pid = re.search(r"(http://\S+) \(pid (\d+)\)", lines[-1]).groups()
    question = {"model": "local", "messages": [{"role": "user", "content": "Hi"}]}
    _, answer = ask(origin, "/v1/chat/completions", key, question)
    pages = [ask(origin, path)[0] for path in ("/readyz", "/openapi.json", "/login")]
    time.sleep(REST_S)
    after = without_route()
    os.kill(int(pid), signal.SIGTERM)
    code = serving.wait(60)
    sys.stdout.write(
        json.dumps(
            {
                "answer": json.loads(answer)["choices"][0]["message"]["content"],
                "check": check,
                "pages": pages,
                "code": code,
                "without_route": after - before,
                "control": [tried("192.0.2.1"), without_route() - after],
                "log": "".join(lines),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
