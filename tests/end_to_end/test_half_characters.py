"""Vendors whose text is no text: every caller is given characters, whatever came."""

import msgspec
import pytest

from end_to_end.test_unasked_thoughts import asked, speaks
from gateway import Gateway
from scripted_upstream import Double, Send, chunked, sized
from trivium.wire import sse
from wire.test_text_repair import SMILE, WIRES

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
PROVIDER = {"chat": "groq", "responses": "openai", "messages": "anthropic", "generate": "gemini"}
WHOLE = {
    "chat": b'{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"%b"},"finish_reason":"stop"}]}',
    "responses": b'{"id":"r","object":"response","status":"completed","output":[{"type":"message","id":"i","role":"assistant","content":[{"type":"output_text","annotations":[],"text":"%b"}]}]}',
    "messages": b'{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"%b"}],"stop_reason":"end_turn"}',
    "generate": b'{"candidates":[{"content":{"role":"model","parts":[{"text":"%b"}]},"finishReason":"STOP"}]}',
}
PAIRS = [(caller, upstream) for caller in WHOLE for upstream in WHOLE if caller != upstream]


def texts(value):
    """Every text in an answer."""
    if isinstance(value, dict):
        return [text for one in value.values() for text in texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in texts(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.asyncio
@pytest.mark.parametrize(("caller", "upstream"), PAIRS)
async def test_a_whole_answer_of_half_characters_is_told(caller, upstream):
    """U+FFFD stands where no character was."""
    body = WHOLE[upstream] % (rb"\ud83d\ude00 a\ud83db " + b"\xff")
    async with (
        Double([[Send(sized(body, headers=JSON))]]) as vendor,
        Gateway.to((PROVIDER[upstream], vendor)) as gateway,
    ):
        speaks(gateway, upstream)
        status, _, got = await gateway.post(*asked(caller, {}, False))
        assert 200 == status, got
        assert f"{SMILE} a\ufffdb \ufffd" in texts(msgspec.json.decode(got))


@pytest.mark.asyncio
@pytest.mark.parametrize(("caller", "upstream"), PAIRS)
@pytest.mark.parametrize("cut", [1, 7, 10_000])
async def test_a_character_in_two_deltas_is_told_as_one(caller, upstream, cut):
    """However the network cuts them; a half without the other is U+FFFD."""
    wire = WIRES[upstream][1](b"a", rb"b\ud83d", rb"\ude00c", rb"d\ud83d", b"e\xff")
    pieces = [wire[at : at + cut] for at in range(0, len(wire), cut)]
    async with (
        Double([[Send(chunked(*pieces, headers=SSE))]]) as vendor,
        Gateway.to((PROVIDER[upstream], vendor)) as gateway,
    ):
        speaks(gateway, upstream)
        status, _, got = await gateway.post(*asked(caller, {}, True))
        assert 200 == status, got
        data = [one.data for one in sse.frames(got) if one.data != sse.DONE]
        told = [msgspec.json.decode(one) for one in data]  # which takes neither
        assert not any("error" in one for one in told if one.get("error") is not None)
        said = "".join(text for one in told for text in texts(one))
        assert SMILE in said
        assert 2 <= said.count("\ufffd")
        assert [""] == [record.fault for record in gateway.records]
