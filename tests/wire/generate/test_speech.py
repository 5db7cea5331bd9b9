"""Speech of generate-content models: a request written, samples read."""

import base64

import msgspec
import pytest

from trivium.conversation.losses import Report
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.audio.speech import SpeechRequest
from trivium.wire.generate.speech import PcmSound, read_answer, write_request

WISH = SpeechRequest(text="Hi", voice="Kore", format="wav")
PCM = base64.b64encode(b"\x01\x02" * 8).decode()


def answered(*parts, **more):
    content = {"parts": list(parts)}
    return msgspec.json.encode({"candidates": [{"content": content, **more}]})


def blob(data=PCM, mime="audio/L16;codec=pcm;rate=16000"):
    return {"inlineData": {"mimeType": mime, "data": data}}


def test_a_request_names_voice_and_modality():
    """Instructions before the text, as the vendor steers a voice."""
    sent = msgspec.json.decode(
        write_request(
            msgspec.structs.replace(WISH, instructions="Say cheerfully: "), Report("gemini")
        )
    )
    assert "Say cheerfully:\nHi" == sent["contents"][0]["parts"][0]["text"]
    assert {
        "responseModalities": ["AUDIO"],
        "speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": "Kore"}}},
    } == sent["generationConfig"]


@pytest.mark.parametrize("asked", ["mp3", "opus", "aac", "flac"])
def test_what_needs_an_encoder_is_refused(asked):
    """With what can be had."""
    with pytest.raises(Fault, match="wav or pcm") as caught:
        write_request(msgspec.structs.replace(WISH, format=asked), Report("gemini"))
    assert (Kind.UNREPRESENTABLE, "response_format") == (caught.value.kind, caught.value.param)


def test_a_pace_is_dropped_and_said():
    """Or refused in strict mode."""
    report = Report("gemini")
    fast = msgspec.structs.replace(WISH, speed=2.0)
    write_request(fast, report)
    assert "speed" == report.dropped_names()
    with pytest.raises(Fault):
        write_request(fast, Report("gemini", strict=True))


def test_samples_of_all_parts_are_one_sound():
    """Text between is not spoken; the rate is the vendor's."""
    found = read_answer(answered(blob(), {"text": "hm"}, blob()))
    assert PcmSound(b"\x01\x02" * 16, 16_000, None) == found
    assert 0.001 == found.seconds
    assert b"RIFF" == found.written("wav")[:4]
    assert b"\x01\x02" * 16 == found.written("pcm")


def test_what_is_put_out_is_audio():
    """Also where no details say so."""
    raw = msgspec.json.decode(answered(blob()))
    raw["usageMetadata"] = {
        "promptTokenCount": 3,
        "candidatesTokenCount": 25,
        "totalTokenCount": 28,
    }
    assert Usage(fresh=3, audio_output=25) == read_answer(msgspec.json.encode(raw)).usage


BAD = {
    "no JSON": (b"<html>", Kind.UPSTREAM_BROKE),
    "no candidates": (b"{}", Kind.UPSTREAM_BROKE),
    "only text": (answered({"text": "I cannot"}), Kind.UPSTREAM_BROKE),
    "refused": (answered(finishReason="SAFETY"), Kind.CONTENT_POLICY),
    "no base64": (answered(blob("!")), Kind.UPSTREAM_BROKE),
    "another format": (answered(blob(mime="audio/mpeg")), Kind.UPSTREAM_BROKE),
}


@pytest.mark.parametrize("name", BAD)
def test_an_answer_without_sound_is_a_fault(name):
    """Never an empty file."""
    body, kind = BAD[name]
    with pytest.raises(Fault) as caught:
        read_answer(body)
    assert kind is caught.value.kind


def test_an_error_is_handed_on():
    """For the provider to read."""
    assert b'{"code":429}' == read_answer(b'{"error":{"code":429}}')
