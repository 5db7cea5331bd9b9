"""The worst that bytes of a connection can be, before there is a request."""

from corpus.case import connection, times


def _upgrades(worker, share):
    one = b"GET / HTTP/1.1\r\nHost:a\r\nUpgrade:a\r\nConnection:Upgrade\r\n\r\n"
    for _ in range(times(300, share)):
        yield one * 64


def _pipelined(worker, share):
    one = worker.head("/v1/models", method="GET") + b"\r\n\r\n"
    for _ in range(times(150, share)):
        yield one * 64


def _trailers(worker, share):
    yield (
        worker.head("/v1/chat/completions", "Transfer-Encoding: chunked")
        + b"\r\n\r\n2\r\n{}\r\n0\r\n"
    )
    for at in range(times(1024, share)):
        yield b"x-%d: " % at + b"t" * 65_000 + b"\r\n"


def _extensions(worker, share):
    yield worker.head("/v1/chat/completions", "Transfer-Encoding: chunked") + b"\r\n\r\n"
    for _ in range(times(512, share)):
        yield b"1;" + b"e" * 65_000 + b"\r\n{\r\n"


def _one_byte_chunks(worker, share):
    yield worker.head("/v1/chat/completions", "Transfer-Encoding: chunked") + b"\r\n\r\n"
    for _ in range(times(128, share)):
        yield b"1\r\n \r\n" * 8192
    yield b"0\r\n\r\n"


def _long_head(worker, share):
    yield b"GET /v1/models HTTP/1.1\r\nHost: a\r\n"
    for at in range(times(64, share)):
        yield b"x-%d: " % at + b"h" * 65_000 + b"\r\n"


def _many_headers(worker, share):
    yield b"GET /v1/models HTTP/1.1\r\nHost: a\r\n"
    for at in range(times(400, share)):
        yield b"".join(b"a%d: b\r\n" % (at * 512 + i) for i in range(512))


def _long_url(worker, share):
    yield b"GET /"
    for _ in range(times(64, share)):
        yield b"u" * 65_000


def _head_in_bits(worker, share):
    head = (
        worker.head("/v1/models", *[f"x-{at}: {'h' * 60}" for at in range(200)], method="GET")
        + b"\r\n\r\n"
    )
    for at in range(0, len(head), 3):
        yield head[at : at + 3]


def _form(worker, share, inside, closing=b"\r\n--b--\r\n"):
    yield (
        worker.head(
            "/v1/images/edits",
            "Content-Type: multipart/form-data; boundary=b",
            "Transfer-Encoding: chunked",
        )
        + b"\r\n\r\n"
    )
    for piece in (*inside(share), closing):
        yield b"%x\r\n%b\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"


def _field(share):
    yield b'--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n'
    for _ in range(times(256, share)):
        yield b"\r\n--" * 16_384


def _file(share):
    yield b'--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
    for _ in range(times(512, share)):
        yield b"\r" * 65_536


def _fields(share):
    one = b'--b\r\nContent-Disposition: form-data; name="prompt%d"\r\n\r\nv\r\n'
    for at in range(times(200, share)):
        yield b"".join(one % (at * 256 + i) for i in range(256))


CONNECTIONS = [
    connection("upgrades, pipelined", _upgrades),
    connection("requests, pipelined", _pipelined),
    connection("chunked trailers", _trailers),
    connection("chunk extensions", _extensions),
    connection("chunks of a byte", _one_byte_chunks),
    connection("a head without end", _long_head),
    connection("headers without end", _many_headers),
    connection("an address without end", _long_url),
    connection("a head in bits", _head_in_bits),
    connection("a form: a field of beginnings", lambda worker, share: _form(worker, share, _field)),
    connection("a form: a file of line ends", lambda worker, share: _form(worker, share, _file)),
    connection("a form: fields without end", lambda worker, share: _form(worker, share, _fields)),
]
