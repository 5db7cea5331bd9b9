"""Transcripts over real sockets: the form goes on, the answer comes as it was asked for."""

import asyncio

import msgspec
import pytest

from gateway import VENDOR_KEY, Gateway, error_of
from pipeline.audio.forms import FILE, TRANSCRIPTIONS, TRANSLATIONS, WAV, ask, form, sent
from scripted_upstream import Close, Double, Reset, Send, Stall, Until, Wait, chunked, sized
from trivium.wire.audio.length.wav import header
from trivium.wire.multipart import Part

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
TEXT = b"Content-Type: text/plain\r\n"

WHOLE = b'{"text":"Hello there.","usage":{"type":"tokens","input_tokens":20,"output_tokens":4,"total_tokens":24,"input_token_details":{"text_tokens":2,"audio_tokens":18}}}'
VERBOSE = b'{"task":"transcribe","language":"english","duration":"2.5","text":"Hello. There.","segments":[{"id":0,"start":0.0,"end":1.25,"text":" Hello."},{"id":1,"start":1.25,"end":2.5,"text":" There."}]}'


@pytest.mark.asyncio
async def test_a_form_goes_on_with_the_models_own_name():
    """Order, unknown and repeated fields, the file's name, type and bytes are kept."""
    async with (
        Double([[Send(sized(WHOLE, headers=JSON))]]) as vendor,
        Gateway.to(("openai", vendor), upstream_model="gpt-4o-transcribe") as gateway,
    ):
        status, headers, body = await ask(gateway, language="en", x_new=["1", "2"])
        assert (200, WHOLE) == (status, body)
        assert b"application/json" == headers[b"content-type"]
        parts, files = sent(vendor.requests[0])
        assert [
            ("model", b"gpt-4o-transcribe"),
            ("language", b"en"),
            ("x_new[]", b"1"),
            ("x_new[]", b"2"),
            ("file", b""),
        ] == [(part.name, part.value) for part in parts]
        assert ("a b.wav", "audio/wav") == (parts[-1].filename, parts[-1].content_type)
        assert WAV == files
        assert (b"authorization", f"Bearer {VENDOR_KEY}".encode()) in vendor.requests[0].headers
        assert b"POST /v1/audio/transcriptions HTTP/1.1" == vendor.requests[0].line
        (record,) = gateway.records
        assert (2, 18, 4, 2.0, False) == (
            record.usage.fresh,
            record.usage.audio_input,
            record.usage.output,
            record.usage.seconds,
            record.usage.estimated,
        )
        assert record.bytes_in > len(WAV)
        assert 0 == gateway.listener.room.taken


PLAIN = b"text/plain; charset=utf-8"
SRT = b"1\n00:00:00,000 --> 00:00:01,250\nHello.\n\n2\n00:00:01,250 --> 00:00:02,500\nThere.\n"
VTT = b"WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nHello.\n\n00:00:01.250 --> 00:00:02.500\nThere.\n"
FORMATS = {
    # class, asked for, what the upstream is asked for, its answer, ours, our type
    "json": ("whisper", "json", "json", b'{"text":"Hi"}', b'{"text":"Hi"}', b"application/json"),
    "text": ("whisper", "text", "text", b"Hi\n", b"Hi\n", PLAIN),
    "srt": ("whisper", "srt", "srt", SRT, SRT, PLAIN),
    "vtt": ("whisper", "vtt", "vtt", VTT, VTT, PLAIN),
    "verbose": ("whisper", "verbose_json", "verbose_json", VERBOSE, VERBOSE, b"application/json"),
    "text made": ("timed", "text", "json", b'{"text":"Hi"}', b"Hi\n", PLAIN),
    "text of what knows only json": ("whisper", "text", "text", b'{"text":"Hi"}', b"Hi\n", PLAIN),
    "srt of what knows only json": ("whisper", "srt", "srt", VERBOSE, SRT, PLAIN),
    "srt made": ("timed", "srt", "verbose_json", VERBOSE, SRT, PLAIN),
    "vtt made": ("timed", "vtt", "verbose_json", VERBOSE, VTT, PLAIN),
    "diarized": (
        "diarize",
        "diarized_json",
        "diarized_json",
        b'{"text":"Hi","segments":[]}',
        b'{"text":"Hi","segments":[]}',
        b"application/json",
    ),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", FORMATS)
async def test_each_format_is_given_by_the_upstream_or_made_of_what_it_gives(name):
    """Subtitles of segments where it knows times but no subtitles; text is never JSON."""
    kind, asked, upstream, answer, ours, label = FORMATS[name]
    script = [Send(sized(answer, headers=TEXT if answer[:1] != b"{" else JSON))]
    async with (
        Double([script]) as vendor,
        Gateway.to(("openai", vendor), binding={"audio": kind}) as gateway,
    ):
        status, headers, body = await ask(gateway, response_format=asked)
        assert (200, ours, label) == (status, body, headers[b"content-type"])
        parts, _ = sent(vendor.requests[0])
        assert upstream == {p.name: p.value.decode() for p in parts}["response_format"]


REFUSED = {
    # class, fields, member
    "json only": ("gpt-4o-transcribe", {"response_format": "text"}, "response_format"),
    "json only, mini": ("gpt-4o-mini-transcribe", {"response_format": "srt"}, "response_format"),
    "speakers by the wrong model": (
        "whisper-1",
        {"response_format": "diarized_json"},
        "response_format",
    ),
    "subtitles of speakers": (
        "gpt-4o-transcribe-diarize",
        {"response_format": "srt"},
        "response_format",
    ),
    "prompt": ("gpt-4o-transcribe-diarize", {"prompt": "x"}, "prompt"),
    "words of a model without times": (
        "gpt-4o-transcribe",
        {"response_format": "verbose_json", "timestamp_granularities": ["word"]},
        "timestamp_granularities",
    ),
    "logprobs": ("whisper-1", {"include": ["logprobs"]}, "include"),
    "keywords": ("gpt-4o-transcribe", {"keywords": ["a"]}, "keywords"),
    "no such format": ("x", {"response_format": "xml"}, "response_format"),
    "granularity": (
        "x",
        {"response_format": "verbose_json", "timestamp_granularities": ["line"]},
        "timestamp_granularities",
    ),
    "granularity without times": (
        "x",
        {"timestamp_granularities": ["word"]},
        "timestamp_granularities",
    ),
    "include": ("x", {"include": ["tokens"]}, "include"),
    "too hot": ("x", {"temperature": "1.5"}, "temperature"),
    "no number": ("x", {"temperature": "warm"}, "temperature"),
    "no boolean": ("x", {"stream": "perhaps"}, "stream"),
    "streamed subtitles": ("x", {"stream": "true", "response_format": "srt"}, "response_format"),
    "five speakers": (
        "x",
        {
            "known_speaker_names": list("abcde"),
            "known_speaker_references": ["data:audio/wav;base64,eA=="] * 5,
        },
        "known_speaker_names",
    ),
    "speakers without samples": (
        "x",
        {"known_speaker_names": ["a"]},
        "known_speaker_references",
    ),
    "samples by address": (
        "x",
        {"known_speaker_names": ["a"], "known_speaker_references": ["https://x.example/a.wav"]},
        "known_speaker_references",
    ),
    "wishes": ("x", {"trivium": "{}"}, "trivium"),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", REFUSED)
async def test_what_a_model_does_not_take_is_refused_by_name(name):
    """Before anybody is called."""
    model, values, member = REFUSED[name]
    async with (
        Double([[Send(sized(WHOLE, headers=JSON))]]) as vendor,
        Gateway.to(("openai", vendor), upstream_model=model) as gateway,
    ):
        status, _, body = await ask(gateway, **values)
        assert (400, member) == (status, error_of(body)["param"])
        assert [] == vendor.requests


MISSHAPEN = {
    "no file": ((Part(name="other", filename="a", value=b"x"),), {}, 400, "`file` is required"),
    "file as text": ((Part(name="file", value=b"x"),), {}, 400, "must be a file"),
    "empty file": ((Part(name="file", filename="a"),), {}, 400, "empty file"),
    "two files": ((FILE, FILE), {}, 400, "more than one `file`"),
    "no model": ((FILE,), {"model": ""}, 400, "`model` must not be empty"),
    "two models": ((FILE, Part(name="model", value=b"n")), {}, 400, "occurs twice"),
    "unknown model": ((FILE,), {"model": "nothing"}, 404, "nothing"),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", MISSHAPEN)
async def test_a_form_that_lacks_something_is_told_what(name):
    """Each in the caller's dialect."""
    parts, values, code, why = MISSHAPEN[name]
    async with Double([[Send(b"")]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, _, body = await ask(gateway, TRANSCRIPTIONS, *parts, **values)
        assert code == status
        assert why in error_of(body)["message"]
        assert [] == vendor.requests
        assert 0 == gateway.listener.room.taken


@pytest.mark.asyncio
async def test_a_body_that_is_no_form_is_a_415():
    """It says what to send instead."""
    async with Double([[Send(b"")]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        for sent in ({"model": "m"}, b"RIFF\x00\xff", b""):
            status, _, body = await gateway.post(TRANSCRIPTIONS, sent)
            assert 415 == status
            assert "multipart/form-data" in error_of(body)["message"]
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_a_long_recording_needs_a_way_to_be_cut_where_speakers_are_told_apart():
    """Only beyond the class's limit, and only where the length is known."""
    long = Part(name="file", filename="a.wav", value=header(1_500_000, 24_000) + bytes(1_500_000))
    script = [Send(sized(b'{"text":"Hi"}', headers=JSON))]
    async with (
        Double([script]) as vendor,
        Gateway.to(("openai", vendor), upstream_model="gpt-4o-transcribe-diarize") as gateway,
    ):
        status, _, body = await ask(gateway, TRANSCRIPTIONS, long)
        assert (400, "chunking_strategy") == (status, error_of(body)["param"])
        assert 200 == (await ask(gateway, TRANSCRIPTIONS, long, chunking_strategy="auto"))[0]
        assert 200 == (await ask(gateway))[0]


DELTA = b'data: {"type":"transcript.text.delta","delta":"Hel"}\n\n'
DONE = b'data: {"type":"transcript.text.done","text":"Hello","usage":{"type":"tokens","input_tokens":9,"output_tokens":2,"total_tokens":11}}\n\n'


@pytest.mark.asyncio
async def test_a_transcript_streams():
    """Events untouched; the last one's usage, and the seconds that were measured."""
    async with (
        Double([[Send(chunked(DELTA, DONE, headers=SSE))]]) as vendor,
        Gateway.to(("openai", vendor), upstream_model="gpt-4o-transcribe") as gateway,
    ):
        status, headers, body = await ask(gateway, stream="true")
        assert (200, DELTA + DONE) == (status, body)
        assert headers[b"content-type"].startswith(b"text/event-stream")
        (record,) = gateway.records
        assert (9, 2, 2.0, True) == (
            record.usage.fresh,
            record.usage.output,
            record.usage.seconds,
            record.stream,
        )


@pytest.mark.asyncio
async def test_a_model_that_ignores_the_wish_for_a_stream_is_given_one():
    """The whole text as one delta; the vendor is not asked."""
    async with (
        Double(
            [
                [
                    Send(
                        sized(
                            b'{"text":"Hello","usage":{"type":"duration","seconds":2}}',
                            headers=JSON,
                        )
                    )
                ]
            ]
        ) as vendor,
        Gateway.to(("openai", vendor), upstream_model="whisper-1") as gateway,
    ):
        _, headers, body = await ask(gateway, stream="true")
        assert headers[b"content-type"].startswith(b"text/event-stream")
        events = [msgspec.json.decode(line[6:]) for line in body.split(b"\n\n") if line]
        assert [
            {"type": "transcript.text.delta", "delta": "Hello"},
            {
                "type": "transcript.text.done",
                "text": "Hello",
                "usage": {"type": "duration", "seconds": 2},
            },
        ] == events
        parts, _ = sent(vendor.requests[0])
        assert "stream" not in {part.name for part in parts}


@pytest.mark.asyncio
async def test_a_stream_that_breaks_off_ends_with_an_error_event():
    """And the record says why."""
    script = [
        Send(
            b"HTTP/1.1 200 OK\r\n"
            + SSE
            + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (len(DELTA), DELTA)
        ),
        Wait(0.05),
        Close(),
    ]
    async with (
        Double([script]) as vendor,
        Gateway.to(("openai", vendor), upstream_model="gpt-4o-transcribe") as gateway,
    ):
        _, _, body = await ask(gateway, stream="true")
        assert body.startswith(DELTA + b"event: error\ndata: ")
        assert ["upstream_broke"] == [record.fault for record in gateway.records]


NO_TRANSCRIPT = {
    "an error with 200": (
        "json",
        JSON,
        b'{"error":{"message":"bad sound","type":"invalid_request_error"}}',
        "failed to answer",
    ),
    "an error as text": (
        "text",
        TEXT,
        b'{"error":{"message":"bad sound","type":"invalid_request_error"}}',
        "failed to answer",
    ),
    "no text": ("json", JSON, b'{"words":[]}', "not what its protocol says"),
    "half an answer": ("json", JSON, b'{"text":"He', "not what its protocol says"),
    "bytes": ("srt", TEXT, b"\xff\xfe", "not what its protocol says"),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", NO_TRANSCRIPT)
async def test_what_is_no_transcript_is_not_relayed_as_one(name):
    """An error is told as one."""
    asked, headers, answer, why = NO_TRANSCRIPT[name]
    async with (
        Double([[Send(sized(answer, headers=headers))]]) as vendor,
        Gateway.to(("openai", vendor), upstream_model="whisper-1") as gateway,
    ):
        status, _, body = await ask(gateway, response_format=asked)
        assert status >= 400
        assert why in error_of(body)["message"]


@pytest.mark.asyncio
async def test_subtitles_cannot_be_made_without_times():
    """Then it is the upstream that failed."""
    async with (
        Double([[Send(sized(b'{"text":"Hi"}', headers=JSON))]]) as vendor,
        Gateway.to(("openai", vendor), binding={"audio": "timed"}) as gateway,
    ):
        status, _, body = await ask(gateway, response_format="srt")
        assert 502 == status
        assert "no times" in error_of(body)["message"]


@pytest.mark.asyncio
async def test_a_translation_is_a_transcript_without_speakers_or_streams():
    """Its own path, and fewer formats."""
    async with (
        Double([[Send(sized(b'{"text":"Hi"}', headers=JSON))]]) as vendor,
        Gateway.to(("openai", vendor), upstream_model="whisper-1") as gateway,
    ):
        assert 200 == (await ask(gateway, TRANSLATIONS))[0]
        assert b"POST /v1/audio/translations HTTP/1.1" == vendor.requests[0].line
        for values in ({"response_format": "diarized_json"}, {"stream": "true"}):
            status, _, body = await ask(gateway, TRANSLATIONS, **values)
            assert (400, *values) == (status, error_of(body)["param"])


@pytest.mark.asyncio
async def test_a_failed_attempt_is_followed_by_another_with_the_whole_form():
    """The upload is read again from its start."""
    big = Part(name="file", filename="a.wav", value=header(3_000_000, 24_000) + bytes(3_000_000))
    async with (
        Double([[Send(sized(b"{}", status=b"503 Busy", headers=JSON))]]) as bad,
        Double([[Send(sized(WHOLE, headers=JSON))]]) as good,
        Gateway.to(
            ("openai", bad), ("openai", good), upstream_model="gpt-4o-transcribe"
        ) as gateway,
    ):
        status, headers, _ = await ask(gateway, TRANSCRIPTIONS, big)
        assert (200, b"2") == (status, headers[b"trivium-attempts"])
        assert 3_000_044 == len(sent(bad.requests[0])[1]) == len(sent(good.requests[0])[1])
        assert 0 == gateway.listener.room.taken


LEAVES = {"in the upload": 500_000, "before the answer": None}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", LEAVES)
async def test_a_caller_that_leaves_stops_the_vendor_and_leaves_nothing(name):
    """Neither a file nor a call."""
    cut = LEAVES[name]
    big = Part(name="file", filename="a.wav", value=header(3_000_000, 24_000) + bytes(3_000_000))
    kind, body = form(big, model="m")
    async with Double([[Stall()]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        raw = gateway.head(TRANSCRIPTIONS, body, kind)
        await line.send(raw[:cut] if cut else raw)
        async with asyncio.timeout(20):
            if cut:
                while not gateway.listener.room.taken:
                    await asyncio.sleep(0.01)
            else:
                while not vendor.requests:
                    await asyncio.sleep(0.01)
        await line.close()
        async with asyncio.timeout(20):
            if not cut:
                await vendor.peers[0].left.wait()
            while gateway.listener.room.taken:
                await asyncio.sleep(0.01)
        assert (0 if cut else 1) == len(gateway.records)


@pytest.mark.asyncio
async def test_a_vendor_that_dies_in_the_middle_of_the_upload_is_a_502():
    """No other channel: the caller is told."""
    big = Part(name="file", filename="a.wav", value=bytes(30_000_000))
    async with Double([[Reset()]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        vendor.read_bodies = False
        status, _, _ = await ask(gateway, TRANSCRIPTIONS, big)
        assert 502 == status
        assert 0 == gateway.listener.room.taken


@pytest.mark.asyncio
async def test_an_estimated_length_is_marked():
    """A recording that nobody can read is billed by its size, and the answer says so."""
    odd = Part(name="file", filename="a.xyz", value=b"?" * 8000)
    async with (
        Double([[Send(sized(b'{"text":"Hi"}', headers=JSON))]]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        _, headers, _ = await ask(gateway, TRANSCRIPTIONS, odd)
        assert b"usage" == headers[b"trivium-estimated"]
        (record,) = gateway.records
        assert (2.0, True) == (record.usage.seconds, record.usage.estimated)


@pytest.mark.asyncio
async def test_a_slow_upload_that_goes_on_is_served():
    """As long as it is no slower than the limit."""
    go_on = asyncio.Event()
    script = [Until(go_on), Send(sized(WHOLE, headers=JSON))]
    kind, body = form(model="m")
    async with Double([script]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        line = await gateway.wire()
        raw = gateway.head(TRANSCRIPTIONS, body, kind)
        for start in range(0, len(raw), 10_000):
            await line.send(raw[start : start + 10_000])
            await asyncio.sleep(0.01)
        go_on.set()
        assert 200 == (await line.answer())[0]
        await line.close()
