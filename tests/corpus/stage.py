"""A watched gateway, a vendor that says anything, and a prober who only wants a light answer.

The vendor and the prober are threads: nothing here waits for the gateway's loop.
"""

import contextlib
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec

from end_to_end import running

LAUNCHER = Path(__file__).with_name("launcher.py")
PROBE_S = 0.01
PATIENCE_S = 120.0
MIB = 1 << 20

SHAPES = {
    "chat": ("openai", "/v1", "/v1/chat/completions"),
    "responses": ("openai", "/v1", "/v1/responses"),
    "messages": ("anthropic", "", "/v1/messages"),
    "generate": ("gemini", "", "/v1beta/models/to-{}:generateContent"),
    "converse": ("bedrock", "", "/model/to-{}/converse"),
    "cohere": ("cohere", "", "/v2/chat"),
    "invoke": ("bedrock-messages", "", "/model/to-{}/invoke"),
}
"""Shape -> provider, what its address ends in, a caller's path; ``invoke`` is messages in the frames
of Amazon's."""
MODEL_IN_PATH = frozenset({"generate", "converse", "invoke"})
STREAMED = {
    ":generateContent": ":streamGenerateContent?alt=sse",
    "/converse": "/converse-stream",
    "/invoke": "/invoke-with-response-stream",
}
"""Endings of paths where a stream has a path of its own."""
FRAMES = b"application/vnd.amazon.eventstream"


LIGHT = {
    "chat": {"messages": [{"role": "user", "content": "Hi"}]},
    "responses": {"input": "Hi"},
    "messages": {"messages": [{"role": "user", "content": "Hi"}]},
    "generate": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    "converse": {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
    "cohere": {"messages": [{"role": "user", "content": "Hi"}]},
    "invoke": {"messages": [{"role": "user", "content": "Hi"}]},
}
WANTS = {
    "messages": {"max_tokens": 64},
    "invoke": {"max_tokens": 64, "anthropic_version": "bedrock-2023-05-31"},
}
"""What a shape wants besides."""


def settings(port):
    """A model for each shape that a vendor may speak, named after it."""
    lines = [
        '[server]\nlisten = "127.0.0.1:0"\nuploads_bytes_max = 4294967296',
        "[records]\nflush_s = 0.1",
    ]
    for shape, (provider, tail, _) in SHAPES.items():
        lines.append(
            f'[[channels]]\nname = "{shape}"\nprovider = "{provider}"\napi_key = "sk-vendor-0123456789"\n'
            f'base_url = "http://127.0.0.1:{port}{tail}"'
        )
        spoken = "messages" if shape == "invoke" else shape
        lines.append(
            f'[[models]]\nname = "to-{shape}"\nfree = true\n[[models.bindings]]\nchannel = "{shape}"\nshape = "{spoken}"'
        )
    lines.append(
        '[[models]]\nname = "to-film"\nfree = true\n[[models.bindings]]\nchannel = "generate"'
    )
    lines.append(
        '[[channels]]\nname = "veo"\nprovider = "vertex"\napi_key = "AIza-vendor-0123456789"\n'
        f'base_url = "http://127.0.0.1:{port}/v1/projects/acme-prod/locations/global"\n'
        '[[models]]\nname = "to-veo"\nfree = true\n'
        'bindings = [{ channel = "veo", model = "veo-3.0-generate-001" }]'
    )
    for name, _path in (("embeddings", "embeddings"), ("moderations", "moderations")):
        lines.append(
            f'[[models]]\nname = "to-{name}"\nfree = true\n[[models.bindings]]\nchannel = "chat"'
        )
    return "\n".join(lines) + "\n"


def sized(body, kind=b"application/json", extra=b""):
    """An answer with its length."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\n%bcontent-length: %d\r\n\r\n"
    return [head % (kind, extra, len(body)), body]


def streamed(pieces, kind=b"text/event-stream", extra=b""):
    """An answer that ends with its connection."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\n%bconnection: close\r\n\r\n"
    yield head % (kind, extra)
    yield from pieces


class Vendor:
    """Answers every request with what it was last given, however long that is."""

    def __init__(self):
        self.answer = None
        """Makes the bytes of an answer, piece by piece."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._ended = False
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._ended = True
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while not self._ended:
                line, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line):
        with contextlib.suppress(OSError), line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while path := _read_request(line):
                answer = sized(_light(path)) if self.answer is None else self.answer()
                closes = not isinstance(answer, list)
                for piece in answer:
                    line.sendall(piece)
                if closes:
                    return


def _light(path):
    """A small answer in the words of the path it was asked on."""
    if b"responses" in path:
        text = {"type": "output_text", "text": "Ho", "annotations": []}
        said = {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [text],
        }
        return msgspec.json.encode(
            {
                "id": "resp_1",
                "object": "response",
                "status": "completed",
                "model": "m",
                "output": [said],
                "usage": {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11},
            }
        )
    if path.endswith(b"/converse"):
        return b'{"output":{"message":{"role":"assistant","content":[{"text":"Ho"}]}},"stopReason":"end_turn","usage":{"inputTokens":9,"outputTokens":2,"totalTokens":11}}'
    if path.endswith(b"/v2/chat"):
        return b'{"id":"c","finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":"Ho"}]},"usage":{"tokens":{"input_tokens":9,"output_tokens":2}}}'
    if path.endswith(b"count-tokens"):
        return b'{"inputTokens":9}'
    if b"messages" in path or path.endswith(b"/invoke"):
        return b'{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Ho"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":2}}'
    if b"generateContent" in path:
        return b'{"candidates":[{"content":{"role":"model","parts":[{"text":"Ho"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"totalTokenCount":11}}'
    return running.ANSWER


def _read_request(line):
    data = b""
    while b"\r\n\r\n" not in data:
        got = line.recv(65536)
        if not got:
            return b""
        data += got
    head, _, rest = data.partition(b"\r\n\r\n")
    lower = head.lower()
    left = 0
    if b"content-length:" in lower:
        left = int(lower.partition(b"content-length:")[2].split(b"\r\n")[0]) - len(rest)
    elif b"chunked" in lower:
        while not rest.endswith(b"0\r\n\r\n"):
            got = line.recv(1 << 20)
            if not got:
                return b""
            rest = rest[-16:] + got
    while left > 0:
        got = line.recv(min(left, 1 << 20))
        if not got:
            return b""
        left -= len(got)
    return head.split(b" ", 2)[1]


class Prober(threading.Thread):
    """A light request every ten milliseconds, on a connection of its own; how long the worst took.

    How long says less than the CPU time of a turn where a machine is busy with others: it is
    noted, not judged. That every one of them was answered is.
    """

    def __init__(self, port, key):
        super().__init__(daemon=True)
        self._port = port
        self._raw = (
            f"GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n".encode()
        )
        self._ended = threading.Event()
        self.count = 0
        self.lost = 0
        self.worst_s = 0.0

    def run(self):
        line = None
        while not self._ended.wait(PROBE_S):
            began = time.monotonic()
            try:
                if line is None:
                    line = socket.create_connection(("127.0.0.1", self._port), PATIENCE_S)
                line.sendall(self._raw)
                whole = _read_answer(line)
                if not whole.startswith(b"HTTP/1.1 200"):
                    raise OSError(whole[:100])
                self.count += 1
            except OSError:
                self.lost += 1
                line = None
            self.worst_s = max(self.worst_s, time.monotonic() - began)
        if line is not None:
            line.close()

    def stop(self):
        self._ended.set()
        self.join(PATIENCE_S)


def _read_answer(line):
    data = b""
    while b"\r\n\r\n" not in data:
        got = line.recv(65536)
        if not got:
            raise OSError("closed")
        data += got
    head, _, rest = data.partition(b"\r\n\r\n")
    left = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]) - len(rest)
    while left > 0:
        got = line.recv(left)
        if not got:
            raise OSError("closed")
        left -= len(got)
    return data


class Measured(msgspec.Struct):
    """What a case did to a worker."""

    turn_ms: float
    """The longest turn of the loop, in CPU time."""
    grown: int
    """Bytes of memory at the worst, beyond what there was before."""
    kept: int
    """Bytes beyond that when it was over."""
    before: int
    wait_ms: float
    """The slowest of the light requests, in time that passed."""
    lost: int
    """Light requests that were not answered."""
    status: str
    """How the answer began."""


class Worker:
    """One gateway process, watched."""

    def __init__(self, folder, process, key, told, vendor):
        self.gateway = running.Running(folder, process, key)
        self.told = told
        self.vendor = vendor
        self.key = key
        self.pid = process.pid

    @property
    def port(self):
        return self.gateway.port

    def head(self, path, *lines, method="POST"):
        """A request's head, without its end."""
        return "\r\n".join(
            [f"{method} {path} HTTP/1.1", "Host: a", f"Authorization: Bearer {self.key}", *lines]
        ).encode()

    def rss(self, name="VmRSS"):
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(text.partition(f"{name}:")[2].split()[0]) * 1024

    def measure(self, case):
        """Run a case beside a prober."""
        settle(self)
        self.vendor.answer = case.answer
        before = self.rss()
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")
        self.told.seek(0)
        self.told.write(struct.pack("d", 0.0))
        prober = Prober(self.port, self.key)
        prober.start()
        try:
            status = case.play(self)
            time.sleep(0.05)
        finally:
            prober.stop()
        turn = struct.unpack_from("d", self.told)[0]
        peak = self.rss("VmHWM")
        kept = settle(self, below=before)
        self.vendor.answer = None
        return Measured(
            turn, max(0, peak - before), max(0, kept - before), before, prober.worst_s * 1000, prober.lost, status
        )  # fmt: skip


def settle(worker, below=None, limit_s=6.0):
    """Memory when it no longer falls, or is near what it was."""
    deadline = time.monotonic() + limit_s
    last = worker.rss()
    while time.monotonic() < deadline:
        if below is None or last <= below * 1.05:
            break
        time.sleep(0.25)
        last = worker.rss()
    return last


def warm(worker):
    """One light request of each pair: what is imported and made at first use is no case's doing."""
    for caller, (_, _, path) in SHAPES.items():
        for upstream in SHAPES:
            wants = WANTS["messages"] if caller in ("chat", "responses", "cohere") else {}
            members = wants | WANTS.get(caller, {}) | LIGHT[caller]
            if caller not in MODEL_IN_PATH:
                members = {"model": f"to-{upstream}"} | members
            body = msgspec.json.encode(members)
            head = worker.head(path.format(upstream), f"Content-Length: {len(body)}")
            ask(worker, [head + b"\r\n\r\n" + body])


def ask(worker, chunks, *, limit_s=PATIENCE_S, keep=64):
    """Send these pieces and read until the answer ends or the connection does; its first line."""
    with socket.create_connection(("127.0.0.1", worker.port), limit_s) as line:
        first = b""
        sending = threading.Thread(target=_send, args=(line, chunks), daemon=True)
        sending.start()
        deadline = time.monotonic() + limit_s
        seen = 0
        length = None
        line.settimeout(limit_s)
        with contextlib.suppress(OSError):
            while time.monotonic() < deadline:
                got = line.recv(1 << 20)
                if not got:
                    break
                seen += len(got)
                first += got[: max(0, 65536 - len(first))]
                if length is None and b"\r\n\r\n" in first:
                    head, _, _ = first.partition(b"\r\n\r\n")
                    lower = head.lower()
                    if b"content-length:" in lower:
                        length = (
                            len(head)
                            + 4
                            + int(lower.partition(b"content-length:")[2].split(b"\r\n")[0])
                        )
                    else:
                        length = -1
                if length is not None and 0 <= length <= seen:
                    break
                if length == -1 and got.endswith(b"0\r\n\r\n"):
                    break
        with contextlib.suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
        sending.join(5)
        return first[:keep].split(b"\r\n")[0].decode("latin-1") or "closed"


def _send(line, chunks):
    with contextlib.suppress(OSError):
        for chunk in chunks:
            line.sendall(chunk)


@contextlib.asynccontextmanager
async def worker(folder, python=None, undone=""):
    """A watched gateway in front of a vendor; ``python``: the interpreter, with its build."""
    import mmap

    vendor = Vendor()
    key = await running.prepare(folder, settings(vendor.port))
    (folder / "told").write_bytes(bytes(8))
    with (folder / "told").open("r+b") as file:
        told = mmap.mmap(file.fileno(), 8)
    with (folder / "serve.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: ASYNC220 - nothing else runs here
            [python or sys.executable, LAUNCHER, folder / "told", "serve"],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=log,
            env={**os.environ, "TRIVIUM_TEST_UNDONE": undone},
        )  # fmt: skip
    made = Worker(folder, process, key, told, vendor)
    try:
        await running.listening(made.gateway)
        warm(made)
        yield made
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        vendor.close()
