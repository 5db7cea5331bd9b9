"""Google's identities, before doubles that check who asks."""

import json
import sys
import time

import pytest

import google_checks
import google_double as doubles
from google_double import GoogleDouble
from providers.identities.asking import Asked, around
from trivium.providers.identities import google

EMAIL = f"gateway@{doubles.DOMAIN}"
TARGET = f"models@{doubles.DOMAIN}"


@pytest.fixture
def cloud(monkeypatch, tmp_path):
    """A cloud, in which nothing is found by chance."""
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    with GoogleDouble() as found:
        yield found


def find(parts, cloud=None):
    hosts = {"https://oauth2.googleapis.com": cloud.address} if cloud else {}
    return google.find(parts, around(Asked(hosts=hosts)))


def key(cloud, **changes):
    return json.dumps(cloud.key_file() | changes)


def holds(cloud, found, who):
    """Whether a token that was found is this account's and lives for what was said."""
    token = found.parts["token"]
    assert 3 < found.life_s <= cloud.life_s + 2
    assert who == cloud.live[token][0]


def test_a_service_account_signs_for_its_token(cloud):
    """Issuer, audience, time, scope and key are checked there."""
    found = find({"key": key(cloud)})
    holds(cloud, found, EMAIL)
    assert f"service account key ({EMAIL})" == found.source


def test_each_look_up_asks_anew(cloud):
    """What is kept for a while is kept elsewhere."""
    tokens = {find({"key": key(cloud)}).parts["token"] for _ in range(2)}
    assert (2, 2) == (len(tokens), cloud.tokens_given)


def test_the_machines_account(cloud, metadata):
    """A pod's or a machine's: nothing is configured but that it is to be used."""
    found = find({"identity": "metadata"})
    holds(cloud, found, f"node@{doubles.DOMAIN}")
    assert "metadata server (default)" == found.source


def test_one_of_a_machines_accounts(cloud, metadata):
    """By its name."""
    found = find({"identity": "metadata", "service_account": f"node@{doubles.DOMAIN}"})
    assert f"metadata server (node@{doubles.DOMAIN})" == found.source
    with pytest.raises(ValueError, match="404"):
        find({"identity": "metadata", "service_account": f"other@{doubles.DOMAIN}"})


@pytest.fixture
def metadata(cloud, monkeypatch):
    """The library reads where the metadata server is when it is imported."""
    from google.auth.compute_engine import _metadata

    monkeypatch.setattr(_metadata, "_GCE_METADATA_HOST", f"127.0.0.1:{cloud.port}")
    monkeypatch.setenv("GCE_METADATA_IP", f"127.0.0.1:{cloud.port}")
    monkeypatch.setattr("google.auth._exponential_backoff.time.sleep", lambda _: None)


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("key_file", "application default credentials: a service account's key"),
        ("user_file", "application default credentials: a person's login by gcloud"),
    ],
)
def test_application_default_credentials(cloud, monkeypatch, tmp_path, file, source):
    """The file that the variable names, of whatever kind."""
    path = tmp_path / "adc.json"
    path.write_text(json.dumps(getattr(cloud, file)()))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    found = find({"identity": "default"}, cloud)
    assert source == found.source
    assert found.parts["token"] in cloud.live


def test_application_default_credentials_of_a_machine(cloud, metadata):
    """Without a file it is the metadata server."""
    found = find({"identity": "default"})
    holds(cloud, found, f"node@{doubles.DOMAIN}")
    assert "application default credentials: metadata server" == found.source


def test_federation_by_a_tokens_file(cloud, tmp_path):
    """A cluster keeps the file fresh; it is read each time."""
    path = tmp_path / "token"
    config = json.dumps(cloud.federation({"file": str(path)}))
    path.write_text(cloud.subject())
    found = find({"federation": config})
    holds(cloud, found, "principal:system:serviceaccount:ai:trivium")
    assert "workload identity federation (token file)" == found.source
    path.write_text(cloud.subject(aud="//iam.googleapis.com/other"))
    with pytest.raises(ValueError, match="Audience doesn't match"):
        find({"federation": config})


def test_federation_by_a_token_service(cloud, monkeypatch):
    """As a build job's: an address, its headers, and a member of what it answers."""
    answers = {"/oidc": (200, {"value": cloud.subject()})}
    plain = cloud.answer
    monkeypatch.setattr(
        cloud, "answer",
        lambda method, target, headers, data: (
            answers.get(target) if headers.get("x-job") == "7" and target in answers
            else plain(method, target, headers, data)
        ),
    )  # fmt: skip
    source = {
        "url": f"{cloud.address}/oidc",
        "headers": {"X-Job": "7"},
        "format": {"type": "json", "subject_token_field_name": "value"},
    }
    found = find({"federation": json.dumps(cloud.federation(source))})
    assert "workload identity federation (token service)" == found.source
    assert found.parts["token"] in cloud.live


def test_federation_from_amazon(cloud, monkeypatch):
    """Google is given a request that Amazon would answer, signed by whoever runs there."""
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", google_checks.AWS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", google_checks.AWS_SECRET)
    monkeypatch.setenv("AWS_SESSION_TOKEN", google_checks.AWS_SESSION)
    found = find({"federation": json.dumps(cloud.amazon())})
    assert "workload identity federation from AWS" == found.source
    assert found.parts["token"] in cloud.live
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    with pytest.raises(ValueError, match="SignatureDoesNotMatch"):
        find({"federation": json.dumps(cloud.amazon())})


def test_impersonation(cloud):
    """An account takes on another's rights, if it may."""
    target = cloud.impersonation_url(TARGET)
    parts = {"key": key(cloud), "impersonate": target}
    with pytest.raises(ValueError, match=r"getAccessToken' denied") as caught:
        find(parts)
    assert "Unable to acquire impersonated credentials" in str(caught.value)
    cloud.may_impersonate = {EMAIL: (TARGET,)}
    found = find(parts)
    holds(cloud, found, TARGET)
    assert f"{TARGET}, impersonated by service account key ({EMAIL})" == found.source


def test_federation_with_an_account_of_its_own(cloud, tmp_path):
    """As the console writes it when an account is chosen."""
    path = tmp_path / "token"
    path.write_text(cloud.subject())
    cloud.may_impersonate = {"principal:system:serviceaccount:ai:trivium": (TARGET,)}
    config = cloud.federation({"file": str(path)}, impersonate=TARGET)
    holds(cloud, find({"federation": json.dumps(config)}), TARGET)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"client_email": f"gone@{doubles.DOMAIN}"}, "account not found"),
        ({"private_key": google_checks.pem("stranger")}, "Signature verification failed"),
        ({"private_key_id": "kid-revoked"}, "Invalid JWT Signature"),
        ({"private_key": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"}, "."),
    ],
)
def test_what_a_token_service_refuses_is_told(cloud, changes, why):
    """In its words, without anything that was sent."""
    parts = {"key": key(cloud, **changes)}
    with pytest.raises(ValueError, match=why) as caught:
        find(parts)
    text = str(caught.value)
    assert "PRIVATE KEY" not in text
    assert "eyJ" not in text


def test_a_service_that_is_away_is_told_apart(cloud, monkeypatch):
    """Another look-up may find it."""
    monkeypatch.setattr("google.auth._exponential_backoff.time.sleep", lambda _: None)
    cloud.fails = 503
    with pytest.raises(ConnectionError, match="internal_failure"):
        find({"key": key(cloud)})
    gone = key(cloud, token_uri="http://127.0.0.1:9/token")
    with pytest.raises(ConnectionError, match="no answer"):
        find({"key": gone})


def test_the_library_may_be_missing(cloud, monkeypatch):
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "google.auth", None)
    with pytest.raises(LookupError, match=r"pip install 'trivium\[gcp\]'"):
        find({"key": key(cloud)})


def test_a_metadata_server_that_wants_a_certificate(cloud):
    """The library gives the session that has one."""

    class Session:
        trust_env = True

        def request(self, method, url, **more):
            self.asked = (method, url, more)
            return type("Got", (), {"status_code": 200, "headers": {}, "content": b"x"})

    transport = google.GoogleTransport(None, OSError)
    transport.session = Session()
    got = transport("https://metadata.google.internal/x", headers={"a": "b"}, timeout=3)
    assert (200, b"x", False) == (got.status, got.data, transport.session.trust_env)
    more = {"data": None, "headers": {"a": "b"}, "timeout": 3}
    assert ("GET", "https://metadata.google.internal/x", more) == transport.session.asked
    with pytest.raises(OSError, match="client certificates"):
        transport("https://sts.example/", cert=("a", "b"))


KEY = {"type": "service_account", "client_email": "a@b", "private_key": "PRIVATE KEY-----"}
KEY["token_uri"] = "https://oauth2.googleapis.com/token"
FED = {
    "type": "external_account", "audience": "a", "subject_token_type": "t",
    "token_url": "https://sts.googleapis.com/v1/token", "credential_source": {"file": "/t"},
}  # fmt: skip


@pytest.mark.parametrize(
    "parts",
    [
        {"key": KEY},
        {"federation": FED},
        {"identity": "default"},
        {"identity": "metadata", "service_account": "x"},
        {"key": KEY, "impersonate": TARGET},
        {"identity": "default", "impersonate": TARGET, "delegates": TARGET},
    ],
)
def test_what_names_an_identity(parts):
    """And is taken."""
    google.check(written(parts))


def written(parts):
    return {n: v if isinstance(v, str) else json.dumps(v) for n, v in parts.items()}


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({}, "there is none. Example: credential = { key"),
        ({"key": KEY, "identity": "default"}, "there is key and identity"),
        ({"identity": "adc"}, "identity is 'adc', and may be default or metadata"),
        ({"key": "secret-not-json"}, "key is no JSON"),
        ({"key": [1]}, "key is no JSON"),
        ({"key": FED}, "key must have type service_account; give it as federation"),
        ({"federation": KEY}, "federation must have type external_account; give it as key"),
        ({"key": {**KEY, "type": "authorized_user"}}, 'use identity = "default"'),
        ({"key": {**KEY, "type": ["x"]}}, "key must have type service_account"),
        ({"key": {n: v for n, v in KEY.items() if n != "token_uri"}}, "key lacks token_uri"),
        ({"key": {**KEY, "token_uri": "file:///x"}}, "no address in token_uri"),
        ({"key": {**KEY, "private_key": "x"}}, "no PEM in private_key"),
        ({"federation": {**FED, "credential_source": {"executable": {}}}}, "runs a command"),
        ({"federation": {**FED, "credential_source": {"certificate": {}}}}, "certificates"),
        ({"federation": {**FED, "credential_source": {"x": 1}}}, "needs file, url or environment"),
        ({"federation": {**FED, "credential_source": "x"}}, "no object in credential_source"),
        ({"identity": "default", "service_account": "x"}, "service_account says which"),
        ({"identity": "default", "delegates": TARGET}, "delegates go with impersonate"),
        ({"identity": "default", "impersonate": "ada@example.com"}, "is no service account"),
        ({"identity": "default", "impersonate": "https://x.example/"}, "is no service account"),
    ],
)
def test_what_names_none(parts, why):
    """Each mistake says what would be right, and nothing of a secret."""
    with pytest.raises(ValueError, match=why.replace("{", "\\{").replace("(", "\\(")) as caught:
        google.check(written(parts))
    assert "secret-not-json" not in str(caught.value)


def test_the_checks_cost_what_their_parts_are_long():
    """A file of some megabytes is no key, and says so at once."""
    began = time.perf_counter()
    with pytest.raises(ValueError, match="key is no JSON"):
        google.check({"key": "[" * 2_000_000})
    assert time.perf_counter() - began < 2
