"""No credential of a cloud's is told, of whatever kind it is, found, refused or printed by a service.

Each kind of identity gets an answer first. Then whoever gives tokens refuses, with all that it was
sent in its words, and so do the models. What callers got, what was logged and recorded, what
explains a request and how the identity stands are looked through for everything that is secret: what
was planted, what was given for it, and what was sent to get it.
"""

import asyncio
import json
import re
from xml.sax.saxutils import escape

import pytest
import structlog
from tests import aws_double, google_checks

import entra_checks
from end_to_end.clouds import before, entry
from end_to_end.test_clouds import ASKED, CHAT, CLAUDE
from entra_double import CLIENT, IDENTITY_HEADER, SECRET, TENANT, EntraDouble
from google_double import DOMAIN, GoogleDouble

OPERATOR = {"key_id": "AKIDOPERATOR", "secret": "operator-secret/+key", "region": "us-east-1"}
ROLE = {"role_arn": aws_double.ROLE, "external_id": aws_double.EXTERNAL_ID, "region": "us-east-1"}
REGION = {"region": "us-east-1"}
WHO = {"tenant_id": TENANT, "client_id": CLIENT}
PEM, CERTIFICATE = entra_checks.application_certificate()
TARGET = f"models@{DOMAIN}"
LEFT_OUT = (
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
    "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_DEFAULT_REGION", "AWS_REGION",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK",
    "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT",
    "IDENTITY_ENDPOINT", "IDENTITY_HEADER", "MSI_ENDPOINT", "AZURE_TENANT_ID", "AZURE_CLIENT_ID",
    "AZURE_FEDERATED_TOKEN_FILE", "AZURE_AUTHORITY_HOST", "AZURE_POD_IDENTITY_AUTHORITY_HOST",
)  # fmt: skip
"""Variables of whoever runs the tests."""


class Amazon:
    """Amazon's doubles, the variables of a place where a gateway runs, and what is secret there."""

    def __init__(self, folder, setenv):
        self.folder, self.setenv = folder, setenv
        for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
            setenv(name, str(folder / name))

    def open(self):
        """Begin. Returns what ends it."""
        self.running = aws_double.running()
        self.double = self.running.__enter__()
        self.setenv("AWS_ENDPOINT_URL_STS", self.double.url)
        self.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", self.double.url)
        return lambda: self.running.__exit__(None, None, None)

    def channel(self, **credential):
        return entry(self.double.url, "bedrock", **credential), None

    def environment(self):
        self.setenv("AWS_ACCESS_KEY_ID", OPERATOR["key_id"])
        self.setenv("AWS_SECRET_ACCESS_KEY", OPERATOR["secret"])
        return self.channel(**REGION)

    def profile(self):
        (self.folder / "AWS_SHARED_CREDENTIALS_FILE").write_text(
            f"[gw]\naws_access_key_id={OPERATOR['key_id']}\n"
            f"aws_secret_access_key={OPERATOR['secret']}\n"
        )
        return self.channel(profile="gw", **REGION)

    def web_identity(self):
        (self.folder / "web").write_text(aws_double.WEB_TOKEN)
        self.setenv("AWS_ROLE_ARN", aws_double.ROLE)
        self.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(self.folder / "web"))
        return self.channel(**REGION)

    def container(self):
        self.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{self.double.url}/container")
        self.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", aws_double.ECS_TOKEN)
        return self.channel(**REGION)

    def instance(self):
        return self.channel(**REGION)

    def role(self):
        return self.channel(**OPERATOR | ROLE)

    def role_of_an_instance(self):
        return self.channel(**ROLE)

    def secrets(self):
        given = [part for one in list(self.double.keys.values()) for part in one[:2] if part]
        return [
            OPERATOR["secret"], aws_double.EXTERNAL_ID, aws_double.WEB_TOKEN, aws_double.ECS_TOKEN,
            aws_double.IMDS_TOKEN, *given,
        ]  # fmt: skip

    def gives(self, target):
        """Whether an address is of who gives credentials, and not of a model."""
        return not target.startswith(("/model/", "/openai/"))

    def refusal(self, target, text):
        """What is said with this text."""
        if target == "/":
            error = f"<Type>Sender</Type><Code>AccessDenied</Code><Message>{escape(text)}</Message>"
            body = f"<ErrorResponse><Error>{error}</Error><RequestId>r</RequestId></ErrorResponse>"
            return 403, {"content-type": "text/xml"}, body.encode()
        kind = {"x-amzn-ErrorType": "UnrecognizedClientException", "x-echo": text[:200]}
        return 403, kind, json.dumps({"message": text}).encode()

    def end(self):
        """What was given holds no more."""
        for name in [one for one in self.double.keys if one.startswith("ASIA")]:
            del self.double.keys[name]


class Google:
    """The same of Google's."""

    def __init__(self, folder, setenv):
        self.folder, self.setenv = folder, setenv
        setenv("CLOUDSDK_CONFIG", str(folder))

    def open(self):
        self.double = GoogleDouble(life_s=600)
        self.double.__enter__()
        self.double.answers = {"chat": (200, CHAT)}
        self.setenv("GCE_METADATA_IP", f"127.0.0.1:{self.double.port}")
        self.planted = []
        return lambda: self.double.__exit__(None, None, None)

    def channel(self, **credential):
        return entry(self.double.base_url(), "vertex-open", **credential), None

    def key(self):
        return self.channel(key=json.dumps(self.double.key_file()))

    def person(self):
        (self.folder / "adc.json").write_text(json.dumps(self.double.user_file()))
        self.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(self.folder / "adc.json"))
        return self.channel(identity="default")

    def machine(self):
        return self.channel(identity="metadata")

    def subject_file(self):
        token = self.double.subject()
        self.planted.append(token)
        (self.folder / "token").write_text(token)
        source = {"file": str(self.folder / "token")}
        return self.channel(federation=json.dumps(self.double.federation(source)))

    def from_amazon(self):
        self.setenv("AWS_REGION", "eu-central-1")
        self.setenv("AWS_ACCESS_KEY_ID", google_checks.AWS_KEY)
        self.setenv("AWS_SECRET_ACCESS_KEY", google_checks.AWS_SECRET)
        self.setenv("AWS_SESSION_TOKEN", google_checks.AWS_SESSION)
        self.planted += [google_checks.AWS_SECRET, google_checks.AWS_SESSION]
        return self.channel(federation=json.dumps(self.double.amazon()))

    def impersonation(self):
        self.double.may_impersonate = {f"gateway@{DOMAIN}": (TARGET,)}
        return self.channel(
            key=json.dumps(self.double.key_file()),
            impersonate=self.double.impersonation_url(TARGET),
        )

    def secrets(self):
        private = self.double.key_file()["private_key"].splitlines()[1:-1]
        user = self.double.user_file()
        return [
            *private, user["refresh_token"], user["client_secret"], *self.planted, *self.given,
        ]  # fmt: skip

    @property
    def given(self):
        return list(self.double.live)

    def gives(self, target):
        return "/chat/" not in target

    def refusal(self, target, text):
        if target.startswith("/computeMetadata"):
            return 403, text
        if self.gives(target):
            return 400, {"error": "invalid_grant", "error_description": text}
        return 401, {"error": {"code": 401, "message": text, "status": "UNAUTHENTICATED"}}

    def end(self):
        self.double.revoke()


class Azure:
    """The same of Microsoft's."""

    def __init__(self, folder, setenv):
        self.folder, self.setenv = folder, setenv

    def open(self):
        self.double = EntraDouble(self.folder, life_s=600)
        self.double.__enter__()
        self.double.certificates.append(CERTIFICATE)
        self.double.answers = {"/chat/completions": (200, CHAT), "/v1/messages": (200, CLAUDE)}
        self.token = self.double.federated()
        return lambda: self.double.__exit__(None, None, None)

    def channel(self, **credential):
        base = f"{self.double.machine}/openai/v1"
        return entry(base, "azure", **credential), self.double.ca_file

    def application(self, **credential):
        return self.channel(**WHO, authority=self.double.authority, **credential)

    def secret(self):
        return self.application(client_secret=SECRET)

    def certificate(self):
        return self.application(certificate=PEM)

    def token_file(self):
        (self.folder / "token").write_text(self.token)
        return self.application(token_file=str(self.folder / "token"))

    def managed(self):
        for name, value in self.double.app_service.items():
            self.setenv(name, value)
        return self.channel(identity="managed")

    def virtual_machine(self):
        for name, value in self.double.virtual_machine.items():
            self.setenv(name, value)
        return self.channel(identity="managed")

    def secrets(self):
        private = [line for line in PEM.splitlines() if len(line) > 40 and "---" not in line]
        return [SECRET, IDENTITY_HEADER, self.token, *private, *self.double.live]

    def gives(self, target):
        return "/chat/" not in target

    def refusal(self, target, text):
        if self.gives(target):
            return 400, {"error": "invalid_client", "error_description": text}
        return 401, {"error": {"code": "401", "message": text}}

    def end(self):
        self.double.revoke()


KINDS = {
    (Amazon, "environment"): "environment",
    (Amazon, "profile"): "credentials file",
    (Amazon, "web_identity"): "web identity",
    (Amazon, "container"): "container endpoint",
    (Amazon, "instance"): "IMDSv2 (role gateway-role)",
    (Amazon, "role"): f"assumed role ({aws_double.ROLE}) by the channel's access key",
    (Amazon, "role_of_an_instance"): f"assumed role ({aws_double.ROLE}) by IMDSv2 (role gateway-role)",
    (Google, "key"): f"service account key (gateway@{DOMAIN})",
    (Google, "person"): "application default credentials: a person's login by gcloud",
    (Google, "machine"): "metadata server (default)",
    (Google, "subject_file"): "workload identity federation (token file)",
    (Google, "from_amazon"): "workload identity federation from AWS",
    (Google, "impersonation"): TARGET,
    (Azure, "secret"): f"client secret of {CLIENT}",
    (Azure, "certificate"): f"certificate of {CLIENT}",
    (Azure, "token_file"): "workload identity",
    (Azure, "managed"): "managed identity (the machine's own)",
    (Azure, "virtual_machine"): "managed identity (the machine's own)",
}  # fmt: skip
"""How a gateway may be known, and what it says of it."""
NOTHING_TO_ASK = {"environment", "profile"}
"""Kinds that no service gives."""


class Printing:
    """Stands in for a double's answers: after a while each refuses with all that it was sent."""

    def __init__(self, cloud):
        self.cloud = cloud
        self.plain = cloud.double.answer
        self.prints = False
        self.asked = 0
        self.sent = []
        """Words of requests that are secret by where they stood."""

    def __call__(self, method, target, headers, data):
        headers = dict(headers.items())
        # of a long text only the beginning is told: each request's own begins with another part
        parts = data.decode().split("&") + [f"{name}: {value}" for name, value in headers.items()]
        at = self.asked % len(parts)
        self.asked += 1
        text = f"no: {' '.join(parts[at:] + parts[:at])} {method} {target}"
        for name, value in headers.items():
            if name.lower() in ("authorization", "x-amz-security-token"):
                self.sent += re.findall(r"(?:Bearer |Signature=)(\S+)", value) or [value]
        for word in re.split(r"[=&]", data.decode() if self.cloud.gives(target) else ""):
            if word.count(".") == 2 and len(word) > 100:  # an assertion
                self.sent.append(word)
        if self.prints:
            return self.cloud.refusal(target, text)
        return self.plain(method, target, headers, data)


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Makes a cloud of a kind."""
    for name in LEFT_OUT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("google.auth._exponential_backoff.time.sleep", lambda _: None)
    ends = []

    def make(kind):
        cloud = kind(tmp_path, monkeypatch.setenv)
        ends.append(cloud.open())
        if kind is Google:
            from google.auth.compute_engine import _metadata
            from google.oauth2 import credentials

            token = f"{cloud.double.address}/token"
            monkeypatch.setattr(credentials, "_GOOGLE_OAUTH2_TOKEN_ENDPOINT", token)
            host = f"127.0.0.1:{cloud.double.port}"
            monkeypatch.setattr(_metadata, "_GCE_METADATA_HOST", host)
        return cloud

    yield make
    for end in ends:
        end()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("kind", "way"), KINDS, ids=[f"{kind.__name__} {way}" for kind, way in KINDS]
)
async def test_no_credential_of_a_cloud_is_told(planted, caplog, kind, way):
    cloud = planted(kind)
    channel, ca_file = getattr(cloud, way)()
    printing = cloud.double.answer = Printing(cloud)
    told, secrets = [], set()
    with structlog.testing.capture_logs() as logs:
        async with before(channel, ca_file=ca_file) as gateway:
            client = gateway.services.client
            explained = {"body": ASKED}
            for printing.prints in (False, True):
                for _ in range(2):
                    told.append(await gateway.post("/v1/chat/completions", ASKED))
                    secrets.update(cloud.secrets())
                told.append(await gateway.post("/api/explain", explained))
                told.append(client.identities())
                cloud.end()
                for one in client._credentials()._tokens._sources.values():
                    one._until = one._pause_until = 0.0  # as if its time were over
                await asyncio.sleep(0)
            told.append(gateway.records)
    (found,), (lost,) = told[3], told[7]
    assert KINDS[kind, way] in found.source
    assert bool(lost.why) is (way not in NOTHING_TO_ASK)
    answers = [one[0] for one in told if isinstance(one, tuple)]
    assert [200, 200, 200] == answers[:3]
    assert all(status in (401, 429, 502, 503) for status in answers[3:5]), answers
    assert 200 == answers[5]
    text = repr((told, logs)) + caplog.text
    secrets.update(printing.sent)
    assert len(secrets) > 4
    for secret in secrets:
        assert secret not in text
