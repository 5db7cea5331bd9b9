"""Secret Manager is asked over HTTP and JSON, by Google's own library."""

import base64
import http.server
import json
import sys
import threading

import pytest
from google.auth.credentials import AnonymousCredentials
from google.oauth2.credentials import Credentials

from trivium.settings.secret_stores import gcp
from trivium.settings.secret_stores.store import StoreError

NAME = "projects/p/secrets/s/versions/latest"


class _Handler(http.server.BaseHTTPRequestHandler):
    asked: list
    answer: tuple

    def do_GET(self):
        path, _, query = self.path.partition("?")
        self.asked.append((path, self.headers.get("authorization")))
        assert "$alt=json" in query.replace("%24", "$").replace("%3B", ";")
        status, document = self.answer
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


@pytest.fixture
def vendor():
    handler = type("Bound", (_Handler,), {"asked": [], "answer": (404, {})})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    handler.address = f"http://127.0.0.1:{server.server_port}"
    yield handler
    server.shutdown()
    server.server_close()


def payload(data):
    return {"name": NAME, "payload": {"data": base64.b64encode(data).decode()}}


def test_a_text_is_read(vendor):
    """With the machine's token, by the version's name."""
    vendor.answer = (200, payload(b"sk-1"))
    store = gcp.GcpStore(endpoint=vendor.address, credentials=Credentials("ya29.token"))
    assert "sk-1" == store.read(NAME)
    assert [(f"/v1/{NAME}:access", "Bearer ya29.token")] == vendor.asked


@pytest.mark.parametrize(
    ("answer", "why", "whole"),
    [
        ((404, {"error": {"code": 404, "message": "x"}}), "does not give: NotFound", False),
        ((403, {"error": {"code": 403, "message": "x"}}), "does not give: Forbidden", False),
        ((503, {"error": {"code": 503, "message": "x"}}), "does not give: ServiceUnavailable", True),
        ((200, payload(b"\xff\xfe")), "is no text", False),
        ((200, {"payload": 7}), "cannot give: ParseError", True),
        ((200, b"\xff"), "what answers is no Google Secret Manager", True),
        ((200, payload(b"x" * 1_100_000)), "above 1048576 bytes", True),
        ((500, b"[" * 200_000), "what answers is no Google Secret Manager", True),
        ((500, {"error": "x"}), "what answers is no Google Secret Manager", True),
        ((500, {"error": None}), "what answers is no Google Secret Manager", True),
        ((500, {"error": {"details": [7]}}), "what answers is no Google Secret Manager", True),
    ],
)  # fmt: skip
def test_refusals_are_told(vendor, answer, why, whole):
    """By Google's own word for them."""
    vendor.answer = answer
    with pytest.raises(StoreError, match=why) as caught:
        gcp.GcpStore(endpoint=vendor.address, credentials=AnonymousCredentials()).read(NAME)
    assert whole == caught.value.whole


def test_nobody_there_is_told():
    """The network is not the secret's fault."""
    store = gcp.GcpStore(endpoint="http://127.0.0.1:1", credentials=AnonymousCredentials())
    with pytest.raises(StoreError, match="cannot give: ConnectionError") as caught:
        store.read(NAME)
    assert caught.value.whole


def test_a_machine_without_credentials_is_told(monkeypatch, tmp_path):
    """The file that is named is not there."""
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    with pytest.raises(StoreError, match="cannot give: DefaultCredentialsError"):
        gcp.open_store({}).read(NAME)


def test_a_region_has_its_own_address():
    """Its secrets do not leave it."""
    store = gcp.GcpStore(credentials=AnonymousCredentials())
    regional = "projects/p/locations/europe-west3/secrets/s/versions/1"
    host = "secretmanager.europe-west3.rep.googleapis.com"
    assert host in store._client(regional).transport.host
    assert "secretmanager.googleapis.com" in store._client(NAME).transport.host


def test_a_missing_library_names_the_extra(monkeypatch):
    """Nothing else says how it gets here."""
    monkeypatch.setitem(sys.modules, "google.cloud", None)
    with pytest.raises(StoreError, match=r"google-cloud-secret-manager.*'trivium\[gcp-secrets\]'"):
        gcp.open_store({})
