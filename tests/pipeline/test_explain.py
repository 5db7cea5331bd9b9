"""A rehearsal is the request itself, up to the call."""

import asyncio

import msgspec
import pytest

from gateway import VENDOR_KEY, Gateway, encoded
from pipeline.test_translation import ASKED, CALLED, JSON, PAIRS, PROVIDER, speaks
from scripted_upstream import Double, Send, sized
from trivium.clock import FixedClock
from trivium.identity.model import Caller
from trivium.ledger.service import OpenLedger
from trivium.observe.record import Record
from trivium.pipeline.explain import ExplainRequest, explain, offline
from trivium.pipeline.translation import Translator
from trivium.secret import Keyring
from trivium.upstream.request import Origin, Request
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Operation

CALLER = Caller(
    key_id=7,
    user_id=3,
    payer_id=3,
    unlimited=False,
    disabled=False,
    expires_at=float("inf"),
    models=frozenset(),
    prefixes=(),
)
OPERATION = {shape: Operation(shape) for shape in ASKED}


def asked(shape, body, **more):
    """A question about a request of one shape."""
    if shape == "generate":
        more.setdefault("model", "m")
    return ExplainRequest(operation=OPERATION[shape], body=encoded(body), **more)


@pytest.mark.asyncio
@pytest.mark.parametrize(("caller", "upstream"), PAIRS)
async def test_the_body_is_the_one_that_is_sent(caller, upstream):
    """To the byte, for all sixteen pairs; and the rehearsal itself sends nothing."""
    answer = [Send(sized(msgspec.json.encode(CALLED[upstream]), headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to((PROVIDER[upstream], vendor)) as gateway:
        speaks(gateway, upstream)
        path, body = ASKED[caller](False)
        told = await explain(asked(caller, body), CALLER, gateway.services)
        assert ([], [], []) == (vendor.requests, gateway.records, gateway.services.ledger.holds)
        status, _, got = await gateway.post(path, body)
        assert 200 == status, got
        (step,) = told["steps"]
        (sent,) = vendor.requests
        assert sent.body == bytes(step["body"])
        assert f"POST {step['path']} HTTP/1.1" == sent.line.decode()
        assert ("pass-through" if caller == upstream else "translation") == step["lane"]
        assert told["refused"] is None


LOSSY = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "seed": 7, "user": "u"}


@pytest.mark.asyncio
async def test_what_would_be_lost_is_listed():
    """Member, act and reason of each, as the header has them; and what only we keep."""
    async with Double([[]]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        told = await explain(asked("chat", LOSSY), CALLER, gateway.services)
        (step,) = told["steps"]
        assert [("seed", "dropped")] == [(one["member"], one["act"]) for one in step["dropped"]]
        assert "no such member" in step["dropped"][0]["why"]
        assert (None, False) == (told["refused"], told["strict"])


@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["asked", "header", "key"])
async def test_strict_refuses_what_would_be_lost(how):
    """However it is asked for; with the member and the target."""
    question = asked("chat", LOSSY, strict=how == "asked")
    if how == "header":
        question = msgspec.structs.replace(question, headers={b"trivium-strict": b"true"})
    caller = msgspec.structs.replace(CALLER, strict=how == "key")
    async with Double([[]]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        told = await explain(question, caller, gateway.services)
        assert told["strict"]
        assert (400, "seed") == (told["refused"]["status"], told["refused"]["param"])
        (step,) = told["steps"]
        assert ("the messages shape of m", None) == (step["refused"]["target"], step["body"])


@pytest.mark.asyncio
async def test_a_fallback_that_can_carry_it_is_shown_too():
    """Each channel by itself; the first that may be called decides what the caller is told."""
    async with (
        Double([[]]) as one,
        Double([[]]) as two,
        Gateway.to(("openai", one), ("anthropic", two)) as gateway,
    ):
        told = await explain(asked("chat", LOSSY, strict=True), CALLER, gateway.services)
        first, second = told["steps"]
        assert ("pass-through", None) == (first["lane"], first["refused"])
        assert second["refused"]["param"] == "seed"
        assert told["refused"] is None


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("question", "caller", "status", "param"),
    [
        (ExplainRequest(operation=Operation.CHAT, body=b"{"), CALLER, 400, None),
        (ExplainRequest(operation=Operation.CHAT, body=b"[]", model="m"), CALLER, 400, None),
        (asked("chat", {**LOSSY, "model": "nobody"}), CALLER, 404, "model"),
        (
            asked("chat", LOSSY),
            msgspec.structs.replace(CALLER, models=frozenset({"other"})),
            403,
            "model",
        ),
        (
            ExplainRequest(
                operation=Operation.EMBEDDINGS, body=encoded({"model": "m", "input": "x"})
            ),
            CALLER,
            400,
            "model",
        ),
    ],
)
async def test_a_request_that_gets_nowhere_says_why(question, caller, status, param):
    """As the caller would be told; nothing is raised."""
    async with Double([[]]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        told = await explain(question, caller, gateway.services)
        assert (status, param) == (told["refused"]["status"], told["refused"]["param"])
        assert [] == told["steps"]


@pytest.mark.asyncio
async def test_another_model_can_be_asked_for():
    """Whatever the body says."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        question = asked("chat", {**LOSSY, "model": "other"}, model="m")
        told = await explain(question, CALLER, gateway.services)
        assert ("m", None) == (told["model"], told["refused"])


@pytest.mark.asyncio
async def test_no_secret_and_no_host_is_told():
    """An explanation may be pasted into a ticket."""
    async with (
        Double([[]]) as vendor,
        Gateway.to(("openai", vendor), ("gemini", vendor)) as gateway,
    ):
        told = msgspec.json.encode(await explain(asked("chat", LOSSY), CALLER, gateway.services))
        assert VENDOR_KEY.encode() not in told
        assert b"127.0.0.1" not in told


@pytest.mark.asyncio
async def test_a_rehearsal_needs_no_gateway():
    """The command line has a catalogue and codecs; whoever tried to call somebody would fail."""
    async with Double([[]]) as vendor, Gateway.to(("gemini", vendor)) as gateway:
        services = offline(
            gateway.services.router,
            Translator(CODECS, Keyring(bytes(32)), FixedClock()),
            OpenLedger(),
            FixedClock(),
            asyncio.get_running_loop(),
        )
        told = await explain(asked("chat", LOSSY), CALLER, services)
        assert ({"nanos": 0, "usd": "0.000000000"}, None) == (told["price"], told["refused"])
        origin = Origin("https", "vendor.example", 443)
        with pytest.raises(AssertionError, match="calls nobody"):
            await services.client.open(Request(origin=origin, payload=b"", limits=None), None)
        with pytest.raises(AssertionError, match="records nothing"):
            services.recorder.add(Record(request_id="r", at=0.0))
        await services.client.close()


@pytest.mark.asyncio
async def test_models_that_may_stand_in_are_rehearsed_too():
    """With their own plan and body; not those the key may not use."""
    async with (
        Double([[]]) as vendor,
        Gateway.to(("openai", vendor), ("anthropic", vendor), fallback="spare") as gateway,
    ):
        told = await explain(asked("chat", LOSSY), CALLER, gateway.services)
        (other,) = told["fallbacks"]
        assert ("spare", None) == (other["model"], other["refused"])
        assert [("anthropic-1", "spare-own", "translation")] == [
            (step["channel"], step["upstream_model"], step["lane"]) for step in other["steps"]
        ]
        assert ["openai-0"] == [step["channel"] for step in told["steps"]]
        bound = msgspec.structs.replace(CALLER, models=frozenset({"m"}))
        told = await explain(asked("chat", LOSSY), bound, gateway.services)
        assert [] == told["fallbacks"]
