"""A transcript as an upstream gives it, and as the caller wants it.

An upstream that knows times but no subtitles is asked for the former, and the latter are made here.
"""

import re
from collections.abc import Callable
from typing import Annotated, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.audio.subtitles import SpeechSegment, srt, vtt
from trivium.wire.audio.usage import complete, reported
from trivium.wire.errors import nonsense
from trivium.wire.lenient import decoded, error_of
from trivium.wire.passage import AnswerFacts

PLAIN: Final = b"text/plain; charset=utf-8"
"""Of text and subtitles. Never JSON: openai-node would parse it (run 2026-11-21)."""
JSON: Final = b"application/json"
WRITTEN: Final = frozenset({"json", "verbose_json", "diarized_json"})
"""Formats that are JSON; all others are text."""
_PAGE: Final = re.compile(rb"\s*<(?:!doctype|html)\b", re.IGNORECASE)
_ANY: Final = re.compile(rb"")
_TIMED: Final = {
    "srt": re.compile(rb"-->|\A\s*\Z"),
    "vtt": re.compile(rb"\A(?:\xef\xbb\xbf)?\s*WEBVTT"),
}
"""What tells that subtitles are some; those of silence are empty, or a head."""
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e6)]


class _Body(msgspec.Struct, gc=False):
    text: str | None = None
    error: msgspec.Raw = msgspec.Raw()
    usage: msgspec.Raw = msgspec.Raw()
    duration: msgspec.Raw = msgspec.Raw()
    segments: msgspec.Raw = msgspec.Raw()


_decode: Final = msgspec.json.Decoder(_Body).decode
_segments: Final = msgspec.json.Decoder(list[SpeechSegment], strict=False).decode
_duration: Final = msgspec.json.Decoder(_Seconds, strict=False).decode


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON answer, read as far as it matters."""

    text: str
    usage: Usage
    counts: msgspec.Raw
    """The upstream's own usage; empty for none."""
    segments: msgspec.Raw


def read(body: bytes, known: Usage, refused: Callable[[bytes], Fault]) -> Transcript:
    """A whole answer in JSON. ``known``: what is used whatever it says.

    Raises ``Fault``: as ``refused`` makes it of an error, UPSTREAM_BROKE for anything else.
    """
    if (view := decoded(_decode, body)) is None:
        raise nonsense()
    error = error_of(view.error)
    if error is not None:
        raise refused(error)
    if view.text is None:
        raise nonsense()
    found = reported(view.usage)
    if found is None or found.seconds is None:
        # some upstreams write it as text
        length = decoded(_duration, view.duration) if view.duration else None
        if length is not None:
            found = msgspec.structs.replace(found or Usage(), seconds=length)
    return Transcript(
        text=view.text, usage=complete(known, found), counts=view.usage, segments=view.segments
    )


def plain(
    body: bytes, known: Usage, refused: Callable[[bytes], Fault], asked: str = "text"
) -> Transcript | None:
    """An answer that should be text: ``None`` where it is, a transcript in JSON from an upstream
    that knows nothing else. Raises ``Fault`` for an error, a web page, subtitles without times.
    """
    start = body.lstrip()[:1]
    if start == b"{":
        view = decoded(_decode, body) or _Body()
        if view.text is not None or error_of(view.error) is not None:
            return read(body, known, refused)
    try:
        body.decode()
    except UnicodeDecodeError:
        raise nonsense() from None
    if _PAGE.match(body) or not _TIMED.get(asked, _ANY).search(body):
        raise nonsense()
    return None


def refusal(body: bytes, refused: Callable[[bytes], Fault]) -> Fault:
    """What JSON means that came in the place of a recording: an error, else a broken answer."""
    view = decoded(_decode, body)
    error = None if view is None else error_of(view.error)
    return nonsense() if error is None else refused(error)


def written(found: Transcript, asked: str) -> bytes:
    """A transcript as text or subtitles. Raises ``Fault`` (UPSTREAM_BROKE) without times."""
    if asked == "text":
        return f"{found.text}\n".encode()
    if (segments := decoded(_segments, found.segments)) is None:
        why = "The upstream gave no times, of which subtitles could be made."
        raise Fault(Kind.UPSTREAM_BROKE, why)
    return (srt(segments) if asked == "srt" else vtt(segments)).encode()


def answer(body: bytes) -> AnswerFacts:
    """What a whole transcript says about itself. Raises ``Fault`` for an error or no transcript."""
    if (view := decoded(_decode, body)) is None:
        raise nonsense()
    error = error_of(view.error)
    if error is None and view.text is None:
        raise nonsense()
    return AnswerFacts(usage=reported(view.usage), error=error)
