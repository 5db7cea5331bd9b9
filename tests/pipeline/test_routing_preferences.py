"""Wishes over real sockets, and what is told of the route."""

import msgspec
import pytest

from gateway import Gateway, error_of
from scripted_upstream import Double, Send, Wait, sized
from trivium.pipeline.explain import ExplainRequest, explain
from trivium.settings.model import RoutingSettings
from trivium.wire.operation import Operation

JSON = b"Content-Type: application/json\r\n"
CHAT = "/v1/chat/completions"
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
OK = [
    Send(sized(b'{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}', headers=JSON))
]
BROKEN = [Send(sized(b'{"error":{"message":"no"}}', status=b"500 Broken", headers=JSON))]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("header", "member", "channel"),
    [
        ("trivium-channel: openai-1", None, b"openai-1"),
        ("trivium-order: openai-1, openai-0", None, b"openai-1"),
        ("x-none: 1", {"channel": "openai-1"}, b"openai-1"),
        ("trivium-channel: openai-0", {"channel": "openai-1"}, b"openai-0"),
        ("x-none: 1", {}, b"openai-0"),
    ],
)
async def test_a_wish_is_followed_and_never_reaches_a_vendor(header, member, channel):
    """Neither as a header nor as a member; all other bytes are the caller's."""
    body = HELLO if member is None else HELLO | {"trivium": member}
    async with (
        Double([OK]) as first,
        Double([OK]) as second,
        Gateway.to(("openai", first), ("openai", second)) as gateway,
    ):
        status, headers, _ = await gateway.post(CHAT, body, header)
        assert (200, channel) == (status, headers[b"trivium-channel"])
        (seen,) = first.requests + second.requests
        assert b"trivium-" not in seen.raw.lower().split(b"\r\n\r\n")[0]
        assert msgspec.json.encode(HELLO) == seen.body


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "header", "param"),
    [
        (HELLO, "trivium-channel: nowhere", "trivium-only"),
        (HELLO, "trivium-max-cost: a lot", "trivium-max-cost"),
        (HELLO | {"trivium": 5}, "x-none: 1", "trivium"),
        (b'{"model":"m","messages":[],"trivium":{},"trivium":{}}', "x-none: 1", "trivium"),
        (b'{"model":"m","messages":[],"Trivium":{"only":[]},"trivium":{}}', "x-n: 1", "trivium"),
    ],
)
async def test_a_wish_that_cannot_be_had_is_refused_by_name(body, header, param):
    """Before anybody is called."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, _, got = await gateway.post(CHAT, body, header)
        assert (400, param) == (status, error_of(got)["param"])
        assert [] == vendor.requests


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("header", "member", "status"),
    [
        ("trivium-channel: openai-0", None, 403),
        ("trivium-order: openai-0", None, 403),
        ("x-none: 1", {"only": ["openai-0"]}, 403),
        ("trivium-max-cost: 1", None, 200),
        ("x-none: 1", {}, 200),
    ],
)
async def test_an_operator_may_keep_the_choice_of_channels(header, member, status):
    """A limit on the price stays the caller's own affair."""
    body = HELLO if member is None else HELLO | {"trivium": member}
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        gateway.services.allows_preferences = False
        assert status == (await gateway.post(CHAT, body, header))[0]
        assert (status == 200) == bool(vendor.requests)


@pytest.mark.asyncio
async def test_the_route_tells_what_failed_what_was_passed_over_and_what_answered():
    """With the reasons; nothing where all went straight."""
    async with (
        Double([BROKEN]) as first,
        Double([OK]) as second,
        Gateway.to(
            ("openai", first), ("openai", second), rules=RoutingSettings(failures=1)
        ) as gateway,
    ):
        _, one, _ = await gateway.post(CHAT, HELLO)
        _, two, _ = await gateway.post(CHAT, HELLO)
        assert b"openai-0;failed=upstream_broke, openai-1;answered" == one[b"trivium-route"]
        assert (
            b'openai-0;skipped="resting for 5 s after upstream_broke (cooling down)", '
            b"openai-1;answered"
        ) == two[b"trivium-route"]


@pytest.mark.asyncio
async def test_a_failed_request_tells_its_route_too():
    """That is when people ask."""
    async with (
        Double([BROKEN]) as first,
        Double([BROKEN]) as second,
        Gateway.to(("openai", first), ("openai", second)) as gateway,
    ):
        status, headers, _ = await gateway.post(CHAT, HELLO)
        assert 502 == status
        told = b"openai-0;failed=upstream_broke, openai-1;failed=upstream_broke"
        assert told == headers[b"trivium-route"]


@pytest.mark.asyncio
@pytest.mark.parametrize("why", ["straight", "switched off"])
async def test_no_route_is_told(why):
    """Where nothing failed, or the operator keeps it to himself."""
    script = [OK] if why == "straight" else [BROKEN]
    async with (
        Double(script) as first,
        Double([OK]) as second,
        Gateway.to(("openai", first), ("openai", second)) as gateway,
    ):
        gateway.services.explain_headers = why == "straight"
        status, headers, _ = await gateway.post(CHAT, HELLO)
        assert 200 == status
        assert b"trivium-route" not in headers


@pytest.mark.asyncio
async def test_explain_tells_who_rests_and_what_the_caller_wished():
    """From what the running gateway knows."""
    async with (
        Double([BROKEN]) as first,
        Double([OK]) as second,
        Gateway.to(
            ("openai", first), ("openai", second), rules=RoutingSettings(failures=1)
        ) as gateway,
    ):
        await gateway.post(CHAT, HELLO)
        body = msgspec.json.encode(HELLO | {"trivium": {"order": ["openai-1"]}})
        asked = ExplainRequest(operation=Operation.CHAT, body=body)
        told = await explain(asked, gateway.caller, gateway.services)
        assert ["openai-1"] == [step["channel"] for step in told["steps"]]
        assert "asked for" in told["steps"][0]["why"]
        assert b"trivium" not in bytes(told["steps"][0]["body"])
        (skip,) = told["skipped"]
        assert skip["why"].startswith("resting for ")


@pytest.mark.asyncio
async def test_requests_of_one_cache_key_meet_and_move_on_when_their_channel_rests():
    """Stickiness is a wish of ours; a cooldown goes before it."""
    asked = HELLO | {"prompt_cache_key": "agent-7"}
    async with (
        Double([OK, OK, OK, BROKEN]) as first,
        Double([OK, OK, OK, BROKEN]) as second,
        Gateway.to(
            ("openai", first),
            ("openai", second),
            strategy="latency",
            rules=RoutingSettings(failures=1),
        ) as gateway,
    ):
        homes = [(await gateway.post(CHAT, asked))[1][b"trivium-channel"] for _ in range(3)]
        assert 1 == len(set(homes))
        _, headers, _ = await gateway.post(CHAT, asked)
        assert headers[b"trivium-channel"] != homes[0]


@pytest.mark.asyncio
async def test_the_quicker_channel_is_found():
    """Of two that answer, the one that begins sooner has the requests after a first look."""
    async with (
        Double([[Wait(0.1), *OK]]) as slow,
        Double([OK]) as quick,
        Gateway.to(("openai", slow), ("openai", quick), strategy="latency") as gateway,
    ):
        for _ in range(12):
            await gateway.post(CHAT, HELLO)
        assert 1 == len(slow.requests)
        assert 11 == len(quick.requests)
