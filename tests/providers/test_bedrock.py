"""Amazon Bedrock: where it is called, what its exceptions mean, and what is signed."""

import json

import boto3
import pytest
from botocore.config import Config

from trivium.faults import Kind
from trivium.providers import bedrock
from trivium.providers.address import normalise, target
from trivium.providers.base import VendorRefusal
from trivium.providers.credential import BEARER, Remedy, Signing, Unsigned, chosen
from trivium.wire.operation import Operation

HOST = "https://bedrock-runtime.us-east-1.amazonaws.com"
PROFILE = "us.anthropic.claude-sonnet-4-20250514-v1:0"
ARN = f"arn:aws:bedrock:us-east-1:123456789012:inference-profile/{PROFILE}"


def refusal(status, name, words="", headers=None):
    head = {"x-amzn-errortype": f"{name}:http://internal.amazon.com/coral/"} if name else {}
    return VendorRefusal(
        status=status,
        headers=head | (headers or {}),
        body=json.dumps({"message": words}).encode() if words else b"",
    )


ACCESS = (
    "User: arn:aws:sts::123456789012:assumed-role/gateway/s is not authorized to perform: "
    "bedrock:InvokeModel on resource: arn:aws:bedrock:us-east-1::foundation-model/m"
)


ON_DEMAND = (
    "Invocation of model ID m with on-demand throughput isn't supported. Retry your request with "
    "the ID or ARN of an inference profile that contains this model."
)


@pytest.mark.parametrize(
    ("status", "name", "words", "kind"),
    [
        (403, "UnrecognizedClientException", "The security token included in the request is invalid.",
         Kind.UPSTREAM_CREDENTIAL),
        (403, "InvalidSignatureException", "The request signature we calculated does not match",
         Kind.UPSTREAM_CREDENTIAL),
        (403, "ExpiredTokenException", "The security token included in the request is expired",
         Kind.UPSTREAM_CREDENTIAL),
        (400, "IncompleteSignatureException", "Authorization header requires", Kind.UPSTREAM_CREDENTIAL),
        (403, "MissingAuthenticationTokenException", "Missing Authentication Token",
         Kind.UPSTREAM_CREDENTIAL),
        (403, "AccessDeniedException", "Authentication failed: Please make sure your API Key is valid.",
         Kind.UPSTREAM_CREDENTIAL),
        (403, "AccessDeniedException", ACCESS, Kind.UPSTREAM_DENIED),
        (403, "AccessDeniedException", "You don't have access to the model with the specified model ID.",
         Kind.UPSTREAM_DENIED),
        (404, "ResourceNotFoundException", "This model version has reached the end of its life.",
         Kind.UPSTREAM_DENIED),
        (400, "ValidationException", "The provided model identifier is invalid.", Kind.UPSTREAM_DENIED),
        (400, "ValidationException", ON_DEMAND, Kind.UPSTREAM_DENIED),
        (400, "ValidationException", "Input is too long for requested model.", Kind.CONTEXT_TOO_LONG),
        (400, "ValidationException", "The value at messages.0.content is empty.", Kind.UPSTREAM_REJECTED),
        (429, "ThrottlingException", "Too many requests, please wait before trying again.",
         Kind.UPSTREAM_RATE_LIMITED),
        (400, "ServiceQuotaExceededException", "Your request exceeds the quota.",
         Kind.UPSTREAM_RATE_LIMITED),
        (429, "ModelNotReadyException", "The model is not ready", Kind.UPSTREAM_OVERLOADED),
        (503, "ServiceUnavailableException", "try later", Kind.UPSTREAM_OVERLOADED),
        (408, "ModelTimeoutException", "took too long", Kind.UPSTREAM_TIMEOUT),
        (424, "ModelErrorException", "the model failed", Kind.UPSTREAM_BROKE),
        (500, "InternalServerException", "sorry", Kind.UPSTREAM_BROKE),
        (404, "UnknownOperationException", "", Kind.UPSTREAM_BROKE),
        (418, "SomethingNewException", "new", Kind.UPSTREAM_BROKE),
        (400, "", "plain", Kind.UPSTREAM_REJECTED),
        (401, "", "", Kind.UPSTREAM_CREDENTIAL),
        (502, "", "", Kind.UPSTREAM_BROKE),
    ],
)  # fmt: skip
def test_an_exception_is_a_kind_of_failure(status, name, words, kind):
    """By its name, in the header; where a name says several things, by its words."""
    fault = bedrock.failure(refusal(status, name, words))
    assert kind is fault.kind, fault.message
    assert "arn:aws" not in fault.message
    assert "123456789012" not in fault.message


@pytest.mark.parametrize(
    "body",
    [
        b'{"__type":"com.amazon.coral.service#ThrottlingException","message":"slow"}',
        b'{"code":"ThrottlingException","Message":"slow"}',
    ],
)
def test_the_name_may_stand_in_the_body(body):
    """As services behind a gateway of Amazon's write it; what the vendor asks to wait is kept."""
    fault = bedrock.failure(VendorRefusal(status=429, headers={"retry-after": "7"}, body=body))
    assert (Kind.UPSTREAM_RATE_LIMITED, 7) == (fault.kind, fault.retry_after)


@pytest.mark.parametrize(
    "body", [b"", b"[", b"[]", b'{"message":1,"code":{}}', b"\xff", b"[" * 99_999]
)
def test_a_body_that_is_none_is_no_reason_to_fail(body):
    """The status still speaks."""
    assert ("", "") == bedrock.told({}, body)
    assert (
        Kind.UPSTREAM_BROKE
        is bedrock.failure(VendorRefusal(status=500, headers={}, body=body)).kind
    )


def test_words_of_a_request_are_shown_without_what_is_ours():
    """The caller has to know what to change."""
    fault = bedrock.failure(refusal(400, "ValidationException", "temperature must be at most 1"))
    assert ("temperature must be at most 1", 400) == (fault.message, fault.status)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ExpiredTokenException", Remedy.RENEW),
        ("UnrecognizedClientException", Remedy.RENEW),
        ("InvalidSignatureException", Remedy.CLOCK),
        ("RequestTimeTooSkewed", Remedy.CLOCK),
        ("AccessDeniedException", Remedy.NONE),
        ("ValidationException", Remedy.NONE),
        ("", Remedy.NONE),
    ],
)
def test_what_may_be_done_about_a_refusal(name, expected):
    """Nothing where it is the request that is refused."""
    one = refusal(403, name)
    assert expected is bedrock.remedy(403, one.headers, one.body)


def unsigned(host):
    return Unsigned(
        method="POST", scheme="https", host=host, path="/model/m/converse", query="",
        headers={"host": host}, at=1_790_000_000.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("provider", "host", "parts", "scope"),
    [
        (bedrock.CONVERSE, "bedrock-runtime.eu-west-1.amazonaws.com", {}, "eu-west-1/bedrock"),
        (bedrock.MANTLE, "bedrock-mantle.us-east-2.api.aws", {}, "us-east-2/bedrock-mantle"),
        (bedrock.OPENAI, "models.acme.example", {"region": "us-west-2"}, "us-west-2/bedrock"),
        (bedrock.MESSAGES, "bedrock-runtime.eu-west-1.amazonaws.com", {"region": "us-west-2"},
         "us-west-2/bedrock"),
    ],
)  # fmt: skip
def test_a_request_is_signed_for_its_region_and_service(provider, host, parts, scope):
    """The host's, or what the channel says."""
    kind = chosen(provider.credential, has_key=False)
    assert isinstance(kind, Signing)
    keys = {"key_id": "AKID", "secret": "s"} | parts
    signed = kind.begin(keys, unsigned(host)).headers()["authorization"]
    assert f"Credential=AKID/20260921/{scope}/aws4_request" in signed
    assert BEARER is chosen(provider.credential, has_key=True)


def test_a_host_without_a_region_wants_one():
    """By the name of the part that is missing."""
    kind = chosen(bedrock.CONVERSE.credential, has_key=False)
    with pytest.raises(ValueError, match="credential needs region, as us-east-1"):
        kind.begin({"key_id": "AKID", "secret": "s"}, unsigned("models.acme.example"))


class Caught(Exception):
    """A request of boto3's, before it is sent."""


@pytest.mark.parametrize("model", ["m", PROFILE, ARN, "global.amazon.nova-2-lite-v1:0"])
@pytest.mark.parametrize(
    ("operation", "stream", "method"),
    [(Operation.CONVERSE, False, "converse"), (Operation.CONVERSE, True, "converse_stream"),
     (Operation.CONVERSE_STREAM, True, "converse_stream")],
)  # fmt: skip
def test_a_model_is_written_as_boto3_writes_it(model, operation, stream, method):
    """Ids, profiles of several regions, and ARNs, whose colons and slashes are encoded."""
    client = boto3.client(
        "bedrock-runtime", region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="s",
        config=Config(retries={"total_max_attempts": 1}),
    )  # fmt: skip
    urls = []

    def catch(request, **_):
        urls.append(request.url)
        raise Caught

    client.meta.events.register("before-send.bedrock-runtime.*", catch)
    with pytest.raises(Caught):
        getattr(client, method)(
            modelId=model, messages=[{"role": "user", "content": [{"text": "a"}]}]
        )
    scheme, host, port, path = target(bedrock.CONVERSE, HOST, operation, model, stream=stream)
    assert (443, urls[0]) == (port, f"{scheme}://{host}{path}")


@pytest.mark.parametrize(
    ("written", "base_url"),
    [
        (HOST, HOST),
        (f"{HOST}/", HOST),
        (f"{HOST}/model/m/converse", HOST),
        ("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com",
         "https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com"),
        ("https://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com",
         "https://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com"),
        ("https://bedrock-runtime.cn-north-1.amazonaws.com.cn",
         "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"),
    ],
)  # fmt: skip
def test_a_base_url_is_a_host(written, base_url):
    """Of any partition, by FIPS or through an endpoint of a network."""
    assert base_url == normalise(bedrock.CONVERSE, written)
    assert base_url == normalise(bedrock.MESSAGES, written)


@pytest.mark.parametrize(
    "written",
    ["https://bedrock-mantle.us-east-1.api.aws", "https://bedrock-mantle.us-east-1.api.aws/v1",
     "https://bedrock-mantle.us-east-1.api.aws/anthropic"],
)  # fmt: skip
def test_mantle_has_its_shapes_beside_each_other(written):
    """The base of any of them will do."""
    base = normalise(bedrock.MANTLE, written)
    found = [target(bedrock.MANTLE, base, operation, "m")[3] for operation in bedrock.MANTLE.paths]
    assert ["/v1/chat/completions", "/v1/responses", "/anthropic/v1/messages"] == found
