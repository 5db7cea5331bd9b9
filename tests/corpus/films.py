"""A film within an answer, as Veo's on Vertex AI: looked at while it is made, and fetched."""

import http.client
import json
import time

from corpus.case import Case
from corpus.stage import MIB, PATIENCE_S, ask, sized

MODEL = "veo-3.0-generate-001"
OPERATION = f"projects/acme-prod/locations/global/publishers/google/models/{MODEL}/operations/op-1"
ASKED = {"model": "to-veo", "prompt": "a cat", "seconds": "8", "size": "1280x720"}
LIMIT = 127
"""MiB of base64: with what is around it, as much as an answer may have."""
PAUSE_S = 0.5


class FilmCase(Case):
    """A video is ordered, looked at until it is there, and fetched: each look brings all of it."""

    def play(self, worker):
        """Do it; the first line of the download."""
        film, self.answer = self.answer, None
        worker.vendor.answer = lambda: sized(json.dumps({"name": OPERATION}).encode())
        path = f"/v1/videos/{_asked(worker, 'POST', '/v1/videos', ASKED)['id']}"
        worker.vendor.answer = self.answer = film
        until = time.monotonic() + PATIENCE_S
        while (seen := _asked(worker, "GET", path))["status"] not in ("completed", "failed"):
            assert time.monotonic() < until, seen
            time.sleep(PAUSE_S)
        return ask(worker, [worker.head(f"{path}/content", method="GET") + b"\r\n\r\n"])


def _asked(worker, method, path, body=None):
    """A short answer of the gateway's."""
    line = http.client.HTTPConnection("127.0.0.1", worker.port, timeout=PATIENCE_S)
    try:
        line.request(
            method, path, body and json.dumps(body),
            {"Authorization": f"Bearer {worker.key}", "Content-Type": "application/json"},
        )  # fmt: skip
        answer = line.getresponse()
        found = json.loads(answer.read())
        assert answer.status == 200, found
        return found
    finally:
        line.close()


def _film(name, text):
    """``text``: what the film is made of, as JSON has it: base64, or escapes for its characters."""

    def of(share):
        video = b'{"mimeType":"video/mp4","bytesBase64Encoded":"%b"}'
        whole = b'{"name":"%b","done":true,"response":{"videos":[%b]}}'
        data = text * int(LIMIT * MIB * share / len(text))
        body = whole % (OPERATION.encode(), video % data)
        del data
        return FilmCase(name, lambda: len(body), None, lambda: sized(body))

    return of


FILMS = [
    _film("a film within an answer: generate to videos", b"AAAA" * 64),
    _film("a film with escapes: generate to videos", b"\\/AA" + b"AB\\/\\u0041" * 3),
]
"""A slash may be escaped, and any other character as well."""
