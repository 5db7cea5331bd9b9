"""Speech by models of the generate-content shape: text in, samples out.

They answer with bare samples (``audio/L16;codec=pcm;rate=24000``) in base64, whatever is asked for;
a WAV file is those behind a header, and every other format would take an encoder. Source:
ai.google.dev, "Speech generation", and google-genai 3.4.0 (``SpeechConfig``), read 2026-11-21.
"""

import base64
import binascii
import re
from typing import Any, Final

import msgspec

from trivium.conversation.losses import Rank, Report
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.audio.length.wav import RATE, header
from trivium.wire.audio.speech import SpeechRequest
from trivium.wire.checks import uncarried
from trivium.wire.generate.read_usage import usage as usage_of
from trivium.wire.lenient import decoded

FORMATS: Final = ("wav", "pcm")
"""What can be made without an encoder."""
_RATE: Final = re.compile(r"rate=(\d{4,6})")
_encode = msgspec.json.Encoder().encode


class _Blob(msgspec.Struct, gc=False, rename="camel"):
    mime_type: str = ""
    data: str = ""


class _Part(msgspec.Struct, gc=False, rename="camel"):
    inline_data: _Blob | None = None


class _Content(msgspec.Struct, gc=False):
    parts: list[_Part] | None = None


class _Candidate(msgspec.Struct, gc=False, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None


class _Answer(msgspec.Struct, gc=False, rename="camel"):
    candidates: list[_Candidate] | None = None
    usage_metadata: dict[str, Any] | None = None
    error: msgspec.Raw = msgspec.Raw()


_decode: Final = msgspec.json.Decoder(_Answer).decode


class PcmSound(msgspec.Struct, frozen=True):
    """Samples: 16 bits, little-endian, one channel."""

    samples: bytes
    rate: int
    usage: Usage | None

    @property
    def seconds(self) -> float:
        """How long they sound."""
        return len(self.samples) / (2 * self.rate)

    def written(self, asked: str) -> bytes:
        """As a file of one of ``FORMATS``."""
        head = header(len(self.samples), self.rate) if asked == "wav" else b""
        return head + self.samples


def write_request(wanted: SpeechRequest, report: Report) -> bytes:
    """The body of a generate-content request. Raises ``Fault`` (UNREPRESENTABLE)."""
    if wanted.format not in FORMATS:
        raise uncarried(
            "response_format",
            f"`response_format` {wanted.format} cannot be had from {report.target}, which gives "
            f"bare samples: ask for {' or '.join(FORMATS)}.",
        )
    if wanted.speed != 1:
        report.drop(Rank.HINT, "speed", "not taken by this model; say it in the instructions")
    # the vendor's own way to steer a voice is a sentence before the text
    text = (
        f"{wanted.instructions.rstrip(' .:')}:\n{wanted.text}"
        if wanted.instructions
        else wanted.text
    )
    voice = {"prebuiltVoiceConfig": {"voiceName": wanted.voice}}
    body: dict[str, Any] = {
        "contents": [{"role": "user", "parts": [{"text": text}]}],
        "generationConfig": {
            "responseModalities": ["AUDIO"],
            "speechConfig": {"voiceConfig": voice},
        },
    }
    return _encode(body)


def read_answer(body: bytes) -> PcmSound | bytes:
    """The sound of a whole answer, or the raw ``error`` that came in its place.

    Raises ``Fault`` (UPSTREAM_BROKE, CONTENT_POLICY) when there is no sound in it.
    """
    if (view := decoded(_decode, body)) is None:
        raise _silent("is not what its protocol says")
    if view.error and bytes(view.error) not in (b"null", b"{}"):
        return bytes(view.error)
    samples: list[bytes] = []
    rate = RATE
    reason = None
    for candidate in (view.candidates or [])[:1]:
        reason = candidate.finish_reason
        for part in (candidate.content.parts if candidate.content else None) or []:
            blob = part.inline_data
            if blob is None or not blob.data:
                continue
            found = _RATE.search(blob.mime_type)
            if not blob.mime_type.lower().startswith(("audio/l16", "audio/pcm")):
                raise _silent("is in a format that the gateway cannot read")
            rate = int(found[1]) if found else RATE
            samples.append(_decoded(blob.data))
    sound = b"".join(samples)
    if not sound:
        if reason in ("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION"):
            raise Fault(Kind.CONTENT_POLICY, "The upstream refuses to speak this text.")
        raise _silent("holds no sound")
    return PcmSound(sound, rate, _spoken(view.usage_metadata))


def _spoken(reported: dict[str, Any] | None) -> Usage | None:
    """Usage in which what was put out is audio, also where no details say so."""
    found = usage_of(reported)
    if found is None:
        return None
    return msgspec.structs.replace(found, output=0, audio_output=found.audio_output + found.output)


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise _silent("is not what its protocol says") from None


def _silent(why: str) -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, f"The upstream's answer {why}.")
