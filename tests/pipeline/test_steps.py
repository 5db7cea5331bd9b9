"""What is read, refused and looked up before a request is called for, in its order."""

from types import SimpleNamespace

import msgspec
import pytest

from gateway import VENDOR_KEY, Gateway, encoded, error_of
from scripted_upstream import Double, Send, sized
from trivium.pipeline.steps import NOTED, STEPS, STEPS_OF, foresee, hold, planned
from trivium.wire.operation import TOKEN_COUNTS, Operation
from trivium.wire.passage import RequestFacts
from trivium.wire.references import ANYTHING

CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
ANSWER = b'{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Ho"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":4}},"x_unknown":[1,2]}'
OK = [Send(sized(ANSWER, headers=JSON))]


REFUSED = {
    "no model": ({"messages": []}, 400, "model"),
    "no messages": ({"model": "m"}, 400, "messages"),
    "model of a wrong type": ({"model": 5, "messages": []}, 400, "model"),
    "unknown model": (HELLO | {"model": "nope"}, 404, "model"),
    "stream of a wrong type": (HELLO | {"stream": "yes"}, 400, "stream"),
    "not an object": ([1], 400, None),
    "not JSON": (b'{"model":', 400, None),
    "empty": (b"", 400, None),
    "model twice": (b'{"model":"m","model":"x","messages":[]}', 400, "model"),
    "model twice, once escaped": (b'{"model":"m","mod\\u0065l":"x","messages":[]}', 400, "model"),
    "nested too deeply": (b'{"model":"m","messages":' + b"[" * 100_000, 400, None),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", REFUSED)
async def test_a_bad_request_is_refused_by_name_before_anything_is_called(name):
    """The error names the member; no vendor hears of it; it is on record."""
    body, expected, param = REFUSED[name]
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, _, answer = await gateway.post(CHAT, body)
        assert (expected, param) == (status, error_of(answer)["param"])
        assert [] == vendor.requests
        assert expected == gateway.records[0].status


@pytest.mark.asyncio
async def test_a_key_may_be_limited_to_models():
    """403 for a model that exists, and none for the one that is allowed."""
    async with (
        Double([OK]) as vendor,
        Gateway.to(("openai", vendor), models=frozenset({"other"})) as gateway,
    ):
        status, _, body = await gateway.post(CHAT, HELLO)
        assert (403, "model_not_allowed") == (status, error_of(body)["code"])
        assert {"object": "list", "data": []} == msgspec.json.decode(
            (await gateway.get("/v1/models"))[2]
        )


@pytest.mark.asyncio
async def test_an_operation_the_model_does_not_serve_says_what_it_serves():
    """A chat-only channel asked in the messages shape."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, _, body = await gateway.post(
            "/v1/messages", {"model": "m", "max_tokens": 5, "messages": []}
        )
        assert 400 == status
        assert "m" in error_of(body)["message"]


@pytest.mark.asyncio
async def test_an_unknown_version_is_refused_here():
    """The accepted ones are named."""
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, _, body = await gateway.post(
            "/v1/messages", {"model": "m", "max_tokens": 5, "messages": []},
            "anthropic-version: 1999-01-01",
        )  # fmt: skip
        assert (400, "anthropic-version") == (status, error_of(body)["param"])
        assert "2026-10-21" in error_of(body)["message"]


GENERATE = {
    "path of its own": "/vendorc/v1beta/models/m:generateContent",
    "alias": "/gemini/v1beta/models/m:generateContent",
    "no prefix": "/v1beta/models/m:generateContent",
    "version 1": "/vendorc/v1/models/m:generateContent",
    "bare version 1": "/v1/models/m:generateContent",
    "alpha": "/v1alpha/models/m:generateContent",
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", GENERATE)
async def test_generate_content_is_served_under_each_of_its_addresses(name):
    """The vendor is always asked under its own."""
    answer = b'{"candidates":[{"content":{"parts":[{"text":"Ho"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":1,"thoughtsTokenCount":6,"totalTokenCount":11}}'
    body = {"contents": [{"parts": [{"text": "Hi"}]}]}
    async with (
        Double([[Send(sized(answer, headers=JSON))]]) as vendor,
        Gateway.to(("gemini", vendor), upstream_model="g-1") as gateway,
    ):
        raw = gateway.head(f"{GENERATE[name]}?key={gateway.key}", encoded(body), key=False)
        assert (200, answer) == (await gateway.send(raw))[::2]
        assert b"POST /v1beta/models/g-1:generateContent HTTP/1.1" == vendor.requests[0].line
        assert VENDOR_KEY.encode() == dict(vendor.requests[0].headers)[b"x-goog-api-key"]
        usage = gateway.records[0].usage
        assert (4, 1, 6) == (usage.fresh, usage.output, usage.reasoning)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "members", [{"user": "u-1"}, {"safety_identifier": "u-1"}, {"metadata": {"user_id": "u-1"}}]
)
async def test_a_record_names_the_end_user_that_the_request_names(members):
    """For whoever reads the records; the vendor is told as before."""
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]} | members
    answer = sized(
        b'{"object":"chat.completion","choices":[]}', headers=b"Content-Type: application/json\r\n"
    )
    async with Double([[Send(answer)]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        assert 200 == (await gateway.post("/v1/chat/completions", body))[0]
        (record,) = gateway.records
        asked = msgspec.json.decode(vendor.requests[0].body)
    assert "u-1" == record.end_user
    assert members.items() <= asked.items()


REFERRING = b'{"contents":[{"parts":[{"fileData":{"fileUri":"https://example.com/v"}}]}]}'


@pytest.mark.parametrize(
    ("unlimited", "budgets", "referred"),
    [(False, (), ANYTHING), (True, (), 0), (True, ("budget",), ANYTHING)],
)
def test_a_bound_is_set_where_anything_limits_what_is_spent(unlimited, budgets, referred):
    """And kept for whatever is quoted later."""
    caller = SimpleNamespace(unlimited=unlimited, has_budgets=bool(budgets))
    facts = RequestFacts(model="m")
    exchange = SimpleNamespace(caller=caller)
    context = SimpleNamespace(
        exchange=exchange, operation=Operation.GENERATE, body=REFERRING, facts=facts
    )
    assert referred == foresee(context, facts).referred == context.facts.referred


@pytest.mark.parametrize("operation", Operation)
def test_every_operation_has_its_steps_in_the_one_order(operation):
    """Nothing is taken twice or before its turn, and what is held is noted by its own step."""
    own = STEPS_OF[operation]
    assert list(own) == [step for step in STEPS if step in own]
    assert (operation in TOKEN_COUNTS) == (hold not in own) == (NOTED[operation] == 0)
    assert operation in TOKEN_COUNTS or own[NOTED[operation] - 1] is hold


@pytest.mark.asyncio
async def test_a_model_that_stands_in_is_planned_without_a_race():
    """Attempts of the first model alone may run at once, whatever the other sets."""
    found = SimpleNamespace(steps=(), skipped=())
    health = SimpleNamespace(fit=lambda plan: plan, resting=True)
    services = SimpleNamespace(router=SimpleNamespace(plan=lambda *_: found), health=health)
    context = SimpleNamespace(
        model=SimpleNamespace(hedge_s=0.1, fallbacks=()), members={}, facts=object(), race=None,
        plan=None, plan_fault=None, services=services, operation=Operation.CHAT, cache_key=b"",
        recollection=None, preferences=None, size_bytes=2, body=b"{}", plain=False, stood_in=True,
    )  # fmt: skip
    assert found is await planned(context)
    assert context.race is None
