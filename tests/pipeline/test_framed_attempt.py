"""Answers in a cloud's words: what the caller is sent, the record and the bill are one and the same."""

import json

import pytest

from gateway import Gateway, error_of
from pipeline.test_surface import CLAUDE, EVENTS, JSON, MESSAGE, PLACE, SSE, frames, wire
from scripted_upstream import Double, Send, Wait, chunked, sized
from trivium.faults import Fault, Kind
from trivium.pipeline import surface
from trivium.wire.bedrock import chunks
from trivium.wire.surface import Surface

INVOKE = "/model/m/invoke"
STREAM = "/model/m/invoke-with-response-stream"
OK = [Send(sized(MESSAGE, headers=JSON))]
PREDICT = {"instances": [{"content": "a"}]}


def cannot(body):
    """No words for any answer."""
    raise Fault(Kind.UPSTREAM_BROKE, "There are no words for it.")


@pytest.fixture
def wordless(monkeypatch):
    """Whole answers that nothing is made of."""
    own = surface._framing

    def framing(context):
        if context.route.surface in (Surface.INVOKE, Surface.PREDICT_VECTORS):
            return surface.Rewording(cannot)
        return own(context)

    monkeypatch.setattr(surface, "_framing", framing)


@pytest.mark.asyncio
async def test_a_whole_answer_without_words_is_a_failed_attempt_and_costs_nothing(wordless):
    """The caller hears of it with the status that is recorded, Amazon's for what is a 502."""
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, _, got = await gateway.post(INVOKE, CLAUDE)
        assert (500, "There are no words for it.") == (status, error_of(got)["message"])
        (record,) = gateway.records
        assert (500, "upstream_broke", None) == (record.status, record.fault, record.usage)
        assert len(gateway.services.ledger.holds) == len(gateway.services.ledger.settled) == 1


@pytest.mark.asyncio
async def test_another_channel_may_have_words():
    """An answer of vectors that holds none; the second channel's does."""
    vectors = {"embeddings": [{"values": [1, 0.5]}]}
    bad = [Send(sized(b'{"embeddings":7}', headers=JSON))]
    good = [Send(sized(json.dumps(vectors).encode(), headers=JSON))]
    async with (
        Double([bad]) as first,
        Double([good]) as second,
        Gateway.to(("gemini", first), ("gemini", second)) as gateway,
    ):
        status, headers, got = await gateway.post(f"{PLACE}/google/models/m:predict", PREDICT)
        assert (200, b"gemini-1") == (status, headers[b"trivium-channel"])
        assert [[1, 0.5]] == [one["embeddings"]["values"] for one in json.loads(got)["predictions"]]
        (record,) = gateway.records
        assert (200, "", 2) == (record.status, record.fault, record.attempts)


@pytest.mark.asyncio
async def test_vectors_that_are_none_are_a_502_everywhere():
    """With one channel: the answer, its record, and nothing to pay."""
    bad = [Send(sized(b'{"embeddings":7}', headers=JSON))]
    async with Double([bad]) as vendor, Gateway.to(("gemini", vendor)) as gateway:
        status, _, _ = await gateway.post(f"{PLACE}/google/models/m:predict", PREDICT)
        (record,) = gateway.records
        assert (502, 502, "upstream_broke") == (status, record.status, record.fault)
        assert [None] == [usage for _, usage in gateway.services.ledger.settled]


@pytest.mark.asyncio
async def test_headers_of_an_answer_in_such_words_are_there_once():
    """Also where another channel failed before."""
    failed = [Send(sized(b"no", status=b"500 Oops"))]
    async with (
        Double([failed]) as first,
        Double([OK]) as second,
        Gateway.to(("anthropic", first), ("anthropic", second)) as gateway,
    ):
        status, headers, got = await gateway.post(INVOKE, CLAUDE)
        assert (200, MESSAGE) == (status, got)
        assert b"9" == headers[b"x-amzn-bedrock-input-token-count"]


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", [None, 100])
async def test_a_stream_with_an_event_that_no_frame_has_room_for_is_recorded_as_it_ended(
    cut, monkeypatch
):
    """What came before it was sent and is paid; the vendor is not read on."""
    monkeypatch.setattr(chunks, "EVENT_BYTES_MAX", 600)
    long = {**EVENTS[2], "delta": {"type": "text_delta", "text": "x" * 700}}
    said = wire(*EVENTS[:3], long, *EVENTS[3:])
    answer = [Send(chunked(said, headers=SSE), cut=cut)]
    async with Double([answer]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, _, got = await gateway.post(STREAM, CLAUDE)
        found = frames(got)
        assert 200 == status
        assert ["chunk"] * 3 == [kind for kind, _ in found[:-1]]
        assert "validationException" == found[-1][0]
        assert "too long for a frame" in found[-1][1]["message"]
        (record,) = gateway.records
        assert (200, "unrepresentable") == (record.status, record.fault)
        ((_, usage),) = gateway.services.ledger.settled
        assert 9 == usage.fresh


@pytest.mark.asyncio
async def test_a_stream_that_no_channel_begins_ends_in_frames():
    """After a heartbeat has sent its head."""
    answer = [Wait(0.4), Send(sized(b"no", status=b"500 Oops"))]
    async with (
        Double([answer]) as vendor,
        Gateway.to(("anthropic", vendor), heartbeat_s=0.1) as gateway,
    ):
        _, _, got = await gateway.post(STREAM, CLAUDE)
        assert frames(got)[-1][0].endswith("Exception")
        assert gateway.records[0].fault
