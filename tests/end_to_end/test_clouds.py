"""Google Cloud and Azure without a key: identities are found, renewed, refused, and never shown."""

import asyncio
import json
import time
from pathlib import Path

import pytest
import structlog
from tests import aws_double

from end_to_end.clouds import before, entry
from entra_double import API_KEY, CLIENT, COGNITIVE, FOUNDRY, SECRET, TENANT, EntraDouble
from google_double import GoogleDouble
from trivium.upstream import tokens

ASKED = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
CHAT = {
    "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Ho"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
}  # fmt: skip
GENERATED = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "Ho"}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11},
}  # fmt: skip
CLAUDE = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x",
    "content": [{"type": "text", "text": "Ho"}], "stop_reason": "end_turn", "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 2},
}  # fmt: skip
EVENTS = "".join(
    f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
    for event in (
        {"type": "message_start", "message": {**CLAUDE, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Ho"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    )
).encode()  # fmt: skip


@pytest.fixture
def google():
    """A cloud whose models answer."""
    with GoogleDouble() as cloud:
        cloud.answers = {
            "generateContent": (200, GENERATED), "streamGenerateContent": (200, [GENERATED]),
            "countTokens": (200, {"totalTokens": 9}), "chat": (200, CHAT),
            "rawPredict": (200, CLAUDE), "streamRawPredict": (200, EVENTS),
        }  # fmt: skip
        yield cloud


@pytest.fixture
def azure(tmp_path):
    """Another."""
    with EntraDouble(tmp_path) as cloud:
        cloud.answers = {"/chat/completions": (200, CHAT), "/v1/messages": (200, CLAUDE)}
        yield cloud


@pytest.fixture
def amazon(monkeypatch):
    """And a third, whose STS is found by its variable."""
    with aws_double.running() as cloud:
        monkeypatch.setenv("AWS_ENDPOINT_URL_STS", cloud.url)
        yield cloud


def assuming(amazon):
    """A channel of a user that assumes a role."""
    key = {"key_id": "AKIDOPERATOR", "secret": "operator-secret/+key", "region": "us-east-1"}
    role = {"role_arn": aws_double.ROLE, "external_id": aws_double.EXTERNAL_ID}
    return entry(amazon.url, "bedrock", **key, **role)


def vertex(google, provider="vertex"):
    return entry(google.base_url(), provider, key=json.dumps(google.key_file()))


def application(azure, provider="azure", path="/openai/v1", **more):
    who = {"tenant_id": TENANT, "client_id": CLIENT, "client_secret": SECRET}
    return entry(azure.machine + path, provider, **who, authority=azure.authority, **more)


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_gemini_on_vertex(google, stream):
    """In its own shape, and for a caller of another."""
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    body = {"contents": [{"parts": [{"text": "Hi"}]}], "labels": {"team": "a"}}
    async with before(vertex(google), model="gemini-x") as gateway:
        status, headers, answer = await gateway.post(f"/v1beta/models/gemini-x:{method}", body)
        assert (200, b"spelling;n=1") == (status, headers[b"trivium-repaired"])
        assert b"Ho" in answer
        status, _, answer = await gateway.post(
            "/v1/chat/completions", {**ASKED, "model": "gemini-x", "stream": stream}
        )
    assert (200, True) == (status, b"Ho" in answer)
    (path, sent, who), (_, other, _) = google.models
    assert path.endswith(f"/publishers/google/models/gemini-x:{method.partition('?')[0]}")
    assert {**body, "contents": [{"role": "user", "parts": [{"text": "Hi"}]}]} == sent
    assert "user" == other["contents"][0]["role"]
    assert "gateway@acme-prod.iam.gserviceaccount.com" == who
    assert 1 == google.tokens_given


@pytest.mark.asyncio
async def test_counts_on_vertex(google):
    """A wrapped request is counted as it is, and one of another shape too."""
    async with before(vertex(google), model="gemini-x") as gateway:
        inner = {"model": "models/gemini-x", "contents": [{"parts": [{"text": "Hi"}]}]}
        status, _, answer = await gateway.post(
            "/v1beta/models/gemini-x:countTokens", {"generateContentRequest": inner}
        )
        assert (200, {"totalTokens": 9}) == (status, json.loads(answer))
        status, _, answer = await gateway.post(
            "/v1/messages/count_tokens", {**ASKED, "model": "gemini-x"}
        )
    assert (200, {"input_tokens": 9}) == (status, json.loads(answer))
    hi = {"role": "user", "parts": [{"text": "Hi"}]}
    assert [{"contents": [hi]}] * 2 == [body for _, body, _ in google.models]


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_claude_on_vertex(google, stream):
    """The model is in the path, the version in the body, betas in their header."""
    asked = {**ASKED, "model": "claude-x@20260101", "max_tokens": 9, "stream": stream}
    channel = vertex(google, "vertex-claude")
    async with before(channel, model="claude-x@20260101") as gateway:
        status, _, answer = await gateway.post("/v1/messages", asked, "anthropic-beta: a-1")
        assert (200, True) == (status, b"Ho" in answer), answer
        status, _, answer = await gateway.post("/v1/chat/completions", asked)
    assert (200, True) == (status, b"Ho" in answer), answer
    verb = "streamRawPredict" if stream else "rawPredict"
    for path, sent, _ in google.models:
        assert path.endswith(f"/publishers/anthropic/models/claude-x@20260101:{verb}")
        assert ("vertex-2023-10-16", False) == (sent["anthropic_version"], "model" in sent)


@pytest.mark.asyncio
async def test_models_of_others_on_vertex(google):
    """In the chat shape, under publisher and name."""
    channel = vertex(google, "vertex-open")
    async with before(channel, model="meta/llama-x-maas") as gateway:
        status, _, answer = await gateway.post(
            "/v1/chat/completions", {**ASKED, "model": "meta/llama-x-maas"}
        )
    assert (200, "Ho") == (status, json.loads(answer)["choices"][0]["message"]["content"])
    ((path, sent, _),) = google.models
    assert path.endswith("/locations/europe-west4/endpoints/openapi/chat/completions")
    assert "meta/llama-x-maas" == sent["model"]


@pytest.mark.asyncio
async def test_both_doors_of_azure(azure):
    """A token for Azure OpenAI's audience, in the place of a key."""
    for provider, path in (("azure", "/openai/v1"), ("azure-deployments", "/openai")):
        channel = application(azure, provider, path)
        async with before(channel, ca_file=azure.ca_file) as gateway:
            status, _, answer = await gateway.post("/v1/chat/completions", ASKED)
        assert (200, True) == (status, b"Ho" in answer), answer
    paths = [path for path, *_ in azure.models]
    assert ["/openai/v1/chat/completions", "/openai/deployments/m/chat/completions"] == paths
    for _, _, headers, _ in azure.models:
        names = {name.lower() for name in headers}
        assert ("api-key" in names, "authorization" in names) == (False, True)
    assert {COGNITIVE} == {audience for audience, *_ in azure.live.values()}


@pytest.mark.asyncio
async def test_a_key_is_sent_as_before(azure):
    """Whoever has one goes on with it."""
    channel = entry(azure.machine + "/openai/v1", "azure")
    channel = type(channel)(
        **{f: getattr(channel, f) for f in channel.__struct_fields__} | {"api_key": API_KEY}
    )
    async with before(channel) as gateway:
        status, *_ = await gateway.post("/v1/chat/completions", ASKED)
    headers = {name.lower(): value for name, value in azure.models[0][2].items()}
    assert (200, API_KEY, False) == (status, headers["api-key"], "authorization" in headers)


@pytest.mark.asyncio
async def test_claude_in_foundry(azure):
    """In the messages shape, with a token for Foundry's audience."""
    channel = application(azure, "azure-claude", "/anthropic")
    async with before(channel, ca_file=azure.ca_file) as gateway:
        status, _, answer = await gateway.post("/v1/messages", {**ASKED, "max_tokens": 9})
    assert (200, True) == (status, b"Ho" in answer), answer
    ((path, _, headers, sent),) = azure.models
    assert ("/anthropic/v1/messages", "m") == (path, sent["model"])
    assert "anthropic-version" in {name.lower() for name in headers}
    assert {FOUNDRY} == {audience for audience, *_ in azure.live.values()}


async def _asked_for(gateway, seconds, send):
    """The statuses of requests that are sent all the time."""
    until, seen = time.monotonic() + seconds, []
    while time.monotonic() < until:
        seen.append((await send(gateway))[0])
        await asyncio.sleep(0.05)
    return seen


@pytest.mark.asyncio
@pytest.mark.parametrize("cloud", ["google", "azure", "amazon"])
async def test_none_is_lost_while_tokens_end(cloud, request, monkeypatch):
    """Tokens live eight seconds; just before they are renewed, whoever gives them is away, for three
    and until somebody has asked in vain, which a vendor's library may take its time to tell; the
    vendor refuses all that ended. ``test_renewal.py`` does it to a fleet, for minutes, and for
    half a life."""
    monkeypatch.setattr("google.auth._exponential_backoff.time.sleep", lambda _: None)
    double, more = request.getfixturevalue(cloud), {}
    if cloud == "google":
        channel = vertex(double, "vertex-open")
    elif cloud == "azure":
        channel, more = application(double), {"ca_file": double.ca_file}
    else:
        channel = assuming(double)
    double.life_s = 8.999 if cloud == "amazon" else 8  # whose ends are told in whole seconds

    def given():
        return double.asked.count("sts AssumeRole") if cloud == "amazon" else double.tokens_given

    def away(is_away):
        if cloud == "amazon":
            double.is_shut = is_away
        else:
            double.fails = 503 if is_away else 0

    async with before(channel, **more) as gateway:

        def send(gateway):
            return gateway.post("/v1/chat/completions", ASKED)

        assert 200 == (await send(gateway))[0]
        statuses = await _asked_for(gateway, 8 * tokens.RENEW_FROM - 0.4, send)
        away(True)
        until = time.monotonic() + 5.0  # the first token is still good
        statuses += await _asked_for(gateway, 3.0, send)
        (standing,) = gateway.services.client.identities()
        while not standing.failures and time.monotonic() < until:
            statuses += await _asked_for(gateway, 0.1, send)
            (standing,) = gateway.services.client.identities()
        assert standing.failures > 0
        away(False)
        statuses += await _asked_for(gateway, 3.5, send)
        (standing,) = gateway.services.client.identities()
    assert {200} == set(statuses), statuses
    assert given() >= 2
    assert 0 < standing.life_s <= 9


@pytest.mark.asyncio
async def test_a_token_that_is_revoked_is_replaced(google):
    """As a vendor does that is told of a leak: whoever asks next notices nothing."""
    async with before(vertex(google, "vertex-open")) as gateway:
        assert 200 == (await gateway.post("/v1/chat/completions", ASKED))[0]
        google.revoke()
        assert 200 == (await gateway.post("/v1/chat/completions", ASKED))[0]
    assert 2 == google.tokens_given


@pytest.mark.asyncio
async def test_a_role_that_is_missing_is_asked_about_once(azure):
    """Another token would not have it."""
    azure.lacks_role = True
    async with before(application(azure), ca_file=azure.ca_file) as gateway:
        status, _, answer = await gateway.post("/v1/chat/completions", ASKED)
    assert (502, 1) == (status, azure.tokens_given), answer
    assert b"data action" not in answer


@pytest.mark.asyncio
@pytest.mark.parametrize("cloud", ["google", "azure"])
async def test_nothing_secret_is_told(cloud, request, monkeypatch):
    """Not in answers, not in logs, not in records, not in how an identity stands: not when it is
    found, not when it is refused, not when a service prints what it was sent."""
    double = request.getfixturevalue(cloud)
    monkeypatch.setattr("google.auth._exponential_backoff.time.sleep", lambda _: None)
    sent = []
    plain = double.answer

    def printing(method, target, headers, data):
        status, document = plain(method, target, headers, data)
        if "/token" in target and double.prints:
            text = data.decode()
            sent.append(text)
            return 400, {"error": "invalid_client", "error_description": f"no: {text} {headers}"}
        if "/chat/" in target:
            sent.append(headers["authorization"])
        return status, document

    double.prints = False
    double.answer = printing
    if cloud == "google":
        channel, more = vertex(double, "vertex-open"), {}
        secrets = [double.key_file()["private_key"][60:100]]
    else:
        channel, more = application(double), {"ca_file": double.ca_file}
        secrets = [SECRET]
    told = []
    with structlog.testing.capture_logs() as logs:
        async with before(channel, **more) as gateway:
            for prints in (False, True):
                double.prints = prints
                double.revoke()
                gateway.services.client._credentials()._tokens.close()
                for _ in range(2):
                    told.append(await gateway.post("/v1/chat/completions", ASKED))
                told.append(gateway.services.client.identities())
            told.append(gateway.records)
    text = repr((told, logs))
    statuses = [one[0] for one in told if isinstance(one, tuple)]
    assert ([200, 200, 502], True) == (statuses[:3], statuses[3] in (502, 503))
    assert "no: " in text
    secrets += [word for one in sent for word in one.replace("&", "=").split("=") if len(word) > 40]
    secrets += [one.partition(" ")[2] for one in sent if one.startswith("Bearer ")]
    assert len(secrets) >= 3
    for secret in secrets:
        assert secret not in text


FILTERED = {
    "error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        "type": None, "param": "prompt", "code": "content_filter", "status": 400,
        "innererror": {
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"violence": {"filtered": True, "severity": "medium"}},
        },
    }
}  # fmt: skip
SAFE = {"hate": {"filtered": False, "severity": "safe"}}


@pytest.mark.asyncio
async def test_what_azures_filter_says_is_carried(azure):
    """In whole answers and in streams, which begin with a chunk that has no choices."""
    found = [{"prompt_index": 0, "content_filter_results": SAFE}]
    choice = {**CHAT["choices"][0], "content_filter_results": SAFE}
    whole = {**CHAT, "prompt_filter_results": found, "choices": [choice]}
    stream = (Path(__file__).parents[1] / "fixtures/chat/azure.sse").read_bytes()
    azure.answers = {
        "/chat/completions": lambda body: (200, stream if body.get("stream") else whole)
    }
    async with before(application(azure), ca_file=azure.ca_file) as gateway:
        _, _, answer = await gateway.post("/v1/chat/completions", ASKED)
        assert whole == json.loads(answer)
        _, _, answer = await gateway.post("/v1/chat/completions", {**ASKED, "stream": True})
        assert b"prompt_filter_results" in answer
        assert (answer.count(b'"choices":[]'), answer.endswith(b"data: [DONE]\n\n")) == (
            stream.count(b'"choices":[]'), True,
        )  # fmt: skip
        status, _, answer = await gateway.post(
            "/v1/messages", {**ASKED, "max_tokens": 9, "stream": True}
        )
    assert (200, True) == (status, b"message_stop" in answer), answer


@pytest.mark.asyncio
async def test_a_prompt_that_azure_filters_is_the_callers(azure):
    """A 400 of its own kind in each shape, with nothing of the vendor's addresses."""
    azure.answers = {"/chat/completions": (400, FILTERED)}
    async with before(application(azure), ca_file=azure.ca_file) as gateway:
        status, _, answer = await gateway.post("/v1/chat/completions", ASKED)
        error = json.loads(answer)["error"]
        assert (400, "content_policy_violation", "prompt") == (
            status, error["code"], error["param"],
        ), error  # fmt: skip
        status, _, answer = await gateway.post("/v1/messages", {**ASKED, "max_tokens": 9})
    assert (400, "invalid_request_error") == (status, json.loads(answer)["error"]["type"])


@pytest.mark.asyncio
async def test_vectors_on_vertex(google):
    """By predict, for callers of both shapes; what it counted is what is billed."""

    def predicted(_, body):
        vector = {"values": [0.5, 1.0], "statistics": {"token_count": 2, "truncated": False}}
        return 200, {"predictions": [{"embeddings": vector}] * len(body["instances"])}

    google.answers["predict"] = predicted
    async with before(vertex(google), model="text-embedding-x") as gateway:
        asked = {"model": "text-embedding-x", "input": ["a", "b"]}
        status, _, answer = await gateway.post("/v1/embeddings", asked)
        assert (200, 4) == (status, json.loads(answer)["usage"]["prompt_tokens"]), answer
        status, headers, answer = await gateway.post(
            "/v1beta/models/text-embedding-x:embedContent",
            {"content": {"parts": [{"text": "a"}]}, "taskType": "RETRIEVAL_QUERY", "x": 1},
        )
    assert (200, [0.5, 1.0]) == (status, json.loads(answer)["embedding"]["values"]), answer
    assert (True, False) == (
        b"x" in headers[b"trivium-dropped"], b"taskType" in headers[b"trivium-dropped"],
    )  # fmt: skip
    (path, sent, _), (_, other, _) = google.models
    assert path.endswith("/publishers/google/models/text-embedding-x:predict")
    assert [{"content": "a"}, {"content": "b"}] == sent["instances"]
    assert [{"content": "a", "task_type": "RETRIEVAL_QUERY"}] == other["instances"]
