"""Forms as callers send them, and as vendors see them."""

from trivium.wire.audio.length.wav import header
from trivium.wire.multipart import FormReader, Part, boundary_of
from trivium.wire.multipart_writer import written

TRANSCRIPTIONS = "/v1/audio/transcriptions"
TRANSLATIONS = "/v1/audio/translations"
WAV = header(96_000, 24_000) + b"\0" * 96_000
"""Two seconds."""
FILE = Part(name="file", filename="a b.wav", content_type="audio/wav", value=WAV)


def fields(**values):
    """Text fields; a list repeats its name with brackets."""
    return [
        Part(name=f"{name}[]" if isinstance(value, list) else name, value=one.encode())
        for name, value in values.items()
        for one in (value if isinstance(value, list) else [value])
    ]


def form(*parts, **values):
    """Content type and body of a form: fields, then the file unless parts are given."""
    body = b"".join(piece for piece in written([*fields(**values), *(parts or (FILE,))], b"abc123"))
    return "Content-Type: multipart/form-data; boundary=abc123", body


async def ask(gateway, path=TRANSCRIPTIONS, *parts, headers=(), **values):
    kind, body = form(*parts, **({"model": "m"} | values))
    return await gateway.post(path, body, kind, *headers)


def sent(request):
    """The parts that a vendor was sent, and the bytes of its files."""
    headers = dict(request.headers)
    files = []
    reader = FormReader(boundary_of(headers[b"content-type"]), files.append)
    reader.feed(request.body)
    return reader.finish(), b"".join(files)
