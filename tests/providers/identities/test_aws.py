"""Identities in AWS: each of the places where they are found, against strict doubles."""

import boto3
import botocore.config
import botocore.exceptions
import pytest
from tests import aws_double
from tests.aws_double import EXTERNAL_ID, ROLE

from trivium.providers.credential import Surroundings, Unsigned
from trivium.providers.identities import aws
from trivium.providers.identities.aws import check, find, needed, region_of
from trivium.providers.signature_v4 import SignatureV4

OWN = {"key_id": "AKIDOPERATOR", "secret": "operator-secret/+key"}


@pytest.fixture
def cloud(monkeypatch, tmp_path):
    """The doubles, and an environment that knows nobody and no address but theirs."""
    for name in (
        "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
        "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_DEFAULT_REGION", "AWS_REGION",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_BEARER_TOKEN_BEDROCK",
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with aws_double.running() as found:
        monkeypatch.setenv("AWS_ENDPOINT_URL_STS", found.url)
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", found.url)
        yield found


def around(**more):
    values = {
        "base_url": "https://bedrock-runtime.us-east-1.amazonaws.com", "proxy": None,
        "ca_file": None, "limit_s": 20.0,
    } | more  # fmt: skip
    return Surroundings(**values)


def signed(cloud, found, **more):
    """What the runtime says of a request signed with what was found: 200, or its error's type."""
    host = f"127.0.0.1:{cloud.port}"
    headers = {"host": host, "content-type": "application/json"}
    values = {
        "method": "POST", "scheme": "http", "host": host, "path": "/model/m/converse",
        "query": "", "headers": headers, "at": more.pop("at", None) or _now(),
    } | more  # fmt: skip
    signature = SignatureV4(found, Unsigned(**values), "us-east-1", "bedrock")
    signature.update(b"{}")
    sent = values["headers"] | signature.headers()
    target = values["path"] + (f"?{values['query']}" if values["query"] else "")
    status, said, _ = cloud.answer("POST", target, sent, b"{}")
    return said["x-amzn-ErrorType"].partition(":")[0] if status != 200 else 200


def _now():
    import time

    return time.time()


def test_the_environment_is_asked_first(cloud, monkeypatch):
    """Its keys have no end; its region is taken where the address names none."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", OWN["key_id"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", OWN["secret"])
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    got = find({}, around())
    assert (OWN, None, "environment") == (got.parts, got.life_s, got.source)
    assert "eu-west-1" == find({}, around(base_url="https://models.acme.example")).parts["region"]
    assert "region" not in find({"region": "us-east-1"}, around(base_url="https://x")).parts
    assert 200 == signed(cloud, got.parts)


def test_a_profile_is_read(cloud, tmp_path):
    """By name, or the default one; a file's rotation is seen by the next look."""
    path = tmp_path / "credentials"
    path.write_text("[default]\naws_access_key_id=A\naws_secret_access_key=b\n[gw]\n"
                    f"aws_access_key_id={OWN['key_id']}\naws_secret_access_key={OWN['secret']}\n")  # fmt: skip
    assert "A" == find({}, around()).parts["key_id"]
    got = find({"profile": "gw"}, around())
    assert (OWN, None, "credentials file") == (got.parts, got.life_s, got.source)
    path.write_text("[gw]\naws_access_key_id=B\naws_secret_access_key=b\n")
    assert "B" == find({"profile": "gw"}, around()).parts["key_id"]
    with pytest.raises(ValueError, match=r"The config profile \(none\) could not be found"):
        find({"profile": "none"}, around())


def test_a_profile_may_name_a_process(cloud, tmp_path):
    """As for SSO by other tools."""
    (tmp_path / "config").write_text(
        "[default]\ncredential_process = printf "
        '\'{"Version":1,"AccessKeyId":"AKIDOPERATOR","SecretAccessKey":"operator-secret/+key"}\'\n'
    )
    got = find({}, around())
    assert (OWN, "credential process") == (got.parts, got.source)


def test_a_profile_that_asks_for_a_device_is_refused(cloud, tmp_path):
    """Nobody is there to type."""
    (tmp_path / "config").write_text(
        f"[default]\nrole_arn={ROLE}\nsource_profile=own\nmfa_serial=arn:aws:iam::1:mfa/x\n"
        f"[profile own]\naws_access_key_id={OWN['key_id']}\naws_secret_access_key={OWN['secret']}\n"
    )
    with pytest.raises(ValueError, match="asks for a code of a device"):
        find({}, around())


def test_a_pod_has_a_web_identity(cloud, monkeypatch, tmp_path):
    """Its token is read from its file each time, as it is exchanged for others."""
    token = tmp_path / "token"
    token.write_text("of another cluster")
    monkeypatch.setenv("AWS_ROLE_ARN", ROLE)
    monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(token))
    with pytest.raises(ValueError, match="InvalidIdentityToken.*No OpenIDConnect provider"):
        find({}, around())
    token.write_text(aws_double.WEB_TOKEN)
    got = find({}, around())
    assert ("web identity", True) == (got.source, 3500 < got.life_s <= 3600)
    assert 200 == signed(cloud, got.parts)


def test_a_container_has_an_endpoint(cloud, monkeypatch):
    """Which wants its own token."""
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{cloud.url}/container")
    with pytest.raises(ValueError, match="Received non 200 response 401"):
        find({}, around())
    monkeypatch.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", aws_double.ECS_TOKEN)
    got = find({}, around())
    assert ("container endpoint", True) == (got.source, 3500 < got.life_s <= 3600)
    assert 200 == signed(cloud, got.parts)


def test_an_instance_has_a_role(cloud):
    """By version 2 of its service, also when that is slow."""
    cloud.delay_s = 1.3  # Amazon's own tools give up after 1 s
    got = find({}, around())
    assert ("IMDSv2 (role gateway-role)", True) == (got.source, 3500 < got.life_s <= 3600)
    assert 200 == signed(cloud, got.parts)
    assert ["imds PUT token", "imds GET role", "imds GET gateway-role"] == cloud.asked


def test_version_1_is_never_asked(cloud):
    """Behind a hop limit of 1 there is no token; that is said, with what helps."""
    cloud.token_refused = True
    with pytest.raises(ConnectionError, match="http-put-response-hop-limit 2"):
        find({}, around())
    assert {"imds PUT token"} == set(cloud.asked)


def test_where_nobody_is_found_it_is_said_where_one_looked(cloud, monkeypatch):
    """Nothing is asked where that is switched off."""
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(LookupError, match="none in the environment, in ~/.aws, of a web identity"):
        find({}, around())
    assert [] == cloud.asked


ASSUMED = {"role_arn": ROLE, "external_id": EXTERNAL_ID, "session_name": "gateway1"}


def test_a_role_is_assumed(cloud):
    """By the channel's own keys, with what the other account asks for."""
    got = find(OWN | ASSUMED, around())
    assert f"assumed role ({ROLE}) by the channel's access key" == got.source
    assert (True, 200) == (3500 < got.life_s <= 3600, signed(cloud, got.parts))
    assert ["sts AssumeRole"] == cloud.asked


def test_a_role_is_assumed_by_whoever_is_found(cloud):
    """Here an instance."""
    got = find(ASSUMED, around())
    assert f"assumed role ({ROLE}) by IMDSv2 (role gateway-role)" == got.source
    assert 200 == signed(cloud, got.parts)


@pytest.mark.parametrize(
    ("changed", "error", "why"),
    [
        (
            {"external_id": "other"},
            ValueError,
            "AccessDenied.*not authorized to perform: sts:Assume",
        ),
        ({"secret": "other"}, ValueError, "InvalidSignatureException"),
        ({"role_arn": "gateway"}, ValueError, "Invalid length for parameter RoleArn"),
    ],
)
def test_a_role_that_is_refused_says_so(cloud, changed, error, why):
    """In Amazon's words."""
    with pytest.raises(error, match=why):
        find(OWN | ASSUMED | changed, around())


def test_a_service_that_is_away_is_told_apart(cloud, monkeypatch):
    """It is asked again sooner than one that refuses."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1")
    with pytest.raises(ConnectionError, match="Could not connect to the endpoint URL"):
        find(OWN | ASSUMED, around())


def test_sts_goes_by_the_channels_proxy(cloud):
    """The metadata service does not."""
    with pytest.raises(ConnectionError, match="127.0.0.1:1|proxy"):
        find(ASSUMED, around(proxy="http://127.0.0.1:1"))
    assert ["imds PUT token", "imds GET role", "imds GET gateway-role"] == cloud.asked[:3]
    assert "sts AssumeRole" not in cloud.asked


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ({"api_key", "region"}, None),
        ({"api_key", "key_id", "secret"}, "has key_id, secret beside an api_key"),
        ({"key_id"}, "has key_id without secret"),
        ({"secret"}, "has secret without key_id"),
        ({"session_token"}, "has session_token without key_id"),
        ({"key_id", "secret", "session_token"}, None),
        ({"key_id", "secret", "profile"}, "has key_id and profile"),
        ({"external_id"}, "has external_id without role_arn"),
        ({"session_name"}, "has session_name without role_arn"),
        ({"role_arn", "external_id", "session_name", "profile"}, None),
        (set(), None),
    ],
)
def test_parts_go_together(names, why):
    """What is missing or too much is named when settings are read."""
    if why is None:
        assert check(frozenset(names)) is None
        return
    with pytest.raises(ValueError, match=why):
        check(frozenset(names))


def test_keys_that_are_given_are_not_looked_up():
    """But where a role is assumed with them."""
    assert [False, True, True] == [needed(one) for one in (OWN, OWN | ASSUMED, {})]
    assert aws.FINDER.plain.isdisjoint({"secret", "session_token", "external_id"})


@pytest.mark.parametrize(
    ("url", "region"),
    [
        ("https://bedrock-runtime.us-east-1.amazonaws.com", "us-east-1"),
        ("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/", "us-gov-west-1"),
        ("https://bedrock-runtime.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        ("https://vpce-1a-2b.bedrock-runtime.eu-central-1.vpce.amazonaws.com", "eu-central-1"),
        ("https://bedrock-mantle.ap-southeast-2.api.aws", "ap-southeast-2"),
        ("https://bedrock-runtime.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1"),
        ("https://models.acme.example", ""),
        ("https://acme.example/bedrock-runtime.us-east-1.amazonaws.com", ""),
        ("http://127.0.0.1:9", ""),
    ],
)
def test_a_host_names_its_region(url, region):
    """All of Amazon's partitions, FIPS and VPC endpoints."""
    assert region == region_of(url)


# --- the double itself --------------------------------------------------------------------------


def client(cloud, **more):
    keys = {"aws_access_key_id": OWN["key_id"], "aws_secret_access_key": OWN["secret"]} | more
    return boto3.client(
        "bedrock-runtime", endpoint_url=cloud.url, region_name="us-east-1",
        config=botocore.config.Config(retries={"total_max_attempts": 1}), **keys,
    )  # fmt: skip


SAY = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}


@pytest.mark.parametrize(
    "model",
    ["m", "us.anthropic.claude-sonnet-4-v1:0",
     "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-v1:0"],
)  # fmt: skip
def test_the_double_takes_what_boto3_signs(cloud, model):
    """It is not stricter than Amazon's own client."""
    said = client(cloud).converse(modelId=model, **SAY)
    assert "Hi" == said["output"]["message"]["content"][0]["text"]


def test_the_double_refuses_boto3_with_another_key(cloud):
    """With the error that the client knows."""
    with pytest.raises(botocore.exceptions.ClientError, match="UnrecognizedClientException"):
        client(cloud, aws_access_key_id="AKIDNOBODY").converse(modelId="m", **SAY)
    with pytest.raises(botocore.exceptions.ClientError, match="InvalidSignatureException"):
        client(cloud, aws_secret_access_key="other").converse(modelId="m", **SAY)


def _authorized(text, old, new):
    assert old in text
    return text.replace(old, new)


def _swap(sent):
    names = sent["authorization"].partition("SignedHeaders=")[2].partition(",")[0]
    first, second, *rest = names.split(";")
    sent["authorization"] = sent["authorization"].replace(names, ";".join((second, first, *rest)))


def _unsigned(sent):
    sent["authorization"] = sent["authorization"].replace(";x-amz-date", "")


def _scope(old, new):
    def mutate(sent):
        sent["authorization"] = _authorized(sent["authorization"], old, new)

    return mutate


MUTATIONS = {
    "date": (lambda sent: sent.update({"x-amz-date": sent["x-amz-date"][:8] + "T000000Z"}), {}),
    "region": (_scope("/us-east-1/", "/us-west-2/"), {}),
    "service": (_scope("/bedrock/", "/s3/"), {}),
    "path encoding": (lambda _: None, {"path": "/model/a:b/converse"}),
    "query": (lambda _: None, {"query": "a=1"}),
    "payload hash": (lambda _: None, {"body": b""}),
    "header order": (_swap, {}),
    "missing signed header": (_unsigned, {}),
    "session token": (lambda sent: sent.update({"x-amz-security-token": "t"}), {}),
    "wrong key": (_scope("AKIDOPERATOR", "AKIDNOBODY"), {}),
    "skewed date": (lambda _: None, {"at": 301}),
    "body changed": (lambda _: None, {"body": b'{ "a":1}'}),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_double_refuses_what_was_changed(cloud, name):
    """Each by itself, of a request that is taken without it."""
    mutate, change = MUTATIONS[name]
    host = f"127.0.0.1:{cloud.port}"
    headers = {"host": host, "content-type": "application/json"}

    def sent(at):
        unsigned = Unsigned(
            method="POST", scheme="http", host=host, path="/model/a%3Ab/converse", query="",
            headers=headers, at=at,
        )  # fmt: skip
        signature = SignatureV4(OWN, unsigned, "us-east-1", "bedrock")
        signature.update(b'{"a":1}')
        return headers | signature.headers()

    taken = sent(_now())
    assert 200 == cloud.answer("POST", "/model/a%3Ab/converse", taken, b'{"a":1}')[0]
    changed = sent(_now() - change.get("at", 0))
    mutate(changed)
    target = change.get("path", "/model/a%3Ab/converse")
    target += f"?{change['query']}" if "query" in change else ""
    status, said, _ = cloud.answer("POST", target, changed, change.get("body", b'{"a":1}'))
    assert 403 == status, said
