"""Secrets Manager is asked with a signature, and its refusals are told in one line."""

import http.server
import json
import re
import sys
import threading

import pytest

from trivium.settings.secret_stores import aws
from trivium.settings.secret_stores.store import StoreError
from vault_double import served

KEY_ID = "AKIDEXAMPLE"
SIGNED = re.compile(
    rf"AWS4-HMAC-SHA256 Credential={KEY_ID}/\d{{8}}/(?P<region>[a-z0-9-]+)/secretsmanager/aws4_request, "
    r"SignedHeaders=(?P<headers>[a-z0-9;-]+), Signature=[0-9a-f]{64}"
)
ARN = "arn:aws:secretsmanager:us-west-2:123456789012:secret:prod/x-AbCdEf"


class _Handler(http.server.BaseHTTPRequestHandler):
    asked: list
    answers: dict

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        signed = SIGNED.fullmatch(self.headers["authorization"])
        assert signed
        assert "x-amz-date" in signed["headers"].split(";")
        assert "secretsmanager.GetSecretValue" == self.headers["x-amz-target"]
        assert "application/x-amz-json-1.1" == self.headers["content-type"]
        assert {"SecretId"} == set(body)
        self.asked.append((signed["region"], body["SecretId"]))
        status, answer = self.answers.get(
            body["SecretId"], (400, {"__type": "ResourceNotFoundException", "message": "none"})
        )
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/x-amz-json-1.1")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


@pytest.fixture
def vendor(monkeypatch, tmp_path):
    """The double, with the machine's configuration pointed at it."""
    handler = type("Bound", (_Handler,), {"asked": [], "answers": {}})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    for name, value in {
        "AWS_ENDPOINT_URL_SECRETS_MANAGER": f"http://127.0.0.1:{server.server_port}",
        "AWS_ACCESS_KEY_ID": KEY_ID,
        "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG",
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
    }.items():
        monkeypatch.setenv(name, value)
    yield handler
    server.shutdown()
    server.server_close()


def test_a_text_is_read(vendor):
    """Of the region that the machine is set to."""
    vendor.answers["prod/openai"] = (200, {"Name": "prod/openai", "SecretString": '{"k":"sk-1"}'})
    assert '{"k":"sk-1"}' == aws.open_store({}).read("prod/openai")
    assert [("eu-central-1", "prod/openai")] == vendor.asked


def test_an_arn_brings_its_region(vendor):
    """One gateway may read from several."""
    vendor.answers[ARN] = (200, {"SecretBinary": "c2stMg=="})
    assert "sk-2" == aws.open_store({}).read(ARN)
    assert [("us-west-2", ARN)] == vendor.asked


@pytest.mark.parametrize(
    ("answer", "why", "whole"),
    [
        (None, "does not give: ResourceNotFoundException", False),
        ((400, {"__type": "AccessDeniedException"}), "does not give: AccessDeniedException", False),
        ((500, {"__type": "InternalServiceError"}), "does not give: InternalServiceError", True),
        ((200, {}), "is no text", False),
        ((200, b"[" * 200_000), "what answers is no AWS Secrets Manager", True),
        ((200, "<html>"), "what answers is no AWS Secrets Manager", True),
        ((200, {"SecretBinary": "//8="}), "is no text", False),
        ((200, {"SecretBinary": 7}), "what answers is no AWS Secrets Manager", True),
        ((200, {"SecretString": 7}), "is no text", False),
        ((200, {"SecretString": {"k": "hidden"}}), "is no text", False),
        ((200, {"SecretString": "x" * 1_100_000}), "above 1048576 bytes", True),
        ((400, {"__type": "a\x1b[31m\nb" + "x" * 900}), r"does not give: a \[31m bx{190,}$", False),
        ((400, {"__type": 7}), "what answers is no AWS Secrets Manager", True),
    ],
)
def test_refusals_are_told(vendor, answer, why, whole):
    """By Amazon's own word for them."""
    if answer:
        vendor.answers["s"] = answer
    with pytest.raises(StoreError, match=why) as caught:
        aws.open_store({}).read("s")
    assert whole == caught.value.whole
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("unset", "why"),
    [("AWS_ACCESS_KEY_ID", "NoCredentialsError|PartialCredentialsError"), ("AWS_DEFAULT_REGION", "NoRegionError")],
)  # fmt: skip
def test_a_machine_without_configuration_is_told(vendor, monkeypatch, unset, why):
    """It can read nothing at all."""
    monkeypatch.delenv(unset)
    with pytest.raises(StoreError, match=why) as caught:
        aws.open_store({}).read("s")
    assert caught.value.whole
    assert [] == vendor.asked


def test_nobody_there_is_told(vendor, monkeypatch):
    """After a few attempts of the library's."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_SECRETS_MANAGER", "http://127.0.0.1:1")
    with pytest.raises(StoreError, match="cannot give: EndpointConnectionError") as caught:
        aws.open_store({}).read("s")
    assert caught.value.whole


def test_an_answer_that_breaks_off_is_told(vendor, monkeypatch):
    """After it has begun: what is read here fails as what the library reads."""
    raw = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n"
    with served(raw) as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL_SECRETS_MANAGER", address)
        with pytest.raises(StoreError, match="cannot give: HTTPClientError") as caught:
            aws.open_store({}).read("s")
    assert caught.value.whole


def test_a_missing_library_names_the_extra(monkeypatch):
    """Nothing else says how it gets here."""
    monkeypatch.setitem(sys.modules, "botocore.session", None)
    with pytest.raises(StoreError, match=r"package botocore.*'trivium\[aws-secrets\]'"):
        aws.open_store({})
