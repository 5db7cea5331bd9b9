"""Pictures drawn with the standard library, and what vendors answer with them."""

import base64
import struct
import zlib

import msgspec

from scripted_upstream import Close, Send, sized

JSON = b"Content-Type: application/json\r\n"
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def png(width=8, height=8, colour=(200, 30, 30, 255)):
    """One plain colour with alpha."""

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    row = b"\0" + bytes(colour) * width
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(row * height))
        + chunk(b"IEND", b"")
    )


PICTURE = png()
BASE64 = base64.b64encode(PICTURE).decode()
USAGE = {
    "input_tokens": 10,
    "output_tokens": 200,
    "total_tokens": 210,
    "input_tokens_details": {"text_tokens": 10, "image_tokens": 0},
}


def answer(*rows, **members):
    """A vendor's whole answer: pictures in base64 unless rows are given."""
    body = {"created": 1, "data": list(rows) or [{"b64_json": BASE64}]} | members
    return [Send(sized(msgspec.json.encode(body), headers=JSON))]


def event(kind, **members):
    """One event of a stream."""
    data = msgspec.json.encode({"type": kind, "b64_json": BASE64} | members)
    return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"


def streamed(*events):
    """A vendor's streamed answer."""
    return [Send(SSE + b"".join(events)), Close()]


def drawn(*parts, **members):
    """What a generate-content model answers."""
    shown = list(parts) or [{"inlineData": {"mimeType": "image/png", "data": BASE64}}]
    body = {
        "candidates": [{"content": {"role": "model", "parts": shown}, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": 8,
            "candidatesTokenCount": 1290,
            "totalTokenCount": 1298,
        },
    } | members
    return [Send(sized(msgspec.json.encode(body), headers=JSON))]
