"""Answers of megabytes that are translated: a piece a turn, no faster than the caller reads."""

import asyncio

import msgspec
import pytest

from gateway import Gateway, encoded
from pipeline.test_translation import (
    ASKED,
    CALLED,
    ENDS,
    OTHERS,
    PROVIDER,
    SSE,
    said,
    speaks,
    streamed,
)
from scripted_upstream import Close, Double, Send, Wait, chunked
from trivium.conversation.estimate import TEXT_BYTES
from trivium.edge.exchange import Exchange
from trivium.faults import Fault, Kind
from trivium.pipeline.long_answer import LongWhole
from trivium.pipeline.structs import WholeAnswer
from trivium.pipeline.translated_stream import LONG_BYTES
from trivium.response_store.service import ResponseStore
from trivium.secret import Keyring
from trivium.settings.model import ResponsesSettings
from trivium.storage.vault import Vault
from trivium.wire import sse
from trivium.wire.json_size import PACED_BYTES

VAULT = Vault(Keyring(b"k" * 32))
LONG = 3 * LONG_BYTES
TEXT = "Let me " + "y" * LONG
HEAD = b"HTTP/1.1 200 OK\r\n" + SSE + b"Transfer-Encoding: chunked\r\n\r\n"


def wired(shape):
    """The stream of some words and a call, the words grown to megabytes, in one event."""
    return streamed(shape).replace(b"see.", b"y" * LONG)


def events(wire):
    """A stream event by event."""
    return [part + b"\n\n" for part in wire.split(b"\n\n") if part]


def in_packets(wire):
    """An answer that is all there at once, and one that comes event by event."""
    return {
        "in one packet": [Send(chunked(wire, headers=SSE))],
        "event by event": [Send(HEAD), *[Send(piece(one)) for one in events(wire)],
                           Send(b"0\r\n\r\n")],
    }  # fmt: skip


def piece(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def text(caller, got):
    """What was said in a stream, piece by piece."""
    out = []
    for found in sse.frames(got):
        if found.data == b"[DONE]":
            continue
        event = msgspec.json.decode(found.data)
        if caller == "chat":
            out += [one["delta"].get("content") or "" for one in event.get("choices", ())]
        elif caller == "messages":
            out.append(event.get("delta", {}).get("text", ""))
        elif caller == "responses":
            out.append(event["delta"] if event["type"] == "response.output_text.delta" else "")
        else:
            for one in event.get("candidates", ()):
                out += [part.get("text", "") for part in one.get("content", {}).get("parts", ())]
    return "".join(out)


@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["in one packet", "event by event"])
@pytest.mark.parametrize(("caller", "upstream"), OTHERS)
async def test_a_long_answer_arrives_whole(caller, upstream, how):
    """Its text, its call, its count and its end, though the vendor ended with the same packet."""
    script = in_packets(wired(upstream))[how]
    async with Double([script]) as vendor, Gateway.to((PROVIDER[upstream], vendor)) as gateway:
        speaks(gateway, upstream)
        path, body = ASKED[caller](True)
        status, _, got = await gateway.post(path, body)
        assert 200 == status
        assert TEXT == text(caller, got)
        assert ENDS[caller] not in got
        assert b"look" in got
        assert [("", 7)] == [(one.fault, one.usage.output) for one in gateway.records]
        assert 1 == len(gateway.services.ledger.settled)


def words_alone(size):
    """A chat stream of one text, in one event."""
    frames = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Let me "}}]},
        {"choices": [{"index": 0, "delta": {"content": "y" * size}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 7}},
    ]
    wire = b"".join(sse.frame(msgspec.json.encode({"id": "c1", **frame})) for frame in frames)
    return wire + b"data: [DONE]\n\n"


@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["in one packet", "event by event"])
async def test_what_says_a_long_text_again_is_sent_in_turns_of_its_own(how, monkeypatch):
    """No turn has more to send than some pieces, or one event that says all of it."""
    sent = []
    write = Exchange.write

    def written(exchange, data):
        sent.append(bytes(data))
        write(exchange, data)

    monkeypatch.setattr(Exchange, "write", written)
    script = in_packets(words_alone(LONG))[how]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        speaks(gateway, "chat")
        path, body = ASKED["responses"](True)
        _, _, got = await gateway.post(path, body)
        assert TEXT == text("responses", got)
        repeated = [data for data in sent if data.count(b"y") > LONG // 2]
        assert [
            b"response.output_text.done", b"response.content_part.done",
            b"response.output_item.done", b"response.completed",
        ] == [sse.frames(data)[0].event for data in repeated]  # fmt: skip
        assert max(len(data) for data in sent if data not in repeated) < 2 * LONG_BYTES


ENDINGS = {
    "an error": ([Send(piece(b'data: {"error":{"message":"no","code":"server_error"}}\n\n'))],
                 "upstream_broke"),
    "a cut": ([Close()], "upstream_broke"),
    "no end": ([Send(b"0\r\n\r\n")], "upstream_broke"),
}  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("end", ENDINGS)
@pytest.mark.parametrize("caller", ["responses", "messages", "generate"])
async def test_a_long_answer_that_breaks_is_told_to_the_last_word(caller, end):
    """What came with the same packet before the break is delivered, and then the end is legal."""
    rest, fault = ENDINGS[end]
    said = b"".join(events(wired("chat"))[:3])
    script = [Send(HEAD + piece(said) + b"".join(o.data for o in rest if isinstance(o, Send))),
              *[one for one in rest if not isinstance(one, Send)], Wait(0.2), Close()]  # fmt: skip
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        speaks(gateway, "chat")
        path, body = ASKED[caller](True)
        _, _, got = await gateway.post(path, body)
        assert TEXT == text(caller, got.split(b"event: error")[0])
        assert 1 == got.count(ENDS[caller])
        assert [fault] == [one.fault for one in gateway.records]
        assert 1 == len(gateway.services.ledger.settled)


@pytest.mark.asyncio
@pytest.mark.parametrize("leaves", [False, True])
@pytest.mark.parametrize("caller", ["responses", "chat"])
async def test_a_caller_that_reads_nothing_is_waited_for(caller, leaves):
    """Though the vendor has said all: the next piece is not written before the last has gone."""
    upstream = "messages" if caller == "chat" else "chat"
    wire = streamed(upstream).replace(b"see.", b"y" * (16 << 20))
    script = [Send(chunked(wire, headers=SSE))]
    async with Double([script]) as vendor, Gateway.to((PROVIDER[upstream], vendor)) as gateway:
        speaks(gateway, upstream)
        path, body = ASKED[caller](True)
        line = await gateway.wire()
        line.writer.transport.pause_reading()
        line.writer.write(gateway.head(path, encoded(body)))
        await all_said(vendor, script)
        assert not gateway.records
        if leaves:
            line.writer.transport.abort()
            await ended(gateway)
            assert "caller_left" == gateway.records[0].fault
        else:
            line.writer.transport.resume_reading()
            _, _, got = await line.answer()
            assert 16 << 20 == text(caller, got).count("y")
            await line.close()
            await ended(gateway)
            assert not gateway.records[0].fault
        assert 7 == gateway.records[0].usage.output
        assert 1 == len(gateway.services.ledger.settled)


async def all_said(vendor, script):
    """Wait until a vendor has sent its only answer, and some time longer."""
    for _ in range(100):
        if vendor.sent >= len(script[0].data):
            break
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.2)


async def ended(gateway):
    """Wait until a request is on record."""
    for _ in range(100):
        if gateway.records:
            return
        await asyncio.sleep(0.05)
    pytest.fail("the request is not on record")


@pytest.mark.asyncio
async def test_a_long_answer_is_called_off_between_two_pieces():
    """By a worker that ends, say: legally, and what is not written yet is left out."""
    script = [Send(chunked(words_alone(16 << 20), headers=SSE))]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        speaks(gateway, "chat")
        path, body = ASKED["responses"](True)
        line = await gateway.wire()
        line.writer.transport.pause_reading()
        line.writer.write(gateway.head(path, encoded(body)))
        await all_said(vendor, script)
        for connection in list(gateway.listener.connections):
            connection.interrupt(Fault(Kind.STOPPING, "The gateway is being restarted."))
        line.writer.transport.resume_reading()
        _, _, got = await line.answer()
        assert b"response.completed" not in got
        assert 1 == got.count(ENDS["responses"])
        assert text("responses", got).startswith("Let me yyy")
        await line.close()
        await ended(gateway)
        assert 1 == len(gateway.services.ledger.settled)


@pytest.mark.asyncio
async def test_a_long_answer_is_kept_whole(database):
    """Of what is written piece by piece the last one is the response."""
    memory = ResponseStore(database, VAULT, ResponsesSettings())
    memory.start()
    script = [Send(chunked(words_alone(LONG), headers=SSE))]
    async with (
        Double([script]) as vendor,
        Gateway.to(("deepseek", vendor), recall=memory) as gateway,
    ):
        asked = {"model": "m", "input": "x", "stream": True}
        status, _, got = await gateway.post("/v1/responses", asked)
        assert 200 == status
        last = sse.frames(got)[-1]
        assert b"response.completed" == last.event
        told = msgspec.json.decode(last.data)["response"]
        status, _, kept = await gateway.get("/v1/responses/" + told["id"])
        assert 200 == status
        kept = msgspec.json.decode(kept)
        assert told["output"] == kept["output"]
        assert TEXT == kept["output"][0]["content"][0]["text"]
    await memory.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("caller", ["responses", "messages", "generate"])
async def test_a_call_at_the_end_of_a_long_answer_is_counted(caller):
    """Where no vendor counted: some shapes say it at its end, and not once more."""
    arguments = msgspec.json.encode({"city": "R" * LONG}).decode()
    call = {"index": 0, "id": "c", "type": "function",
            "function": {"name": "look", "arguments": arguments}}  # fmt: skip
    frames = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "y" * LONG}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    wire = b"".join(sse.frame(msgspec.json.encode({"id": "c1", **frame})) for frame in frames)
    script = [Send(chunked(wire + b"data: [DONE]\n\n", headers=SSE))]
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        speaks(gateway, "chat")
        path, body = ASKED[caller](True)
        status, _, got = await gateway.post(path, body)
        assert 200 == status
        assert b"R" * 1000 in got
        (record,) = gateway.records
        assert record.usage.estimated
        assert 0.8 < record.usage.output / (2 * LONG / TEXT_BYTES) < 1.2


def whole(body):
    """An answer with its length, all there at once."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return [Send(head % len(body) + body)]


@pytest.mark.asyncio
@pytest.mark.parametrize(("caller", "upstream"), OTHERS)
async def test_a_long_whole_answer_is_made_in_turns(caller, upstream, monkeypatch):
    """It says what a short one does, and is counted, read and written in a turn each."""
    turns = []
    run = LongWhole._run
    monkeypatch.setattr(LongWhole, "_run", lambda self: turns.append(run(self)))
    body = msgspec.json.encode(CALLED[upstream])
    script = [whole(body), whole(body.ljust(PACED_BYTES + 1))]
    async with Double(script) as vendor, Gateway.to((PROVIDER[upstream], vendor)) as gateway:
        speaks(gateway, upstream)
        path, asked = ASKED[caller](False)
        for taken in (0, 3):
            status, _, got = await gateway.post(path, asked)
            assert 200 == status
            assert ("Let me see.", "look", {"city": "Rome"}, 20, 7, True) == said(caller, got)
            assert taken == len(turns)
        assert [("", 7)] * 2 == [(one.fault, one.usage.output) for one in gateway.records]
        assert 2 == len(gateway.services.ledger.settled)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "body", [b"{" * (PACED_BYTES + 1), b"[" + b"{}," * 300_000 + b"{}]", b'"' + b"x" * LONG + b'"']
)
async def test_a_long_whole_answer_that_is_none_is_a_fault(body):
    """In whichever step that shows."""
    async with Double([whole(body)] * 3) as vendor, Gateway.to(("openai", vendor)) as gateway:
        speaks(gateway, "chat")
        path, asked = ASKED["messages"](False)
        status, _, got = await gateway.post(path, asked)
        assert 502 == status
        assert b"upstream" in got
        assert ["upstream_broke"] == [one.fault for one in gateway.records]


class Taken:
    """An attempt, as far as the steps of a whole answer know it."""

    long = None


@pytest.mark.asyncio
async def test_the_steps_of_an_answer_that_nobody_waits_for_are_not_taken():
    """Its attempt has been let go of."""
    taken = []
    attempt = Taken()
    answer = WholeAnswer(b"x", None)

    def steps():
        for one in (None, None, answer):
            taken.append(one)
            yield one

    attempt.long = LongWhole(attempt, steps(), taken.append, taken.append)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    attempt.long = None
    await asyncio.sleep(0.01)
    assert taken.count(answer) == 0
    assert len(taken) < 3
