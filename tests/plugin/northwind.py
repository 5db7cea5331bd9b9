"""Northwind as the vendor runs it: checks signatures, answers in its own shape, can be made fail."""

import hashlib
import hmac
import json
from pathlib import Path

from gateway import VENDOR_KEY
from scripted_upstream import Send, chunked, sized

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "vendor-plugin"
SECRET, KEY_ID = VENDOR_KEY, "nw-1"
FRAMES = "application/x-northwind-frames"


def framed(said):
    """One frame."""
    data = json.dumps(said).encode()
    return len(data).to_bytes(4) + data


WHOLE = {"text": "Hello from the north", "end": "done", "used": {"in": 1000, "out": 500}}
PIECES = [{"text": "Hello "}, {"text": "from the north"}, WHOLE | {"text": ""}]
ANSWER = [Send(sized(json.dumps(WHOLE).encode(), headers=b"Content-Type: application/json\r\n"))]
STREAM = [
    Send(
        chunked(*map(framed, PIECES), headers=f"Content-Type: {FRAMES}\r\n".encode()),
        cut=7,
    )
]
DOWN = [Send(sized(b'{"error":{"message":"down"}}', status=b"503 Service Unavailable"))]


def is_signed(seen, at):
    """Whether a request carries the signature of what it says, made at about this time."""
    headers = dict(seen.headers)
    method, target, _ = seen.line.split(b" ")
    when = headers[b"x-northwind-time"]
    said = b"%b\n%b %b\n%b" % (when, method, target, seen.body)
    right = hmac.new(SECRET.encode(), said, hashlib.sha256).hexdigest().encode()
    fresh = abs(int(when) - at) < 60
    known = headers[b"x-northwind-key"] == KEY_ID.encode()
    return fresh and known and hmac.compare_digest(headers[b"x-northwind-signature"], right)
