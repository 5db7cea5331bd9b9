"""What programs see of trouble through each SDK: class, words, request id, and how often it asks.

The SDKs' own rules decide who asks again: OpenAI's and Anthropic's twice more after 408, 409, 429
and 5xx unless `x-should-retry` says no; Google's never.
"""

import asyncio

import anthropic
import openai
import pytest

from end_to_end.sdk.clients import anthropic_at, genai, google_at, openai_at
from end_to_end.sdk.house import BODY_MAX, VENDOR_KEY
from waiting import quickest

TURN = [{"role": "user", "content": "x"}]


def chat(client, model, text="x", **more):
    turn = [{"role": "user", "content": text}]
    return client.chat.completions.create(model=f"gpt-{model}", messages=turn, **more)


def responses(client, model, text="x", **more):
    return client.responses.create(model=f"gpt-{model}", input=text, **more)


def completions(client, model, text="x", **more):
    return client.completions.create(model=f"gpt-{model}", prompt=text, **more)


def embeddings(client, model, text="x", **more):
    return client.embeddings.create(model=f"gpt-{model}", input=text, **more)


def messages(client, model, text="x", **more):
    turn = [{"role": "user", "content": text}]
    return client.messages.create(model=f"claude-{model}", max_tokens=9, messages=turn, **more)


def generate(client, model, text="x", stream=False):
    if stream:
        return client.models.generate_content_stream(model=f"gemini-{model}", contents=text)
    return client.models.generate_content(model=f"gemini-{model}", contents=text)


CALLS = {
    "openai": [chat, responses, completions],
    "anthropic": [messages],
    "genai": [generate],
}
ALL = [(sdk, call) for sdk, calls in CALLS.items() for call in calls]
FIRST = [(sdk, calls[0]) for sdk, calls in CALLS.items()]
MAKE = {
    "openai": lambda gateway, *rest: openai_at(f"{gateway.origin}/v1", *rest),
    "anthropic": lambda gateway, *rest: anthropic_at(gateway.origin, *rest),
    "genai": lambda gateway, *rest: google_at(f"{gateway.origin}/vendorc", *rest),
}
CLASSES = {
    400: (openai.BadRequestError, anthropic.BadRequestError, genai.errors.ClientError),
    401: (openai.AuthenticationError, anthropic.AuthenticationError, genai.errors.ClientError),
    403: (openai.PermissionDeniedError, anthropic.PermissionDeniedError, genai.errors.ClientError),
    404: (openai.NotFoundError, anthropic.NotFoundError, genai.errors.ClientError),
    413: (openai.APIStatusError, anthropic.APIStatusError, genai.errors.ClientError),
    429: (openai.RateLimitError, anthropic.RateLimitError, genai.errors.ClientError),
    502: (openai.InternalServerError, anthropic.InternalServerError, genai.errors.ServerError),
}
GOOGLE = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    502: "UNAVAILABLE",
}


def refused(sdk, client, call, *args, status, **more):
    """Call and be refused with that status; the message a program shows."""
    expected = CLASSES[status][list(CALLS).index(sdk)]
    with pytest.raises(expected) as caught:
        for _ in call(client, *args, **more):
            pass
    error = caught.value
    if sdk == "genai":
        assert (status, GOOGLE[status]) == (error.code, error.status)
        assert error.response.headers["x-request-id"].startswith("req_")
        return error, error.message
    assert status == error.status_code
    assert error.request_id.startswith("req_")
    if sdk == "anthropic":
        assert error.body["request_id"] == error.request_id
        return error, error.api_message
    return error, error.body["message"]


@pytest.fixture
def client(request, gateway, key, wire):
    """The client of the test's SDK."""
    sdk = request.node.callspec.params["sdk"]
    with MAKE[sdk](gateway, key, wire) as made:
        yield made


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("sdk", "call"), ALL)
def test_a_model_that_is_not_there(client, wire, sdk, call, stream):
    """404, once, and it says which."""
    error, said = refused(sdk, client, call, "nowhere", status=404, stream=stream)
    prefix = {"openai": "gpt", "anthropic": "claude", "genai": "gemini"}[sdk]
    assert said.startswith(
        f"The model `{prefix}-nowhere` is not available on this gateway. GET /v1/"
    )
    assert 1 == len(wire.sent)
    if sdk == "openai":
        assert ("model_not_found", "model", "not_found_error") == (
            error.code,
            error.param,
            error.type,
        )
    if sdk == "anthropic":
        assert "not_found_error" == error.type


@pytest.mark.parametrize("wrong", ["sk-gateway-wrong", "sk-proj-0123456789abcdefghij"])
@pytest.mark.parametrize(("sdk", "call"), FIRST)
def test_a_key_that_is_none(gateway, wire, sdk, call, wrong):
    """401, once, without showing the key."""
    with MAKE[sdk](gateway, wrong, wire) as client:
        _, said = refused(sdk, client, call, "text", status=401)
    assert "key" in said
    assert wrong not in said
    assert 1 == len(wire.sent)


@pytest.fixture(scope="module")
def narrow(gateway):
    """A key for three models."""
    return gateway.key("gpt-text", "claude-text", "gemini-text")


@pytest.mark.parametrize(("sdk", "call"), ALL)
def test_a_model_the_key_may_not_use(gateway, wire, narrow, sdk, call):
    """403, once; the allowed one answers."""
    with MAKE[sdk](gateway, narrow, wire) as client:
        assert call(client, "text")
        _, said = refused(sdk, client, call, "busy", status=403)
    assert "may not use the model" in said
    assert 2 == len(wire.sent)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("sdk", "call"), ALL)
def test_a_vendor_that_is_busy(client, wire, sdk, call, stream):
    """429 with its delay, which the SDKs keep before they ask again."""
    error, said = refused(sdk, client, call, "busy", status=429, stream=stream)
    assert "Please try again in 1s." in said
    assert (1 if sdk == "genai" else 3) == len(wire.sent)
    assert ("1", "20") == (
        error.response.headers["retry-after"],
        error.response.headers["retry-after-ms"],
    )


@pytest.mark.parametrize(("sdk", "call"), FIRST)
def test_a_vendor_that_is_busy_for_long(client, wire, sdk, call):
    """Nobody is left waiting for minutes: one request, and the program decides."""
    error, _ = refused(sdk, client, call, "busy-long", status=429)
    assert "false" == error.response.headers["x-should-retry"]
    assert 1 == len(wire.sent)


@pytest.mark.parametrize(
    ("sdk", "call", "scene"),
    [
        ("openai", chat, "broke"),
        ("openai", chat, "denied"),
        ("anthropic", messages, "denied"),
        ("genai", generate, "denied"),
    ],
)
def test_trouble_with_our_account_is_not_the_callers(client, wire, sdk, call, scene):
    """Neither its 401 nor its 429; asking again would not help; the vendor's words stay here."""
    _, said = refused(sdk, client, call, scene, status=502)
    assert "The upstream did not accept the gateway's account." == said
    assert 1 == len(wire.sent)


@pytest.mark.parametrize(("sdk", "call"), ALL)
def test_a_vendor_that_is_broken(client, wire, sdk, call):
    """5xx: the SDKs ask again."""
    _, said = refused(sdk, client, call, "broken", status=502)
    assert "The upstream failed to answer this request." == said
    assert (1 if sdk == "genai" else 3) == len(wire.sent)


def test_a_vendor_that_is_away(openai, wire):
    """Nobody listens there; the address is not told."""
    error, said = refused("openai", openai, chat, "away", status=502)
    assert "127.0.0.1" not in str(error.body)
    assert "upstream" in said
    assert 3 == len(wire.sent)


@pytest.mark.parametrize(("sdk", "call"), ALL)
def test_a_request_the_vendor_rejects(client, wire, sdk, call):
    """400, once, in the vendor's words; the member where the vendor names it."""
    error, said = refused(sdk, client, call, "refused", status=400)
    assert "Invalid 'temperature': must be at most 2." == said
    assert 1 == len(wire.sent)
    if sdk == "openai":
        assert ("temperature", "invalid_value") == (error.param, error.code)


@pytest.mark.parametrize(("sdk", "call"), [("openai", chat), ("anthropic", messages)])
def test_a_request_we_reject(client, wire, sdk, call):
    """400 before any vendor is asked, with the member's path."""
    error, said = refused(sdk, client, call, "text", status=400, extra_body={"stream": "yes"})
    assert "stream" in said
    assert "stream" == error.body.get("param", error.body.get("error", {}).get("param"))
    assert 1 == len(wire.sent)


@pytest.mark.parametrize("size", [BODY_MAX + 1, 8 * BODY_MAX])
@pytest.mark.parametrize(("sdk", "call"), FIRST)
def test_a_request_that_is_too_large(client, wire, sdk, call, size):
    """413 even to an SDK that is still sending, once, with the limit."""
    error, said = refused(sdk, client, call, "text", "x" * size, status=413)
    assert str(BODY_MAX) in said.replace(",", "")
    assert 1 == len(wire.sent)
    if sdk == "anthropic":
        assert isinstance(error, anthropic.RequestTooLargeError)


@pytest.mark.parametrize(
    ("call", "scene", "code"),
    [
        (chat, "error", "upstream_error"),
        (chat, "cut", "upstream_error"),
        (completions, "cut", "upstream_error"),
        (responses, "error", "service_unavailable"),
        (responses, "error-flat", "upstream_error"),
        (responses, "failed", "upstream_error"),
        (responses, "cut", "upstream_error"),
    ],
)
def test_an_answer_that_breaks_openai(openai, wire, call, scene, code):
    """What had come is delivered, then the SDK raises, once, with the reason."""
    from openai import APIError

    got = []
    with pytest.raises(APIError) as caught, call(openai, scene, stream=True) as stream:
        got += stream
    assert got
    assert "upstream" in caught.value.message
    assert code == caught.value.code
    assert 1 == len(wire.sent)


@pytest.mark.parametrize("scene", ["error-after", "cut"])
def test_an_answer_that_breaks_anthropic(anthropic, wire, scene):
    """A status error of a kind that programs can read."""
    from anthropic import APIStatusError

    got = []
    with pytest.raises(APIStatusError) as caught, messages(anthropic, scene, stream=True) as stream:
        got += stream
    assert got
    assert caught.value.type in ("api_error", "overloaded_error")
    assert "upstream" in caught.value.api_message
    assert caught.value.request_id == caught.value.body["request_id"]
    assert 1 == len(wire.sent)


@pytest.mark.parametrize("scene", ["error", "cut"])
def test_an_answer_that_breaks_google(genai, wire, scene):
    """An error in the middle is no end of the text."""
    from google.genai.errors import APIError

    got = []
    with pytest.raises(APIError) as caught:
        got += (chunk.text for chunk in generate(genai, scene, stream=True))
    assert "upstream" in caught.value.message
    assert caught.value.code in (502, 503)
    assert 1 == len(wire.sent)


@pytest.mark.parametrize(
    ("sdk", "call", "status"), [("anthropic", messages, 529), ("genai", generate, 429)]
)
def test_an_error_as_the_first_event_is_a_status(client, sdk, call, status):
    """The vendor had said 200; nothing had been passed on yet."""
    with pytest.raises((anthropic.APIStatusError, genai.errors.APIError)) as caught:
        for _ in call(client, "error-first", stream=True):
            pass
    assert status == caught.value.response.status_code


def test_nothing_of_the_vendor_is_ever_told(gateway, vendor, key, wire):
    """Neither its key nor its port in any error a program can print."""
    told = []
    with openai_at(f"{gateway.origin}/v1", key, wire, max_retries=0) as client:
        for scene in ("busy", "broke", "broken", "denied", "refused", "away"):
            with pytest.raises(openai.APIStatusError) as caught:
                chat(client, scene)
            told.append(f"{caught.value!s} {caught.value.body} {caught.value.response.headers}")
    assert [] == [text for text in told if VENDOR_KEY in text or str(vendor.port) in text]


def test_a_delay_is_kept(openai, wire):
    """Two waits of 20 ms, not of the SDK's own half a second and more."""

    async def busy():
        refused("openai", openai, chat, "busy", status=429)

    asyncio.run(quickest(0.5, busy, tries=3))
