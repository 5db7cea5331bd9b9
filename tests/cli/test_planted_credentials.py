"""No credential of a cloud's, and nothing that was given for one, is printed by a command.

Each kind of credential is planted in a settings file before the doubles of the clouds, which answer
once and then refuse with all that they were sent in their words; whatever `trivium explain`,
`trivium channel list` and `trivium channel test` print is looked through.
"""

import json

import pytest

import entra_checks
from aws_double import BEARER, EXTERNAL_ID, ROLE
from aws_double import running as amazon
from entra_double import API_KEY, CLIENT, SECRET, TENANT, EntraDouble
from google_double import GoogleDouble

MODEL = """
[upstream]
ca_file = "{ca_file}"
[[channels]]
name = "planted"
provider = "{provider}"
base_url = "{base_url}"
timeouts = {{ first_byte = 10 }}
{credential}
[[models]]
name = "m"
free = true
bindings = [{{ channel = "planted", model = "up" }}]
"""
PEM, CERTIFICATE = entra_checks.application_certificate()
OPERATOR = "operator-secret/+key"
SESSION = "a-session-token-that-ends"
KINDS = {
    "bedrock: an access key": ("bedrock", 'credential = { region = "us-east-1", key_id = "AKIDOPERATOR", secret = "operator-secret/+key" }'),
    "bedrock: a session": ("bedrock", f'credential = {{ region = "us-east-1", key_id = "AKIDOPERATOR", secret = "operator-secret/+key", session_token = "{SESSION}" }}'),
    "bedrock: a role": ("bedrock-messages", f'credential = {{ region = "us-east-1", key_id = "AKIDOPERATOR", secret = "operator-secret/+key", role_arn = "{ROLE}", external_id = "{EXTERNAL_ID}" }}'),
    "bedrock: a key": ("bedrock", f'api_key = "{BEARER}"'),
    "vertex: a key of an account": ("vertex", 'credential = { key = "file:key.json" }'),
    "vertex: impersonation": ("vertex-open", 'credential = { key = "file:key.json", impersonate = "IMPERSONATE" }'),
    "vertex: an api key": ("vertex", 'api_key = "AIza-planted-key-of-google"'),
    "azure: a secret": ("azure", f'credential = {{ tenant_id = "{TENANT}", client_id = "{CLIENT}", client_secret = "{SECRET}", authority = "AUTHORITY" }}'),
    "azure: a wrong secret": ("azure", f'credential = {{ tenant_id = "{TENANT}", client_id = "{CLIENT}", client_secret = "planted-wrong-secret", authority = "AUTHORITY" }}'),
    "azure: a certificate": ("azure", f'credential = {{ tenant_id = "{TENANT}", client_id = "{CLIENT}", certificate = "file:gateway.pem", authority = "AUTHORITY" }}'),
    "vertex: federation": ("vertex", 'credential = { federation = "file:pool.json" }'),
    "azure: a token's file": ("azure-claude", f'credential = {{ tenant_id = "{TENANT}", client_id = "{CLIENT}", token_file = "TOKEN_FILE", authority = "AUTHORITY" }}'),
    "azure: a key": ("azure-deployments", f'api_key = "{API_KEY}"'),
}  # fmt: skip
OFTEN = ("bedrock: a role", "vertex: impersonation", "azure: a secret", "azure: a wrong secret")
"""Each imports a cloud's library; the others are run by `make soak`."""
RENEWED = frozenset({
    "bedrock: a role", "vertex: a key of an account", "vertex: impersonation", "vertex: federation",
    "azure: a secret", "azure: a certificate", "azure: a token's file",
})  # fmt: skip
"""Those for which something is given that ends."""
PLANTED = [OPERATOR, SESSION, EXTERNAL_ID, BEARER, SECRET, API_KEY, "planted-wrong-secret", "AIza-planted-key-of-google"]  # fmt: skip


@pytest.fixture(scope="module")
def clouds(tmp_path_factory):
    """All three."""
    folder = tmp_path_factory.mktemp("clouds")
    with GoogleDouble(life_s=600) as google, EntraDouble(folder, life_s=600) as azure, amazon() as aws:  # fmt: skip
        azure.certificates.append(CERTIFICATE)
        yield google, azure, aws


def _settings(folder, clouds, kind):
    google, azure, aws = clouds
    provider, credential = KINDS[kind]
    bases = {
        "bedrock": aws.url, "bedrock-messages": aws.url, "azure": f"{azure.machine}/openai/v1",
        "azure-deployments": f"{azure.machine}/openai", "azure-claude": f"{azure.machine}/anthropic",
    }  # fmt: skip
    (folder / "key.json").write_text(json.dumps(google.key_file(), indent=2))
    (folder / "token").write_text(azure.federated())
    (folder / "gateway.pem").write_text(PEM)
    (folder / "subject").write_text(google.subject())
    pool = google.federation({"file": str(folder / "subject")})
    (folder / "pool.json").write_text(json.dumps(pool, indent=2))
    credential = credential.replace("AUTHORITY", azure.authority)
    credential = credential.replace("TOKEN_FILE", str(folder / "token"))
    credential = credential.replace("IMPERSONATE", google.impersonation_url("models@acme-prod"))
    text = MODEL.format(
        ca_file=azure.ca_file, provider=provider, base_url=bases.get(provider, google.base_url()),
        credential=credential,
    )  # fmt: skip
    (folder / "trivium.toml").write_text(text)


def _secrets(folder, clouds):
    """Everything that was planted, or given for it."""
    google, azure, aws = clouds
    given = [part for one in list(aws.keys.values()) for part in one[:2] if part]
    private = json.loads((folder / "key.json").read_text())["private_key"].splitlines()[1:-1]
    private += [line for line in PEM.splitlines()[1:] if len(line) == 64]
    federated = [(folder / name).read_text() for name in ("token", "subject")]
    return [*PLANTED, *given, *google.live, *azure.live, *private, *federated]


def _given(clouds):
    google, azure, aws = clouds
    return google.tokens_given + azure.tokens_given + aws.asked.count("sts AssumeRole")


@pytest.mark.parametrize(
    "kind",
    [kind if kind in OFTEN else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS],
)
def test_no_command_prints_a_credential(trivium, folder, clouds, kind, monkeypatch):
    """Whether the cloud takes it or not, as a table and as JSON."""
    google, azure, aws = clouds
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", aws.url)
    _settings(folder, clouds, kind)
    before = _given(clouds)
    done = [
        trivium("channel", "list", "--json"),
        trivium("explain", "--model", "m", "--json"),
        trivium("channel", "test", "planted"),
    ]
    assert (kind in RENEWED) is (_given(clouds) > before)
    google.is_shut = azure.is_shut = aws.is_shut = True
    try:
        done.append(trivium("channel", "test", "planted", "--json"))
    finally:
        google.is_shut = azure.is_shut = aws.is_shut = False
    secrets = _secrets(folder, clouds)
    for one in done:
        assert one.out + one.err
        assert [] == [secret for secret in secrets if secret in one.out + one.err]
