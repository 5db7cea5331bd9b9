"""Classes of speech and transcription models: which one, and what it takes."""

import pytest

from trivium.faults import Fault, Kind
from trivium.providers.audio import FORMATS, Stream, audio_class, is_known, names, rows
from trivium.providers.registry import PROVIDERS

WHICH = [
    ("speech", "openai", "tts-1", "", "tts"),
    ("speech", "openai", "tts-1-hd", "", "tts"),
    ("speech", "openai", "gpt-4o-mini-tts-2025-12-15", "", "speech"),
    ("speech", "groq", "canopylabs/orpheus-v1-english", "", "speech"),
    ("transcript", "openai", "whisper-1", "", "whisper"),
    ("transcript", "openrouter", "openai/whisper-1", "", "whisper"),
    ("transcript", "openai", "gpt-4o-transcribe", "", "transcribe"),
    ("transcript", "openai", "gpt-4o-mini-transcribe-2025-12-15", "", "transcribe"),
    ("transcript", "openai", "gpt-4o-transcribe-diarize", "", "diarize"),
    ("transcript", "openai", "gpt-transcribe", "", "gpt-transcribe"),
    ("transcript", "groq", "whisper-large-v3-turbo", "", "groq-whisper"),
    ("transcript", "vllm", "whisper-large-v3-turbo", "", "transcript"),
    ("transcript", "openai-compatible", "my-ears", "timed", "timed"),
    ("speech", "openai-compatible", "my-ears", "timed", "speech"),
]


@pytest.mark.parametrize(("kind", "provider", "model", "named", "expected"), WHICH)
def test_a_model_has_the_rules_of_its_name_or_of_its_binding(
    kind, provider, model, named, expected
):
    """The more specific name wins; a binding's word is last."""
    assert expected == audio_class(kind, provider, model, named).name


FORMAT_ROWS = [
    ("whisper-1", "srt", "srt"),
    ("whisper-1", "diarized_json", None),
    ("gpt-4o-transcribe", "json", "json"),
    ("gpt-4o-transcribe", "text", None),
    ("gpt-4o-transcribe-diarize", "text", "text"),
    ("gpt-4o-transcribe-diarize", "vtt", None),
    ("anything", "vtt", "vtt"),
]


@pytest.mark.parametrize(("model", "asked", "upstream"), FORMAT_ROWS)
def test_formats_by_class(model, asked, upstream):
    """The specification's own rules for the vendor's models."""
    rules = audio_class("transcript", "openai", model)
    if upstream is not None:
        assert upstream == rules.upstream_format(asked, model)
        return
    with pytest.raises(Fault) as caught:
        rules.upstream_format(asked, model)
    assert (Kind.UNREPRESENTABLE, "response_format") == (caught.value.kind, caught.value.param)


def test_what_an_upstream_cannot_make_is_asked_for_in_another_format():
    """Subtitles of times, text of JSON."""
    rules = audio_class("transcript", "groq", "whisper-large-v3")
    assert ["verbose_json", "verbose_json", "text"] == [
        rules.upstream_format(asked, "m") for asked in ("srt", "vtt", "text")
    ]
    timed = audio_class("transcript", "x", "m", "timed")
    assert "json" == timed.upstream_format("text", "m")


def test_a_class_refuses_members_by_name():
    """And no others."""
    rules = audio_class("speech", "openai", "tts-1")
    rules.permit({"input", "voice"}, "m")
    with pytest.raises(Fault, match="`instructions` is not taken by the model `m`"):
        rules.permit({"input", "instructions"}, "m")
    assert Stream.REFUSED is rules.stream


def test_the_table_is_sound():
    """Formats exist, providers exist, names are unique, each kind ends in a row for all."""
    assert len(names()) == len(set(names()))
    for row in rows():
        assert set(row.formats) | set(row.makes) <= set(FORMATS)
        assert set(row.providers) <= set(PROVIDERS)
        assert row.kind in ("speech", "transcript")
        assert row.source
    for kind in ("speech", "transcript"):
        assert ("*",) == [row.models for row in rows() if row.kind == kind][-1]


@pytest.mark.parametrize(
    ("kind", "model", "named", "expected"),
    [
        ("transcript", "whisper-1", "", True),
        ("speech", "whisper-1", "", False),
        ("transcript", "gpt-5", "", False),
        ("transcript", "my-ears", "timed", True),
        ("speech", "my-ears", "timed", False),
    ],
)
def test_a_model_is_known_for_its_sounds_by_more_than_the_last_row(kind, model, named, expected):
    """Which takes any name: a model of text would sing."""
    assert expected is is_known(kind, "openai-compatible", model, named)
