"""Sound on its way through: paid for by what was heard, at the caller's pace."""

import asyncio

import msgspec
import pytest

from gateway import Gateway
from scripted_upstream import Double, Flood, Send, sized
from trivium.clock import SystemClock
from trivium.ledger.model import Hold
from trivium.ledger.quote import Pricing
from wire.audio.length import sounds

SPEECH = "/v1/audio/speech"
HELLO = {"model": "m", "input": "Hello there.", "voice": "alloy", "response_format": "wav"}
PRICED = {"free": False, "price": {"per_second": "0.00025"}}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("sound", "seconds", "estimated"),
    [
        pytest.param(sounds.wav(2), 2.0, False, id="read"),
        pytest.param(b"\x01no container that we know" * 99, 1.0, True, id="not to be read"),
    ],
)
async def test_seconds_are_those_that_were_delivered(sound, seconds, estimated):
    """Read from the sound as it passes, where the model is priced by them; else by its text."""
    async with (
        Double([[Send(sized(sound))]]) as vendor,
        Gateway.to(("openai", vendor), model=PRICED) as gateway,
    ):
        pricing = Pricing(SystemClock())
        gateway.services.ledger.quote = pricing.quote
        gateway.services.ledger.hold = lambda request_id, caller, quote, *_: Hold(
            request_id=request_id, user_id=caller.payer_id, amount_nanos=1, quote=quote
        )
        assert 200 == (await gateway.post(SPEECH, HELLO))[0]
        (record,) = gateway.records
        assert (seconds, 12, estimated) == (
            record.usage.seconds,
            record.usage.characters,
            record.usage.estimated,
        )


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("sound", "tokens"),
    [
        pytest.param(sounds.wav(6), 125, id="read"),
        pytest.param(b"\x01no container that we know" * 99, 21, id="not to be read"),
    ],
)
async def test_tokens_that_nobody_reports_follow_from_the_sound(sound, tokens):
    """Not from its text, of which slow speech makes many times as much."""
    by_tokens = {"free": False, "price": {"input": "0.6", "output": "12"}}
    async with (
        Double([[Send(sized(sound))]]) as vendor,
        Gateway.to(("openai", vendor), model=by_tokens) as gateway,
    ):
        pricing = Pricing(SystemClock())
        gateway.services.ledger.quote = pricing.quote
        gateway.services.ledger.hold = lambda request_id, caller, quote, *_: Hold(
            request_id=request_id, user_id=caller.payer_id, amount_nanos=1, quote=quote
        )
        assert 200 == (await gateway.post(SPEECH, HELLO))[0]
        (record,) = gateway.records
        assert (tokens, 3, True) == (
            record.usage.audio_output, record.usage.fresh, record.usage.estimated,
        )  # fmt: skip


@pytest.mark.asyncio
async def test_a_caller_that_reads_slowly_slows_the_vendor_down():
    """Memory does not hold what waits."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: 40000000\r\n\r\n"
    script = [Send(head), Flood(b"x" * 100_000, 400)]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        await line.send(gateway.head(SPEECH, msgspec.json.encode(HELLO)))
        await asyncio.sleep(0.5)
        assert vendor.sent < 30_000_000
        _, _, body = await line.answer()
        assert 40_000_000 == len(body)
        await line.close()


@pytest.mark.asyncio
async def test_sound_without_streaming_where_events_were_asked_for_is_a_break():
    """An upstream that does not know the wish must not be relayed as if it did."""
    headers = b"Content-Type: audio/mpeg\r\n"
    async with (
        Double([[Send(sized(b"sound", headers=headers))]]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        status, _, _ = await gateway.post(SPEECH, {**HELLO, "stream_format": "sse"})
        assert 502 == status
