"""Amazon Bedrock behind a running gateway: each way of identity, what is signed, what never comes out."""

import asyncio
import contextlib
import json

import pytest
from tests import aws_double
from tests.aws_double import EXTERNAL_ID, ROLE

from edge import wires
from end_to_end.running import listening, prepare, start

KEY_ID, SECRET = "AKIDOPERATOR", "operator-secret/+key"
OWN = f'key_id = "{KEY_ID}", secret = "{SECRET}"'
SECRETS = (SECRET, "secret-of-", "session-token-", aws_double.WEB_TOKEN, aws_double.ECS_TOKEN,
           aws_double.IMDS_TOKEN, EXTERNAL_ID)  # fmt: skip
VARIABLES = (
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION",
    "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_DEFAULT_REGION",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_BEARER_TOKEN_BEDROCK",
)  # fmt: skip


@pytest.fixture
def cloud(monkeypatch, tmp_path):
    """The doubles, and an environment of nobody's."""
    monkeypatch.setattr(wires, "PATIENCE_S", 60.0)  # a first look-up imports its library
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(home / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(home / "credentials"))
    with aws_double.running() as found:
        monkeypatch.setenv("AWS_ENDPOINT_URL_STS", found.url)
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", found.url)
        yield found


def settings(cloud, credential="", *, provider="bedrock", path="", api_key=""):
    """A gateway before one channel; the region is said, as the double's host has none."""
    key = f'api_key = "{api_key}"\n' if api_key else ""
    return f"""
[server]
listen = "127.0.0.1:0"
drain_notice_s = 0
drain_idle_s = 1
[logs]
level = "debug"
[routing]
cooldown_s = 0.0001
recheck_s = 0.0001
[metrics]
enabled = true
token = "scrape-token"
[[channels]]
name = "aws"
provider = "{provider}"
base_url = "{cloud.url}{path}"
{key}credential = {{ region = "us-east-1"{", " if credential else ""}{credential} }}
[[models]]
name = "m"
free = true
bindings = [{{ channel = "aws", model = "us.acme.model-v1:0" }}]
"""


@contextlib.asynccontextmanager
async def serving(folder, text):
    gateway = start(folder, await prepare(folder, text))
    try:
        await listening(gateway)
        yield gateway
    finally:
        gateway.process.terminate()
        try:
            await gateway.ended()
        finally:
            gateway.process.kill()
            gateway.process.wait()


async def say(gateway, **more):
    """Status and body of one chat."""
    status, _, body = await gateway.send(gateway.chat(**more))
    return status, json.loads(body)


def nothing_told(folder, *more):
    """No file but the settings holds a secret, nor does anything else."""
    kept = [path for path in folder.rglob("*") if path.is_file() and path.name != "trivium.toml"]
    kept = [path for path in kept if path.parent.name != "home" and path.name != "token"]
    texts = {path.name: path.read_bytes() for path in kept}
    assert {"serve.log", "trivium.db"} <= set(texts)
    for name, text in [*texts.items(), *enumerate(more)]:
        raw = text if isinstance(text, bytes) else json.dumps(text).encode()
        for secret in (*SECRETS, "Signature="):
            assert secret.encode() not in raw, (name, secret, raw[:2000])


def _environment(cloud, monkeypatch, folder):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY_ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)


def _profile(cloud, monkeypatch, folder):
    (folder / "home" / "credentials").write_text(
        f"[gw]\naws_access_key_id={KEY_ID}\naws_secret_access_key={SECRET}\n"
    )


def _web_identity(cloud, monkeypatch, folder):
    (folder / "token").write_text(aws_double.WEB_TOKEN)
    monkeypatch.setenv("AWS_ROLE_ARN", ROLE)
    monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(folder / "token"))


def _container(cloud, monkeypatch, folder):
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{cloud.url}/container")
    monkeypatch.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", aws_double.ECS_TOKEN)


def _nothing(cloud, monkeypatch, folder):
    cloud.delay_s = 0.3


WAYS = {
    "own keys": (OWN, _nothing, None, "AKIDOPERATOR"),
    "environment": ("", _environment, "environment", "AKIDOPERATOR"),
    "profile": ('profile = "gw"', _profile, "credentials file", "AKIDOPERATOR"),
    "web identity": ("", _web_identity, "web identity", "ASIArole"),
    "container": ("", _container, "container endpoint", "ASIAcontainer"),
    "instance": ("", _nothing, "IMDSv2 (role gateway-role)", "ASIAinstance"),
    "assumed": (
        f'{OWN}, role_arn = "{ROLE}", external_id = "{EXTERNAL_ID}"', _nothing,
        f"assumed role ({ROLE}) by the channel's access key", "ASIAroletrivium",
    ),
}  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("way", WAYS)
async def test_every_way_of_identity_is_signed_for(cloud, monkeypatch, tmp_path, way):
    """Looked up once for all who come at once; told where, and never what."""
    credential, prepared, source, key_id = WAYS[way]
    prepared(cloud, monkeypatch, tmp_path)
    async with serving(tmp_path, settings(cloud, credential)) as gateway:
        got = await asyncio.gather(*(say(gateway) for _ in range(5)))
        assert [200] * 5 == [status for status, _ in got], (got, gateway.log)
        assert "Hi" == got[0][1]["choices"][0]["message"]["content"]
        status, _, scraped = await gateway.send(
            gateway.get("/metrics", "Authorization: Bearer scrape-token")
        )
        assert 200 == status
    assert 5 == len(cloud.requests)
    assert {"/model/us.acme.model-v1%3A0/converse"} == {seen.target for seen in cloud.requests}
    assert all(seen.key_id.startswith(key_id) for seen in cloud.requests)
    asked = [one for one in cloud.asked if "token" not in one]
    assert len(asked) == len(set(asked)), cloud.asked
    found = [json.loads(line) for line in gateway.log.splitlines() if '"identity_found"' in line]
    assert ([] if source is None else [source]) == [line["source"] for line in found]
    assert (b'trivium_identity_failures_total{channel="aws"} 0' in scraped) is (source is not None)
    nothing_told(tmp_path, scraped, *got)


@pytest.mark.asyncio
async def test_a_key_of_bedrocks_is_a_bearer(cloud, tmp_path):
    """Beside ``credential.region``; nothing is signed or looked up, and a wrong one is told."""
    async with serving(tmp_path, settings(cloud, api_key=aws_double.BEARER)) as gateway:
        status, body = await say(gateway)
    assert (200, "Hi") == (status, body["choices"][0]["message"]["content"]), gateway.log
    assert ["bearer"] == [seen.key_id for seen in cloud.requests]
    assert "x-amz-date" not in cloud.requests[0].headers
    assert "bedrock-api-key" not in json.dumps(body) + gateway.log
    other = tmp_path / "other"
    other.mkdir()
    async with serving(other, settings(cloud, api_key="bedrock-api-key-wrong")) as gateway:
        status, body = await say(gateway)
    assert 502 == status
    assert "bedrock-api-key" not in json.dumps(body) + gateway.log
    assert [] == cloud.asked


@pytest.mark.asyncio
async def test_keys_that_end_are_found_again(cloud, tmp_path):
    """A vendor that says so before their time, a clock that is apart: the caller never knows."""
    async with serving(tmp_path, settings(cloud)) as gateway:
        assert 200 == (await say(gateway))[0]
        for key_id, (secret, token, _) in list(cloud.keys.items()):
            cloud.keys[key_id] = (secret, token, 0.0)  # all have ended
        assert 200 == (await say(gateway))[0], gateway.log
        assert 2 == len({seen.key_id for seen in cloud.requests})
        cloud.apart_s = 3600.0
        assert 200 == (await say(gateway))[0], gateway.log
        cloud.apart_s = -3600.0
        assert 200 == (await say(gateway))[0], gateway.log
    assert 4 == len(cloud.requests)
    apart = [json.loads(line) for line in gateway.log.splitlines() if '"clock_apart"' in line]
    assert [3600, -3600] == [round(line["seconds"], -2) for line in apart]
    nothing_told(tmp_path)


@pytest.mark.asyncio
async def test_a_gateway_that_is_nobody_says_so(cloud, tmp_path, monkeypatch):
    """To its caller one sentence, to its operator why; other parts of it are well."""
    cloud.token_refused = True
    async with serving(tmp_path, settings(cloud)) as gateway:
        status, body = await say(gateway)
        assert 502 == status
        assert "metadata" not in json.dumps(body)
        status, _, ready = await gateway.send(gateway.get("/readyz"))
        assert (200, "degraded", False) == (
            status, json.loads(ready)["status"], json.loads(ready)["parts"]["identities"]
        )  # fmt: skip
        _, _, scraped = await gateway.send(
            gateway.get("/metrics", "Authorization: Bearer scrape-token")
        )
    assert b'trivium_identity_life_seconds{channel="aws"} 0' in scraped
    why = [json.loads(line) for line in gateway.log.splitlines() if '"token_not_renewed"' in line]
    assert "hop limit" in why[0]["why"]
    nothing_told(tmp_path)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["echo", "bad key"])
async def test_what_a_vendor_prints_of_a_request_stays_in(cloud, tmp_path, name):
    """A refusal that repeats the signature's own lines, as Amazon's does when it is asked to."""
    echo = json.dumps({
        "message": f"The Canonical String for this request should have been 'POST\\n/ {SECRET} "
        f"session-token-x' AWS4-HMAC-SHA256 Credential=AKID/..., Signature=0123456789abcdef"
    }).encode()  # fmt: skip
    head = {
        "x-amzn-ErrorType": "ValidationException" if name == "echo" else "AccessDeniedException"
    }
    cloud.answers = [(400 if name == "echo" else 403, head, echo)]
    async with serving(tmp_path, settings(cloud, OWN)) as gateway:
        status, body = await say(gateway)
    assert status in (400, 502)
    if name == "bad key":
        nothing_told(tmp_path, body)
    else:
        assert "Credential=AKID" not in json.dumps(body) or "Signature=0123" not in json.dumps(body)


@pytest.mark.asyncio
async def test_the_endpoint_of_openais_shapes_is_signed_too(cloud, tmp_path):
    """The caller's own shape passes."""
    text = settings(cloud, OWN, provider="bedrock-openai", path="/openai/v1")
    async with serving(tmp_path, text) as gateway:
        status, body = await say(gateway)
    assert (200, "Hi") == (status, body["choices"][0]["message"]["content"]), gateway.log
    (seen,) = cloud.requests
    assert "/openai/v1/chat/completions" == seen.target
    assert "us.acme.model-v1:0" == json.loads(seen.body)["model"]
