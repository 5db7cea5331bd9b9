"""Subtitles: what players read, whatever a segment holds."""

import pytest

from trivium.wire.audio.subtitles import SpeechSegment, srt, vtt

SEGMENTS = [
    SpeechSegment(0.0, 1.5, " Hello."),
    SpeechSegment(3599.9996, 3600.0, "A\n\nB --> <C> & D"),
]


def test_subrip():
    """Numbered from 1, with a comma; no empty line within a cue."""
    assert (
        "1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n"
        "2\n01:00:00,000 --> 01:00:00,000\nA B -> <C> & D\n"
    ) == srt(SEGMENTS)


def test_webvtt():
    """A signature, a point, and marks escaped."""
    assert (
        "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello.\n\n"
        "01:00:00.000 --> 01:00:00.000\nA B -&gt; &lt;C&gt; &amp; D\n"
    ) == vtt(SEGMENTS)


@pytest.mark.parametrize(
    ("start", "end", "shown"),
    [
        (1.0005, 2, "00:00:01,001 --> 00:00:02,000"),
        (-1, 2, "00:00:00,000 --> 00:00:02,000"),
        (5, 2, "00:00:05,000 --> 00:00:05,000"),
        (float("nan"), 1, "00:00:00,000 --> 00:00:00,000"),
        (360_000, 360_001, "100:00:00,000 --> 100:00:01,000"),
    ],
)
def test_times_are_never_nonsense(start, end, shown):
    """Whatever an upstream says."""
    assert shown in srt([SpeechSegment(start, end, "x")])


def test_nothing_said_is_no_cue():
    """A file of subtitles all the same."""
    assert ("", "WEBVTT\n") == (srt([]), vtt([]))
