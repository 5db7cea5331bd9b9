"""The clouds' own clients against every upstream shape, behind a vendor that checks what it gets."""

import contextlib
import itertools

import anthropic as anthropic_sdk
import openai as openai_sdk
import pytest
from botocore.exceptions import ClientError, EventStreamError
from google.genai import errors as genai_errors

from end_to_end.features.asking import SHAPES
from end_to_end.features.telling import TEXT
from end_to_end.sdk.cloud_clients import CALLERS, clients_at
from end_to_end.sdk.heard import Town
from end_to_end.sdk.house import VENDOR_KEY
from end_to_end.sdk.pairs import CALLED, RESULTS, TOWN, Strict, settings
from end_to_end.sdk.served import served

PAIRS = pytest.mark.parametrize(("caller", "upstream"), list(itertools.product(CALLERS, SHAPES)))
HOSTED = """
[[channels]]
name = "hosted"
provider = "vertex-claude"
api_key = "{key}"
base_url = "{origin}/v1/projects/acme-prod/locations/us-east5"
"""
HOSTED_MODEL = """
[[models]]
name = "{scene}-hosted"
free = true
context_max = 128000
[[models.bindings]]
channel = "hosted"
model = "{scene}-messages"
"""
STREAMED = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
AMAZON = {"bedrock": {502: 500}, "boto": {502: 500}}
"""Statuses that Amazon's exceptions have: what a vendor broke is an InternalServerException."""
BROKEN = (
    openai_sdk.APIError,
    anthropic_sdk.APIError,
    genai_errors.APIError,
    ClientError,
    EventStreamError,
)


@pytest.fixture(scope="module")
def strict():
    """The vendor."""
    with Strict() as double:
        yield double


@pytest.fixture(scope="module")
def gateway(strict, tmp_path_factory):
    """`trivium serve` in front of it."""
    hosted = HOSTED.format(origin=strict.origin, key=VENDOR_KEY)
    models = "".join(HOSTED_MODEL.format(scene=scene) for scene in ("text", "calls", "broken"))
    told = settings(strict) + "\n" + hosted + models
    with served(tmp_path_factory.mktemp("clouds"), told) as running:
        yield running


@pytest.fixture(scope="module")
def clients(gateway, tmp_path_factory):
    """The SDKs, which do not try again."""
    with contextlib.ExitStack() as stack:
        yield clients_at(gateway.origin, gateway.key(), stack, tmp_path_factory.mktemp("tls"))


@pytest.fixture
def caller_of(clients):
    """A fresh conversation of one SDK."""
    return lambda name: CALLERS[name](clients[name])


@PAIRS
@STREAMED
def test_a_text(caller_of, caller, upstream, stream):
    """Words, end and counts."""
    sdk = caller_of(caller)
    heard = sdk.ask(f"text-{upstream}", stream=stream)
    assert (TEXT, sdk.STOP, (20, 7)) == (heard.text, heard.end, heard.tokens)


@PAIRS
@STREAMED
def test_a_loop_of_tools(caller_of, strict, caller, upstream, stream):
    """Two parallel calls and one without arguments; all results go back, and a text ends it."""
    sdk = caller_of(caller)
    heard = sdk.ask(f"calls-{upstream}", stream=stream, tools=True)
    assert ("Let me see.", CALLED, sdk.CALLED) == (heard.text, heard.calls, heard.end)
    sdk.answer(RESULTS)
    heard = sdk.ask(f"calls-{upstream}", stream=stream, tools=True)
    assert (TEXT, [], sdk.STOP) == (heard.text, heard.calls, heard.end)
    assert upstream == strict.last.shape


@PAIRS
@STREAMED
def test_the_limit_of_length(caller_of, caller, upstream, stream):
    """A cut answer never looks complete."""
    sdk = caller_of(caller)
    heard = sdk.ask(f"length-{upstream}", stream=stream)
    assert (TEXT, sdk.LENGTH) == (heard.text, heard.end)


@pytest.mark.parametrize("upstream", SHAPES)
@pytest.mark.parametrize("caller", [name for name in CALLERS if name != "boto"])
def test_structured_output(caller_of, caller, upstream):
    """The SDK's own helper sends a schema and reads the class back."""
    assert Town.model_validate_json(TOWN) == caller_of(caller).parse(f"town-{upstream}")


def _status(error):
    if isinstance(error, ClientError):
        return error.response["ResponseMetadata"]["HTTPStatusCode"]
    return getattr(error, "status_code", None) or error.code


@PAIRS
@STREAMED
@pytest.mark.parametrize(
    ("scene", "status"), [("bad", 400), ("busy", 429), ("broke", 502), ("over", 503)]
)
def test_a_refusal_of_the_vendor(caller_of, caller, upstream, stream, scene, status):
    """The SDK's error class for it, never a broken answer."""
    if caller in AMAZON:
        status = AMAZON[caller].get(status, status)
    elif (caller, status) == ("vertex", 503):
        status = 529  # the shape's own word for an overload
    with pytest.raises(BROKEN) as caught:
        caller_of(caller).ask(f"{scene}-{upstream}", stream=stream)
    assert status == _status(caught.value)


@PAIRS
def test_an_error_inside_the_stream(caller_of, caller, upstream):
    """The SDK raises: words that were said are not an answer."""
    with pytest.raises(BROKEN) as caught:
        caller_of(caller).ask(f"broken-{upstream}", stream=True)
    assert "RULES" not in str(caught.value)


@pytest.mark.parametrize("caller", CALLERS)
@STREAMED
def test_claude_where_vertex_has_it(caller_of, strict, caller, stream):
    """Behind a vendor that refuses a model in the body; from its own client the body passes."""
    sdk = caller_of(caller)
    heard = sdk.ask("calls-hosted", stream=stream, tools=True)
    assert ("Let me see.", CALLED, sdk.CALLED) == (heard.text, heard.calls, heard.end)
    sdk.answer(RESULTS)
    heard = sdk.ask("calls-hosted", stream=stream, tools=True)
    assert (TEXT, [], sdk.STOP) == (heard.text, heard.calls, heard.end)
    method = "streamRawPredict" if stream else "rawPredict"
    assert strict.last.path.endswith(f"/publishers/anthropic/models/calls-messages:{method}")
