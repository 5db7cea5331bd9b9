"""One worst case: what is sent, in what framing, and what a vendor says to it.

``share`` makes a case smaller, for the part that runs with every check.
"""

import functools
import json

from corpus.stage import (
    FRAMES,
    LIGHT,
    MODEL_IN_PATH,
    SHAPES,
    STREAMED,
    WANTS,
    ask,
    sized,
    streamed,
)

PIECE = 65_536


class Case:
    """One of them."""

    def __init__(
        self, name, size, chunks, answer=None, *, framing="sized", path=None, headers=(), raw=False
    ):
        self.name = name
        self.size = size
        self.answer = answer
        self._chunks = chunks
        self._framing = framing
        self._path = path
        self._headers = headers
        self._raw = raw

    def play(self, worker):
        """Do it; the first line of what came back."""
        return ask(worker, self._chunks(worker) if self._raw else self._framed(worker))

    def _framed(self, worker):
        body = self._chunks()
        head = worker.head(self._path, "Content-Type: application/json", *self._headers)
        if self._framing == "chunked":
            yield head + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
            for at in range(0, len(body), PIECE):
                piece = body[at : at + PIECE]
                yield b"%x\r\n%b\r\n" % (len(piece), piece)
            yield b"0\r\n\r\n"
            return
        yield head + b"\r\nContent-Length: %d\r\n\r\n" % len(body)
        step = 16 if self._framing == "bits" else PIECE
        for at in range(0, len(body), step):
            yield body[at : at + step]


def path_of(caller, upstream, *, stream=False):
    path = SHAPES[caller][2].format(upstream)
    for ending, other in STREAMED.items() if stream else ():
        path = path.removesuffix(ending) + other if path.endswith(ending) else path
    return path


def with_model(caller, upstream, members):
    """The members with what each shape wants besides."""
    named = {} if caller in MODEL_IN_PATH else {"model": f"to-{upstream}"}
    return named | WANTS.get(caller, {}) | members


def request(name, caller, upstream, make, *, framing="sized"):
    def of(share):
        @functools.cache
        def body():
            found = make(share)
            if isinstance(found, bytes):
                return found
            return json.dumps(with_model(caller, upstream, found)).encode()

        return Case(
            f"{name}: {caller} to {upstream}",
            lambda: len(body()),
            body,
            framing=framing,
            path=path_of(caller, upstream),
        )

    return of


def answer(name, caller, upstream, make, *, stream, kind=None, extra=b"", coded=None):
    """``make(share)``: the answer's body, or its pieces."""

    def of(share):
        @functools.cache
        def whole():
            found = make(share)
            return found if isinstance(found, bytes) else list(found)

        def size():
            return len(whole()) if isinstance(whole(), bytes) else sum(map(len, whole()))

        def answer():
            found = whole()
            if not stream:
                return sized(found, extra=extra)
            pieces = (
                [found[at : at + PIECE] for at in range(0, len(found), PIECE)]
                if isinstance(found, bytes)
                else found
            )
            usual = FRAMES if upstream in ("converse", "invoke") else b"text/event-stream"
            return streamed(pieces, kind or usual, extra)

        members = (
            LIGHT[caller]
            if caller in MODEL_IN_PATH or not stream
            else LIGHT[caller] | {"stream": True}
        )
        body = json.dumps(with_model(caller, upstream, members)).encode()
        return Case(
            f"{name}: {upstream} to {caller}",
            size if coded is None else lambda: coded(share),
            lambda: body,
            answer,
            path=path_of(caller, upstream, stream=stream),
        )

    return of


def connection(name, make):
    """``make(worker, share)``: the bytes of a connection, piece by piece."""

    def of(share):
        sent = [0]

        def chunks(worker):
            sent[0] = 0
            for piece in make(worker, share):
                sent[0] += len(piece)
                yield piece

        return Case(name, lambda: sent[0], chunks, raw=True)

    return of


def times(count, share):
    return max(64, int(count * share))
