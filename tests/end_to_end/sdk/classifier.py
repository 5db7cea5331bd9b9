"""A real model that classifies texts behind the shape of moderations, as a process of its own.

Run by the interpreter that has the package, which need not be the tests' own:
``python classifier.py KEY`` prints its port and serves until it is killed. The model is a linear one
over words (alt-profanity-check 1.9.1, MIT); it tells of insults and threats alone, so that is the
one category with a score.
"""

import contextlib
import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

NAME = "profanity-check"
OTHERS = (
    "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent",
    "self-harm", "self-harm/intent", "self-harm/instructions", "sexual", "sexual/minors",
    "violence", "violence/graphic",
)  # fmt: skip
ASK = "import profanity_check"


@contextlib.contextmanager
def classifier(key):
    """The base URL of a running one; ``None`` when no interpreter has the package."""
    python = os.environ.get("TRIVIUM_TEST_CLASSIFIER_PYTHON", sys.executable)
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if subprocess.run(
        [python, "-c", ASK], capture_output=True, env=environ, check=False
    ).returncode:
        yield None
        return
    child = subprocess.Popen(
        [python, Path(__file__), key], stdout=subprocess.PIPE, text=True, env=environ
    )
    try:
        yield f"http://127.0.0.1:{int(child.stdout.readline())}/v1"
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def result(score):
    """One result with all categories."""
    scores = {"harassment": score, **dict.fromkeys(OTHERS, 0.0)}
    return {
        "flagged": score >= 0.5,
        "categories": {name: value >= 0.5 for name, value in scores.items()},
        "category_scores": scores,
        "category_applied_input_types": {name: ["text"] for name in scores},
    }


def answered(asked, predict):
    """Status and body."""
    given = asked.get("input")
    texts = [given] if isinstance(given, str) else given
    if not texts or not all(isinstance(text, str) for text in texts):
        return 400, {"error": {"message": "only texts", "type": "invalid_request_error"}}
    scores = [float(score) for score in predict(texts)]
    return 200, {"id": "modr-1", "model": NAME, "results": [result(score) for score in scores]}


def main(key):
    """Serve."""
    from profanity_check import predict_prob

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers["authorization"] != f"Bearer {key}" or self.path != "/v1/moderations":
                status, told = 401, {"error": {"message": "no", "code": "invalid_api_key"}}
            else:
                status, told = answered(json.loads(body), predict_prob)
            data = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args):
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1])
