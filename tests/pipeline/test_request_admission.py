"""Admission over real sockets: every route, every key form, every dialect."""

import asyncio
from ipaddress import ip_network

import msgspec
import pytest

from gateway import Gateway, encoded, error_of
from scripted_upstream import Double, Reset, Send, Until, sized
from trivium.admission.meter import Subject
from trivium.admission.service import Admission
from trivium.edge.routes import RELAY
from trivium.faults import Kind
from trivium.ledger.refusals import overspent
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits
from trivium.wire.generate.path import METHODS

JSON = b"Content-Type: application/json\r\n"
SAID = msgspec.json.encode(
    {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Hi."},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 300, "completion_tokens": 200, "total_tokens": 500},
    }
)
CHAT = {"model": "m", "messages": [{"role": "user", "content": "Hello."}]}
TURN = [{"role": "user", "parts": [{"text": "Hello."}]}]
BODIES = {
    b"/v1/chat/completions": CHAT,
    b"/v1/responses": {"model": "m", "input": "Hello."},
    b"/v1/responses/input_tokens": {"model": "m", "input": "Hello."},
    b"/v1/completions": {"model": "m", "prompt": "Hello."},
    b"/v1/embeddings": {"model": "m", "input": "Hello."},
    b"/v1/moderations": {"model": "m", "input": "Hello."},
    b"/v1/rerank": {"model": "m", "query": "Hi", "documents": ["Hello."]},
    b"/v2/rerank": {"model": "m", "query": "Hi", "documents": ["Hello."]},
    b"/v2/chat": CHAT,
    b"/v2/embed": {"model": "m", "texts": ["Hello."], "input_type": "classification"},
    b"/v1/images/generations": {"model": "m", "prompt": "A cat."},
    b"/v1/audio/speech": {"model": "m", "input": "Hello.", "voice": "alloy"},
    b"/v1/messages": CHAT | {"max_tokens": 5},
    b"/v1/messages/count_tokens": CHAT,
}
GENERATE = {
    "generateContent": {"contents": TURN},
    "streamGenerateContent": {"contents": TURN},
    "countTokens": {"contents": TURN},
    "embedContent": {"content": TURN[0]},
    "batchEmbedContents": {"requests": [{"model": "models/m", "content": TURN[0]}]},
}
FORM = b'--xyz\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n'
SOUND = FORM % (b"model", b"m") + FORM % (b'file"; filename="a.wav', b"RIFF") + b"--xyz--\r\n"
PICTURE = FORM % (b"model", b"m") + FORM % (b'image"; filename="a.png', b"PNG") + b"--xyz--\r\n"
UPLOADS = {"/v1/audio/transcriptions", "/v1/audio/translations", "/v1/images/variations"}
BODIES |= {
    b"/v1/images/edits": {"model": "m", "prompt": "x", "images": [{"file_id": "f"}]},
    b"/v1/images/variations": PICTURE,
}
ROUTES = [(path.decode(), BODIES.get(path, SOUND)) for path in RELAY] + [
    (f"{prefix}/v1beta/models/m:{method}", GENERATE[method])
    for prefix in ("", "/vendorc", "/gemini")
    for method in METHODS
]
FORMS = ["authorization: Bearer {}", "x-api-key: {}", "x-goog-api-key: {}", "?key={}"]


def answers():
    return [[Send(sized(SAID, headers=JSON))]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("path", "body"), ROUTES, ids=[path for path, _ in ROUTES])
@pytest.mark.asyncio
async def test_every_route_and_key_form_meets_the_choke_point(path, body, form, clock):
    """No way round: nothing is asked upstream unless admission lets it in."""
    full = Admission(clock)
    async with Double(answers()) as vendor:
        limits = RateLimits(requests=1)
        async with Gateway.to(("openai", vendor), who={"limits": limits}, admission=full) as at:
            meter = full._meter(Subject.KEY, 7, limits)
            meter.fits(int(clock.now() // 60), clock.now() % 60, 0)
            meter.take(0)
            header = [] if form.startswith("?") else [form.format(at.key)]
            url = path + form.format(at.key) if form.startswith("?") else path
            if path in UPLOADS:
                header.append("content-type: multipart/form-data; boundary=xyz")
            raw = at.head(url, encoded(body), *header, key=False)
            status, _, got = await at.send(raw)
        assert (429, []) == (status, vendor.requests), got


@pytest.mark.asyncio
async def test_rehearsals_are_asked_for_through_it_as_well():
    """Each is as much work as the request: they count as requests, and give their slots back."""
    async with Double(answers()) as vendor:
        who = {"limits": RateLimits(requests=2, concurrency=1)}
        async with Gateway.to(("openai", vendor), who=who) as at:
            question = {"body": {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}}
            found = [(await at.post("/api/explain", question))[0] for _ in range(3)]
            (meter,) = at.services.admission._meters.values()
    assert ([200, 200, 429], 0) == (found, meter.running)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/v1/responses/resp_1", "GET"),
        ("/v1/responses/resp_1", "DELETE"),
        ("/v1/responses/resp_1/cancel", "POST"),
        ("/v1/responses/resp_1/input_items", "GET"),
    ],
)
@pytest.mark.asyncio
async def test_stored_responses_are_asked_for_through_it_as_well(path, method, form):
    """Each is a look into the database: the second is refused, and slots are given back."""
    async with Double(answers()) as vendor:
        who = {"limits": RateLimits(requests=1, concurrency=1)}
        async with Gateway.to(("openai", vendor), who=who) as at:
            header = [] if form.startswith("?") else [form.format(at.key)]
            url = path + form.format(at.key) if form.startswith("?") else path
            raw = at.head(url, b"", *header, method=method, key=False)
            found = [(await at.send(raw))[0] for _ in range(2)]
            (meter,) = at.services.admission._meters.values()
    assert ([404, 429], 0) == (found, meter.running)


DIALECTS = {
    "/v1/chat/completions": ("x-ratelimit-limit-requests", "x-ratelimit-remaining-requests"),
    "/v1/messages": (
        "anthropic-ratelimit-requests-limit",
        "anthropic-ratelimit-requests-remaining",
    ),
    "/v1beta/models/m:generateContent": (None, None),
}


@pytest.mark.parametrize("path", DIALECTS)
@pytest.mark.asyncio
async def test_an_answer_and_a_refusal_tell_of_the_limit(path):
    """In the caller's own headers, and in Google's body."""
    limit, left = DIALECTS[path]
    body = dict(ROUTES)[path]
    async with Double(answers()) as vendor:
        who = {"limits": RateLimits(requests=1, tokens=100_000)}
        async with Gateway.to(("openai", vendor), who=who) as gateway:
            status, headers, _ = await gateway.post(path, body)
            assert 200 == status
            if limit:
                assert (b"1", b"0") == (headers[limit.encode()], headers[left.encode()])
            status, headers, got = await gateway.post(path, body)
    error = error_of(got)
    assert (429, "RESOURCE_EXHAUSTED") == (status, error["status"])
    assert 1 <= int(headers[b"retry-after"]) <= 60
    assert "Please try again in " in error["message"]
    if limit:
        assert (b"1", b"0") == (headers[limit.encode()], headers[left.encode()])
        assert "rate_limit_exceeded" == error["code"]
    else:
        told = {detail["@type"].rpartition(".")[2]: detail for detail in error["details"]}
        assert told["RetryInfo"]["retryDelay"].endswith("s")
        assert not any(b"ratelimit" in name for name in headers)


@pytest.mark.asyncio
async def test_tokens_are_set_right_by_the_answer():
    """The vendor reported 500 where a few were foreseen: the next request finds them counted."""
    async with Double(answers()) as vendor:
        who = {"limits": RateLimits(tokens=520)}
        async with Gateway.to(("openai", vendor), who=who) as gateway:
            asked = CHAT | {"max_tokens": 5}
            assert 200 == (await gateway.post("/v1/chat/completions", asked))[0]
            status, headers, _ = await gateway.post("/v1/chat/completions", asked)
    assert (429, 1) == (status, len(vendor.requests))
    assert b"520" == headers[b"x-ratelimit-limit-tokens"]


@pytest.mark.parametrize("ending", ["answered", "left", "failed"])
@pytest.mark.asyncio
async def test_a_slot_is_given_back_however_it_ends(ending):
    """With the answer, with the caller's departure, with the vendor's failure."""
    go = asyncio.Event()
    last = {"failed": [Reset()]}.get(ending, *answers())
    async with Double([[Until(go), *last]]) as vendor:
        who = {"limits": RateLimits(concurrency=1)}
        async with Gateway.to(("openai", vendor), who=who) as gateway:
            line = await gateway.wire()
            await line.send(gateway.head("/v1/chat/completions", encoded(CHAT)))
            while not vendor.requests:
                await asyncio.sleep(0.005)
            status, _, got = await gateway.post("/v1/chat/completions", CHAT)
            assert 429 == status
            assert "1 running" in error_of(got)["message"]
            if ending == "left":
                await line.close()
            go.set()
            if ending != "left":
                await line.answer()
                await line.close()
            (meter,) = gateway.services.admission._meters.values()
            for _ in range(200):
                if not meter.running:
                    break
                await asyncio.sleep(0.005)
            assert 0 == meter.running


@pytest.mark.asyncio
async def test_a_channel_at_its_limit_is_passed_over():
    """The next one answers; when there is none, the caller is told it is busy, not throttled."""
    async with Double(answers()) as first, Double(answers()) as second:
        pair = (("openai", first), ("openai", second))
        async with Gateway.to(*pair, channel={"requests_per_minute": 1}) as gateway:
            for _ in range(2):
                assert 200 == (await gateway.post("/v1/chat/completions", CHAT))[0]
        assert (1, 1) == (len(first.requests), len(second.requests))
    async with Double(answers()) as only:
        async with Gateway.to(("openai", only), channel={"requests_per_minute": 1}) as gateway:
            assert 200 == (await gateway.post("/v1/chat/completions", CHAT))[0]
            status, headers, _ = await gateway.post("/v1/chat/completions", CHAT)
        assert (503, True, 1) == (status, b"retry-after" in headers, len(only.requests))


@pytest.mark.asyncio
async def test_a_models_limit_holds_for_everybody():
    """It is told where it refuses."""
    rates = {"requests_per_minute": 1}
    async with Double(answers()) as vendor, Gateway.to(("openai", vendor), model=rates) as gateway:
        status, headers, _ = await gateway.post("/v1/chat/completions", CHAT)
        assert (200, False) == (status, b"x-ratelimit-limit-requests" in headers)
        status, headers, _ = await gateway.post("/v1/chat/completions", CHAT)
    assert (429, b"1") == (status, headers[b"x-ratelimit-limit-requests"])


@pytest.mark.asyncio
async def test_a_spent_budget_is_no_invitation_to_try_again(monkeypatch):
    """As an exhausted balance: agents must stop. Headers name the budget and when it begins anew."""
    spent = Budget(amount_nanos=10, period=Period.MONTH, scope="key:5")

    async def refuse(request_id, caller, quote, budgets, who):
        assert (spent,) == budgets
        raise overspent(spent, 11, 1_798_761_600)

    async with (
        Double(answers()) as vendor,
        Gateway.to(("openai", vendor), who={"budgets": (spent,)}) as gateway,
    ):
        ledger = gateway.services.ledger
        monkeypatch.setattr(ledger, "hold", lambda *_: None)
        monkeypatch.setattr(ledger, "lease", refuse)
        status, headers, got = await gateway.post("/v1/chat/completions", CHAT)
        (record,) = gateway.records
    assert (429, "insufficient_quota") == (status, error_of(got)["code"])
    assert b"false" == headers[b"x-should-retry"]
    assert b"retry-after" not in headers
    assert b"key:5; period=month; limit=0.00000001" == headers[b"trivium-budget"]
    assert b"2027-01-01T00:00:00Z" == headers[b"trivium-budget-reset"]
    assert (Kind.BUDGET_SPENT.value, 429, []) == (record.fault, record.status, ledger.holds)


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/v1/chat/completions", "POST"),
        ("/v1/models", "GET"),
        ("/v1/responses/resp_1", "GET"),
        ("/api/explain", "POST"),
    ],
)
@pytest.mark.asyncio
async def test_a_key_bound_to_other_addresses_is_refused_everywhere(path, method):
    """Before a body is read, and again on a connection that is kept."""
    async with Double(answers()) as vendor:
        who = {"networks": (ip_network("192.0.2.0/24"),)}
        async with Gateway.to(
            ("openai", vendor), who=who, trusted_proxies=(ip_network("127.0.0.0/8"),)
        ) as gateway:
            line = await gateway.wire()
            for _ in range(2):
                await line.send(gateway.head(path, b"", method=method))
                status, _, got = await line.answer()
                assert (403, "permission_denied") == (status, error_of(got)["code"])
                assert "127.0.0.1" in error_of(got)["message"]
            await line.close()
            inside = "X-Forwarded-For: 203.0.113.1, 192.0.2.9"
            body = encoded(CHAT)
            status, *_ = await gateway.send(gateway.head(path, body, inside, method=method))
            assert 403 != status
