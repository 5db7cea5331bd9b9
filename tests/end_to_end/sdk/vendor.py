"""Three vendors in one: a small HTTP server that plays recorded wires and remembers who asked.

The model name of a request is the name of the scene to play. A scene is a function that gets the
request and a ``Stage`` to answer on; without one, the fixture of that name is sent, whole or as a
stream, whichever was asked for. It runs in threads, because the SDKs under test block.
"""

import contextlib
import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

SHAPES = {
    "/v1/chat/completions": "chat",
    "/v1/responses": "responses",
    "/v1/responses/input_tokens": "responses",
    "/v1/completions": "completions",
    "/v1/embeddings": "embeddings",
    "/v1/moderations": "moderations",
    "/v1/images/generations": "images",
    "/v1/images/edits": "images",
    "/v1/images/variations": "images",
    "/v1/messages": "messages",
    "/v1/messages/count_tokens": "messages",
    "/v2/chat": "cohere",
    "/v2/embed": "cohere",
    "/v2/rerank": "rerank",
}
TROUBLED = frozenset({"error", "error-after", "error-flat", "failed", "cut"})
"""Scenes that begin well and end badly."""
GENERATE = re.compile(r"/(?:v1beta|v1)/models/([^:/]+):(\w+)")
CONVERSE = re.compile(r"/model/([^/]+)/converse(-stream)?")
"""Where Amazon Bedrock has the converse shape."""
HOSTED = re.compile(r".*/publishers/anthropic/models/([^:/]+):(raw|streamRaw)Predict")
"""Where Vertex AI has the messages shape."""


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    """Lower-case names."""
    raw: bytes
    body: dict
    shape: str
    scene: str
    left: threading.Event = field(default_factory=threading.Event)
    """Set when the other side was found gone while it was being answered."""

    @property
    def stream(self):
        """Whether the answer is to come in pieces."""
        by_path = ":streamGenerateContent" in self.path or self.path.endswith("/converse-stream")
        return by_path or self.body.get("stream") is True


def unhosted(found, body):
    """The body of the shape that a hosted one stands for, which must be one that the cloud takes."""
    assert "model" not in body, "model: Extra inputs are not permitted"
    assert body.pop("anthropic_version", "") in ("vertex-2023-10-16", "2026-10-21"), (
        "anthropic_version"
    )
    assert (found[2] == "streamRaw") == body.get("stream", False), "stream"
    return body | {"model": found[1]}


class Stage:
    """Where a scene answers."""

    def __init__(self, handler):
        self._handler = handler

    def whole(self, body, *, status=200, headers=None, content_type="application/json"):
        """One answer with a length; anything but bytes becomes JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler = self._handler
        handler.send_response(status)
        handler.send_header("content-type", content_type)
        handler.send_header("content-length", str(len(data)))
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def begin(self, content_type="text/event-stream"):
        """A stream follows, piece by piece."""
        handler = self._handler
        handler.send_response(200)
        handler.send_header("content-type", content_type)
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()

    def piece(self, data):
        """Some bytes of a stream."""
        self._handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self._handler.wfile.flush()

    def end(self):
        """The stream is complete."""
        self._handler.wfile.write(b"0\r\n\r\n")

    def cut(self):
        """Leave in the middle."""
        self._handler.close_connection = True


def read(raw, content_type):
    """A body as members: JSON, or the text fields of a form."""
    if not content_type.startswith("multipart/"):
        return json.loads(raw)
    fields = re.findall(rb'name="([^"]+)"\r\n\r\n([^\r]*)\r\n', raw)
    found = {name.decode(): value.decode() for name, value in fields}
    return found | ({"stream": True} if found.get("stream") == "true" else {})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        """Nothing is printed."""

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        body = read(raw, self.headers.get("content-type") or "")
        generate = GENERATE.fullmatch(path)
        hosted = HOSTED.fullmatch(path)
        converse = CONVERSE.fullmatch(path)
        if hosted:
            try:
                body = unhosted(hosted, body)
            except AssertionError as refused:
                Stage(self).whole({"error": {"message": f"RULES: {refused}"}}, status=400)
                return
        asked = Asked(
            method=self.command,
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            raw=raw,
            body=body,
            shape="generate"
            if generate
            else "converse"
            if converse
            else "messages"
            if hosted
            else SHAPES[path],
            scene=(generate or converse)[1] if generate or converse else body["model"],
        )
        vendor = self.server.vendor
        vendor.asked.append(asked)
        try:
            vendor.play(asked, Stage(self))
        except OSError:
            self.close_connection = True
            asked.left.set()

    def do_GET(self):
        """`/open/SHAPE`: how many endless answers of that shape somebody still listens to."""
        shape = self.path.rpartition("/")[2]
        running = [a for a in self.server.vendor.asked if (a.shape, a.scene) == (shape, "endless")]
        Stage(self).whole(sum(1 for asked in running if not asked.left.is_set()))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_):
        """A connection that breaks between requests is nobody's fault."""


class Vendor:
    """The server; a context manager."""

    def __init__(self, scenes):
        self.scenes = scenes
        """(shape, scene) or scene alone -> function of (Asked, Stage)."""
        self.asked: list[Asked] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.vendor = self
        self.port = self._server.server_port
        self.origin = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *exc):
        self._server.shutdown()
        self._server.server_close()

    @property
    def last(self):
        """The latest request."""
        return self.asked[-1]

    @contextlib.contextmanager
    def watching(self):
        """The requests that come meanwhile."""
        start = len(self.asked)
        seen = []
        yield seen
        seen += self.asked[start:]

    def play(self, asked, stage):
        """Answer one request."""
        act = self.scenes.get((asked.shape, asked.scene)) or self.scenes.get(asked.scene)
        if act is None:
            replay(asked, stage)
        else:
            act(asked, stage)


def fixture(shape, scene, ending):
    """Bytes of a recorded wire."""
    return (FIXTURES / shape / f"{scene}.{ending}").read_bytes()


def stems(shape, ending):
    """Names of the wires of one shape, in order."""
    return sorted(
        path.name.removesuffix(ending)
        for path in (FIXTURES / shape).glob("*")
        if path.name.endswith(ending) and "." not in path.name.removesuffix(ending)
    )


def replay(asked, stage):
    """The fixture of the scene's name: streams cut where it is least convenient.

    Between the first frame and trouble passes a moment, in which the frame reaches the caller.
    """
    if not asked.stream:
        stage.whole(fixture(asked.shape, asked.scene, "json"))
        return
    wire = fixture(asked.shape, asked.scene, "sse")
    stage.begin()
    if asked.scene in TROUBLED:
        first = re.search(rb"\r?\n\r?\n", wire).end()
        stage.piece(wire[:first])
        time.sleep(0.05)
        wire = wire[first:]
    for start in range(0, len(wire), 700):
        stage.piece(wire[start : start + 700])
    if asked.scene == "cut":
        stage.cut()
    else:
        stage.end()
