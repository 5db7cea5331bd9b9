"""What is fetched is signed, of a bounded size, and from the very address."""

import base64
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from trivium.ledger.errors import LedgerError
from trivium.ledger.suggestions import fetch as fetching
from trivium.ledger.suggestions.fetch import fetch

RAW = (serialization.Encoding.Raw, serialization.PublicFormat.Raw)
SIGNER = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
KEY = base64.b64encode(SIGNER.public_key().public_bytes(*RAW)).decode()


def signature(data):
    return base64.b64encode(SIGNER.sign(data)) + b"\n"


@pytest.fixture
def vendor():
    """A server on loopback: answers by path."""
    answers = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            code, body, headers = answers.get(self.path, (404, b"", {}))
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()

    def say(path, body, code=200, **headers):
        answers[path] = (code, body, headers)
        return f"http://127.0.0.1:{server.server_port}{path}"

    yield say
    server.shutdown()
    thread.join()
    server.server_close()


def test_signed_bytes_come_as_they_are(vendor):
    """Exactly what was signed."""
    url = vendor("/c.json", b"data")
    vendor("/c.json.sig", signature(b"data"))
    assert b"data" == fetch(url, KEY)


@pytest.mark.parametrize(
    "signed", [signature(b"other"), b"", b"not base64", base64.b64encode(b"\x00" * 64)]
)
def test_what_is_not_signed_is_refused(vendor, signed):
    """Also with a signature of something else."""
    url = vendor("/c.json", b"data")
    vendor("/c.json.sig", signed)
    with pytest.raises(LedgerError, match="not signed"):
        fetch(url, KEY)


def test_another_key_does_not_do(vendor):
    """It is the one in the settings."""
    url = vendor("/c.json", b"data")
    vendor("/c.json.sig", signature(b"data"))
    other = Ed25519PrivateKey.from_private_bytes(b"\x02" * 32).public_key().public_bytes(*RAW)
    with pytest.raises(LedgerError, match="not signed"):
        fetch(url, base64.b64encode(other).decode())


def test_a_missing_file_is_told(vendor):
    """The catalogue's or the signature's."""
    with pytest.raises(LedgerError, match=r"c\.json answered 404"):
        fetch(vendor("/other", b"").replace("other", "c.json"), KEY)
    with pytest.raises(LedgerError, match=r"c\.json\.sig answered 404"):
        fetch(vendor("/c.json", b"data"), KEY)


def test_nothing_is_followed(vendor):
    """Where the address leads is where it was set to."""
    target = vendor("/real", b"data")
    vendor("/real.sig", signature(b"data"))
    with pytest.raises(LedgerError, match="answered 302"):
        fetch(vendor("/c.json", b"", 302, location=target), KEY)


def test_a_flood_is_cut(vendor, monkeypatch):
    """Nobody fills the memory."""
    monkeypatch.setattr(fetching, "BYTES_MAX", 10)
    with pytest.raises(LedgerError, match="above 10 bytes"):
        fetch(vendor("/c.json", b"x" * 11), KEY)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://prices.example/c.json", "not https"),
        ("http://127.0.0.1:9/c.json", "cannot be fetched"),
    ],
)
def test_an_address_that_cannot_be_is_told(url, said):
    """In the clear only on this machine."""
    with pytest.raises(LedgerError, match=said):
        fetch(url, KEY)


def test_a_proxy_is_asked(vendor):
    """The one that the settings' environment names."""
    proxy = vendor("/unused", b"").removesuffix("/unused")
    vendor("http://localhost:1/c.json", b"data")
    vendor("http://localhost:1/c.json.sig", signature(b"data"))
    assert b"data" == fetch("http://localhost:1/c.json", KEY, proxy)
