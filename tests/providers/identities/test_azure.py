"""Entra ID's identities, before doubles that check who asks."""

import sys

import pytest

import entra_checks
from entra_double import CLIENT, COGNITIVE, FOUNDRY, SECRET, TENANT, USER_ASSIGNED, EntraDouble
from providers.identities.asking import Asked, around
from trivium.providers.credential import Remedy
from trivium.providers.identities import azure

FINDER = azure.finder(COGNITIVE)
VARIABLES = (
    "IDENTITY_ENDPOINT", "IDENTITY_HEADER", "MSI_ENDPOINT", "AZURE_TENANT_ID", "AZURE_CLIENT_ID",
    "AZURE_FEDERATED_TOKEN_FILE", "AZURE_AUTHORITY_HOST", "AZURE_POD_IDENTITY_AUTHORITY_HOST",
)  # fmt: skip
WHO = {"tenant_id": TENANT, "client_id": CLIENT}
PEM, CERTIFICATE = entra_checks.application_certificate()


@pytest.fixture
def cloud(monkeypatch, tmp_path):
    """A cloud, in which nothing is found by chance."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    with EntraDouble(tmp_path) as found:
        found.certificates.append(CERTIFICATE)
        yield found


def find(cloud, **parts):
    """What is found with an application's parts."""
    if "identity" not in parts or parts["identity"] == "workload":
        parts = WHO | {"authority": cloud.authority} | parts
    FINDER.inspect(parts)
    return FINDER.find(parts, around(Asked(cloud.ca_file)))


def holds(cloud, found, audience=COGNITIVE, who=CLIENT):
    """Whether a token that was found is for this audience and lives for what was said."""
    assert 3 < found.life_s <= cloud.life_s + 1
    assert (audience, who) == cloud.live[found.parts["token"]][:2]


def test_an_application_by_its_secret(cloud):
    """Tenant, id, secret and scope are checked there."""
    found = find(cloud, client_secret=SECRET)
    holds(cloud, found)
    assert f"client secret of {CLIENT}" == found.source


def test_another_audience(cloud):
    """As Foundry's."""
    holds(cloud, find(cloud, client_secret=SECRET, audience=FOUNDRY + "/"), FOUNDRY)


def test_an_application_by_its_certificate(cloud):
    """The assertion is signed with its key and names its thumbprint."""
    found = find(cloud, certificate=PEM)
    holds(cloud, found)
    assert f"certificate of {CLIENT}" == found.source
    find(cloud, certificate=PEM)
    assert 2 == len(cloud.assertions)


def test_a_certificate_with_a_password(cloud):
    """The key may be sealed in the file."""
    from cryptography.hazmat.primitives import serialization

    sealed = entra_checks.rsa_key("gateway").private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"opens it"),
    )
    pem = (sealed + CERTIFICATE.public_bytes(serialization.Encoding.PEM)).decode()
    holds(cloud, find(cloud, certificate=pem, certificate_password="opens it"))
    with pytest.raises(ValueError, match="password") as caught:
        find(cloud, certificate=pem, certificate_password="does-not-open-0123456789")
    assert "does-not-open" not in str(caught.value)


def test_a_pods_token_file(cloud, tmp_path):
    """Workload identity: by a file that is named."""
    path = tmp_path / "token"
    path.write_text(cloud.federated())
    found = find(cloud, token_file=str(path))
    holds(cloud, found)
    assert "workload identity" == found.source
    path.write_text(cloud.federated(sub="system:serviceaccount:other:pod"))
    with pytest.raises(ValueError, match="AADSTS700213"):
        find(cloud, token_file=str(path))


def test_a_pods_variables(cloud, monkeypatch, tmp_path):
    """Workload identity as AKS has it: nothing is configured but that it is to be used."""
    path = tmp_path / "token"
    path.write_text(cloud.federated())
    monkeypatch.setenv("AZURE_TENANT_ID", TENANT)
    monkeypatch.setenv("AZURE_CLIENT_ID", CLIENT)
    monkeypatch.setenv("AZURE_FEDERATED_TOKEN_FILE", str(path))
    parts = {"identity": "workload", "authority": cloud.authority}
    FINDER.inspect(parts)
    holds(cloud, FINDER.find(parts, around(Asked(cloud.ca_file))))


@pytest.mark.parametrize("kind", ["virtual_machine", "app_service"])
@pytest.mark.parametrize(
    ("parts", "who", "source"),
    [
        ({}, "system", "the machine's own"),
        ({"client_id": USER_ASSIGNED}, USER_ASSIGNED, USER_ASSIGNED),
    ],
)
def test_a_managed_identity(cloud, monkeypatch, kind, parts, who, source):
    """The machine's own, or one that it was given; the endpoint's header and secret go along."""
    for name, value in getattr(cloud, kind).items():
        monkeypatch.setenv(name, value)
    found = find(cloud, identity="managed", **parts)
    holds(cloud, found, who=who)
    assert f"managed identity ({source})" == found.source
    with pytest.raises(ValueError, match=r"(?i)identity not found|no user assigned"):
        find(cloud, identity="managed", client_id="12345678-0000-0000-0000-000000000000")


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"client_secret": "not-the-secret-0123456789"}, "AADSTS7000215: Invalid client secret"),
        ({"client_secret": SECRET, "client_id": USER_ASSIGNED}, "AADSTS700016"),
        ({"client_secret": SECRET, "tenant_id": "other.example"}, "authority configuration"),
        ({"client_secret": SECRET, "audience": "https://graph.example"}, "AADSTS500011"),
        ({"certificate": entra_checks.application_certificate("other")[0]}, "AADSTS700027"),
    ],
)
def test_what_entra_refuses_is_told(cloud, parts, why):
    """In its words, without ids of traces and without anything that was sent."""
    with pytest.raises(ValueError, match=why) as caught:
        find(cloud, **parts)
    text = str(caught.value)
    for hidden in ("Trace ID", "not-the-secret", "eyJ", SECRET):
        assert hidden not in text


def test_a_service_that_is_away_is_told_apart(cloud, monkeypatch):
    """Another look-up may find it; nothing is asked for twice within one."""
    cloud.fails = 503
    with pytest.raises(ConnectionError, match="503"):
        find(cloud, client_secret=SECRET)
    assert 1 == sum(path.endswith("/token") for _, path in cloud.requests)
    with pytest.raises(ConnectionError, match="no answer"):
        find(cloud, client_secret=SECRET, authority="https://127.0.0.1:9")
    monkeypatch.setenv("AZURE_POD_IDENTITY_AUTHORITY_HOST", "http://127.0.0.1:9")
    with pytest.raises(ConnectionError):
        find(cloud, identity="managed")


def test_a_certificate_that_is_not_trusted(cloud):
    """The gateway's authorities decide, not the library's."""
    parts = WHO | {"authority": cloud.authority, "client_secret": SECRET}
    with pytest.raises(ConnectionError, match="CERTIFICATE_VERIFY_FAILED"):
        FINDER.find(parts, around(Asked()))


def test_the_library_may_be_missing(cloud, monkeypatch):
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "azure.core.exceptions", None)
    with pytest.raises(LookupError, match=r"pip install 'trivium\[azure\]'"):
        find(cloud, client_secret=SECRET)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b'{"error":{"code":"PermissionDenied","message":"lacks"}}', Remedy.NONE),
        (b'{"statusCode":401,"message":"have expired"}', Remedy.RENEW),
    ],
)
def test_a_role_that_is_missing_is_not_renewed(body, what):
    """Another token would have it no more than this one."""
    assert what is azure.remedy(401, {}, body)


@pytest.mark.parametrize(
    "parts",
    [
        {**WHO, "client_secret": "x"},
        {**WHO, "certificate": PEM, "certificate_password": "x"},
        {**WHO, "token_file": "/var/run/token"},
        {"identity": "managed", "resource_id": "/subscriptions/x"},
        {"identity": "workload"},
        {**WHO, "client_secret": "x", "authority": "login.microsoftonline.us"},
        {**WHO, "client_secret": "x", "authority": "https://login.chinacloudapi.cn/"},
        {"identity": "managed", "audience": "api://x"},
    ],
)
def test_what_names_an_identity(parts):
    """And is taken."""
    azure.check(parts)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({}, "there is none. Example: credential = "),
        ({**WHO, "client_secret": "x", "identity": "managed"}, "client_secret and identity"),
        ({"identity": "msi"}, "identity is 'msi', and may be managed or workload"),
        ({"client_secret": "x", "client_id": "y"}, "tenant_id is missing"),
        ({"token_file": "x", "tenant_id": "y"}, "client_id is missing"),
        ({**WHO, "client_secret": "x", "object_id": "y"}, "object_id says which"),
        ({"identity": "managed", "client_id": "x", "object_id": "y"}, "named by one of"),
        ({"identity": "managed", "tenant_id": "x"}, "tenant_id has no meaning"),
        ({"identity": "managed", "authority": "x"}, "authority has no meaning"),
        ({**WHO, "client_secret": "x", "certificate_password": "y"}, "goes with certificate"),
        ({**WHO, "client_secret": "x", "tenant_id": "a b"}, "tenant_id is neither"),
        ({**WHO, "certificate": "/etc/cert.pem"}, "certificate is a PEM"),
        ({**WHO, "certificate": PEM.split("-----BEGIN CERT")[0]}, "certificate is a PEM"),
        ({**WHO, "client_secret": "x", "authority": "http://login"}, "authority is the host"),
        ({**WHO, "client_secret": "x", "authority": "https://l/tenant"}, "authority is the host"),
        ({**WHO, "client_secret": "x", "audience": "cognitive"}, "audience is what"),
    ],
)
def test_what_names_none(parts, why):
    """Each mistake says what would be right."""
    with pytest.raises(ValueError, match=why):
        azure.check(parts)
