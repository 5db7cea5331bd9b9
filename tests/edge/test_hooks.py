"""Hooks see requests before they are planned: they change, refuse, fail and hang."""

import asyncio
import json

import pytest

from gateway import Gateway, error_of
from plugin.test_example import PLAIN
from scripted_upstream import Double
from trivium.edge import hooks
from trivium.faults import Fault, Kind

CHAT = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


class Hook:
    """Does what it is given."""

    def __init__(self, do):
        self.do = do
        self.seen = []

    async def before(self, request):
        self.seen.append(request)
        await self.do(request)


async def nothing(request):
    """Only looks."""


async def refuse(request):
    raise Fault(Kind.NOT_PERMITTED, "Not on Sundays.")


async def breaks(request):
    request.body = b"{}"
    raise OSError("no disk")


async def rewrite(request):
    request.body = request.body.replace(b"Hi", b"Ho")


async def hang(request):
    await asyncio.sleep(60)


def hooked(gateway, *found):
    """Have the gateway's listener ask these hooks."""
    gateway.listener._hooks = found


async def asked(*found, path="/v1/chat/completions", body=CHAT):
    """One request through hooks: the answer, and what the vendor saw."""
    async with Double([PLAIN]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        hooked(gateway, *found)
        answer = await gateway.post(path, body)
        return answer, [json.loads(seen.body) for seen in vendor.requests], gateway


@pytest.mark.asyncio
async def test_a_hook_sees_who_asks_for_what():
    """And no key."""
    hook = Hook(nothing)
    (status, _, _), sent, gateway = await asked(hook)
    (request,) = hook.seen
    assert (200, "chat", "", 7, 3, CHAT) == (
        status, request.operation, request.model, request.key_id, request.user_id,
        json.loads(request.body),
    )  # fmt: skip
    assert request.request_id.startswith("req_")
    assert gateway.key not in repr(request.headers)
    assert [CHAT] == sent


@pytest.mark.asyncio
async def test_hooks_change_a_request_in_turn():
    """The second sees what the first made of it."""
    second = Hook(nothing)
    (status, _, _), sent, _ = await asked(Hook(rewrite), second)
    assert (200, "Ho", True) == (
        status,
        sent[0]["messages"][0]["content"],
        b"Ho" in second.seen[0].body,
    )


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
async def test_a_hook_refuses_in_the_callers_shape(path):
    """Nobody else is asked: not the next hook, and not the vendor."""
    second = Hook(nothing)
    (status, _, body), sent, gateway = await asked(Hook(refuse), second, path=path)
    assert (403, "Not on Sundays.") == (status, error_of(body)["message"])
    assert ([], [], []) == (sent, second.seen, gateway.records)


@pytest.mark.asyncio
@pytest.mark.parametrize("do", [breaks, hang])
async def test_a_hook_that_fails_breaks_no_request(monkeypatch, do):
    """It goes on as if the hook were not there."""
    monkeypatch.setattr(hooks, "SECONDS_MAX", 0.05)
    (status, _, _), sent, _ = await asked(Hook(do))
    assert (200, [CHAT]) == (status, sent)


@pytest.mark.asyncio
async def test_a_caller_who_leaves_is_not_served():
    """While a hook still thinks."""
    async with Double([PLAIN]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        hook = Hook(hang)
        hooked(gateway, hook)
        line = await gateway.wire()
        await line.send(gateway.head("/v1/chat/completions", json.dumps(CHAT).encode()))
        async with asyncio.timeout(5):
            while not hook.seen:
                await asyncio.sleep(0.005)
        await line.close()
        await asyncio.sleep(0.05)
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_what_is_no_request_for_a_model_is_not_asked_for():
    """Lists and pages need no hook."""
    hook = Hook(refuse)
    async with Double([PLAIN]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        hooked(gateway, hook)
        status, _, _ = await gateway.get("/v1/models")
    assert (200, []) == (status, hook.seen)
