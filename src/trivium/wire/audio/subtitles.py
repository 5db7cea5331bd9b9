"""Subtitles from segments: SubRip and WebVTT, for upstreams that only give times and texts.

Sources: W3C WebVTT (Candidate Recommendation), the SubRip format as the reference implementation of
Whisper writes it (openai/whisper, ``utils.py``), read 2026-11-21.
"""

import math
from collections.abc import Sequence
from typing import Final

import msgspec

_ARROW: Final = "-->"


class SpeechSegment(msgspec.Struct, frozen=True):
    """One stretch of speech; seconds from the start of the recording."""

    start: float
    end: float
    text: str


def srt(segments: Sequence[SpeechSegment]) -> str:
    """SubRip: numbered, a comma before the milliseconds."""
    return "\n".join(
        f"{number}\n{_time(one.start, ',')} {_ARROW} {_time(_end(one), ',')}\n{_line(one.text)}\n"
        for number, one in enumerate(segments, 1)
    )


def vtt(segments: Sequence[SpeechSegment]) -> str:
    """WebVTT: a signature first, a point before the milliseconds."""
    cues = (
        f"{_time(one.start, '.')} {_ARROW} {_time(_end(one), '.')}\n{_escaped(_line(one.text))}\n"
        for one in segments
    )
    return "\n".join(["WEBVTT\n", *cues])


def _end(segment: SpeechSegment) -> float:
    return max(segment.start, segment.end)


def _time(seconds: float, mark: str) -> str:
    whole = max(0, math.floor(seconds * 1000 + 0.5)) if math.isfinite(seconds) else 0
    minutes, rest = divmod(whole, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{rest // 1000:02d}{mark}{rest % 1000:03d}"


def _line(text: str) -> str:
    """Without what would end the cue or look like a time."""
    return " ".join(text.split()).replace(_ARROW, "->")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
