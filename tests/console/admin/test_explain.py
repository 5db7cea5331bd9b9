"""An administrator sees what would become of a request, and nothing is sent."""

import contextlib

import pytest
import pytest_asyncio

from console.visiting import Seen, console_over, user_of, visiting
from gateway import Gateway
from scripted_upstream import Double
from trivium.console.admin import explain
from trivium.console.gateway import GatewayState
from trivium.identity.model import UserRole
from trivium.pipeline import explain as rehearsing
from trivium.pipeline.channel_trial import ANYBODY

AT = "/admin/explain"
BODY = '{"messages": [{"role": "user", "content": "Hello"}], "seed": 7}'


@pytest_asyncio.fixture
async def boss(database, clock):
    async with contextlib.AsyncExitStack() as stack:
        vendor = await stack.enter_async_context(Double([[]]))
        gateway = await stack.enter_async_context(Gateway.to(("anthropic", vendor)))

        async def explained(asked):
            return await rehearsing.explain(asked, ANYBODY, gateway.services)

        console = console_over(database, clock, gateway=GatewayState(explained=explained))
        visitor = await stack.enter_async_context(visiting(database, console))
        await visitor.log_in(await user_of(console, "eve", UserRole.ADMIN))
        await visitor.get(AT)
        yield visitor


@pytest.mark.asyncio
async def test_the_way_of_a_request(boss):
    """Its channel, the body there, and what would not reach it."""
    answer = await boss.post(AT, shape="chat", model="m", body=BODY)
    page = Seen(answer.text)
    assert 200 == answer.status_code
    assert "POST /v1/messages" in page.text
    assert "translated" in page.text
    assert "seed" in page.text
    assert '"max_tokens"' in page.text


@pytest.mark.asyncio
async def test_a_refusal_is_part_of_it(boss):
    """What the caller would be told, in its words."""
    page = Seen((await boss.post(AT, shape="chat", model="none", body=BODY)).text)
    assert "is not available on this gateway" in page.text
    page = Seen((await boss.post(AT, shape="chat", model="m", body="{no json")).text)
    assert "Refused with 400" in page.text
    strict = await boss.post(AT, shape="chat", model="m", body=BODY, strict="1")
    assert "Refused with 4" in Seen(strict.text).text


@pytest.mark.asyncio
async def test_every_shape_that_is_offered_can_be_asked(boss):
    """With nothing in the body it is refused by name, and never breaks."""
    for each in explain.EXPLAINED:
        answer = await boss.post(AT, shape=each.value, model="m", body="", stream="1")
        assert (200, True) == (
            answer.status_code,
            "Channels of" in answer.text or "Refused" in answer.text,
        )


@pytest.mark.asyncio
async def test_what_is_wrong_with_the_form(boss):
    """A shape that nobody asks for, and a model that only the path can name."""
    for fields, said in (
        ({"shape": "messages_count"}, "Please choose one of what is offered."),
        ({"shape": "nothing"}, "Please choose one of what is offered."),
        ({"shape": "generate"}, "has its model in the path"),
        ({"body": "x" * 50_001}, "Please use at most 50"),
    ):
        answer = await boss.post(AT, **fields)
        assert (422, True) == (answer.status_code, said in answer.text), fields


@pytest.mark.asyncio
async def test_a_long_body_is_cut(boss, monkeypatch):
    """What a page shows of it has an end."""
    monkeypatch.setattr(explain, "SHOWN_MAX", 50)
    long = BODY.replace("Hello", "Hello" * 100)
    page = (await boss.post(AT, shape="chat", model="m", body=long)).text
    assert "…</pre>" in page
