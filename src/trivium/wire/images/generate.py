"""Pictures from a generate-content model: the request it is asked with, and its answer read.

One picture a request, as PNG or whatever it likes to make; what cannot be said there is refused or
told by rank (docs/translation-model.md, "The ladder"). Source: google-genai 3.4.0,
``GenerateContentConfig``, ``ImageConfig``; read 2026-11-21.
"""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from trivium.conversation.losses import DropAction, Rank, Report
from trivium.conversation.usage import GeneratedImages, Usage
from trivium.faults import Fault, Kind
from trivium.wire.generate.read_usage import usage as usage_of
from trivium.wire.images.request import ImageRequest
from trivium.wire.lenient import decoded, error_of

_encode: Final = msgspec.json.Encoder().encode
_ABSENT: Final = msgspec.Raw()

Frame = Callable[[str], tuple[str, str, bool] | None]
"""Aspect ratio, resolution and whether it is exact, of a size."""


class SourceImage(msgspec.Struct, frozen=True, gc=False):
    """A picture to go from."""

    mime: str
    base64: str


def write_request(
    wanted: ImageRequest, sources: Sequence[SourceImage], frame: Frame, report: Report
) -> bytes:
    """The body for the upstream. Raises ``Fault`` (UNREPRESENTABLE) naming the member."""
    _leave_out(wanted, report)
    config: dict[str, Any] = {"responseModalities": ["TEXT", "IMAGE"]}
    if wanted.size not in (None, "auto"):
        config["imageConfig"] = _frame(str(wanted.size), frame, report)
    parts: list[dict[str, Any]] = [
        {"inlineData": {"mimeType": one.mime, "data": one.base64}} for one in sources
    ]
    parts.append({"text": wanted.prompt or ""})
    return _encode({"contents": [{"role": "user", "parts": parts}], "generationConfig": config})


def _leave_out(wanted: ImageRequest, report: Report) -> None:
    """Say what is not carried. Raises ``Fault`` (UNREPRESENTABLE) for what callers rely on."""
    if wanted.n is not None and wanted.n > 1:
        report.drop(Rank.CONTRACT, "n", "one picture a request is drawn")
    if wanted.background == "transparent":
        report.drop(Rank.CONTRACT, "background", "it draws no transparent background")
    if wanted.output_format not in (None, "png"):
        report.drop(Rank.CONTRACT, "output_format", "the format cannot be chosen")
    if wanted.output_compression is not None:
        report.drop(Rank.CONTRACT, "output_compression", "the format cannot be chosen")
    for name in ("quality", "style", "moderation", "input_fidelity"):
        if getattr(wanted, name) not in (None, "auto"):
            report.drop(Rank.HINT, name, "it has no such choice")
    if wanted.partial_images:
        report.drop(Rank.HINT, "partial_images", "it shows the finished picture only")
    if wanted.user is not None:
        report.drop(Rank.BOOKKEEPING, "user", "it has no such member")


def _frame(size: str, frame: Frame, report: Report) -> dict[str, str]:
    found = frame(size)
    if found is None:
        raise report.refusal("size", f"{size[:40]} is near none of its aspect ratios")
    ratio, resolution, _ = found
    reason = f"drawn as {ratio} at {resolution}; the exact size cannot be chosen"
    report.drop(Rank.HINT, "size", reason, DropAction.CHANGED)
    config = {"aspectRatio": ratio}
    # what every such model makes by itself; older ones have no word for it
    return config if resolution == "1K" else config | {"imageSize": resolution}


class _Blob(msgspec.Struct, gc=False, rename="camel"):
    mime_type: str = "image/png"
    data: str = ""


class _Part(msgspec.Struct, gc=False, rename="camel"):
    inline_data: _Blob | None = None
    text: str | None = None
    thought: bool = False


class _Content(msgspec.Struct, gc=False):
    parts: list[_Part] | None = None


class _Candidate(msgspec.Struct, gc=False, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None


class _Feedback(msgspec.Struct, gc=False, rename="camel"):
    block_reason: str | None = None


class _Answer(msgspec.Struct, gc=False, rename="camel"):
    candidates: list[_Candidate] | None = None
    usage_metadata: Any = None
    prompt_feedback: _Feedback | None = None
    error: msgspec.Raw = _ABSENT


_decode: Final = msgspec.json.Decoder(_Answer).decode

_HARMLESS: Final = frozenset({None, "STOP", "MAX_TOKENS", "NO_IMAGE", "IMAGE_OTHER", "OTHER"})
_SILENT: Final = frozenset({None, "STOP", "IMAGE_OTHER", "OTHER"})
"""Ends that say nothing of why there is no picture."""


class Drawn(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What came of it."""

    pictures: tuple[str, ...]
    """In standard base64; none where ``declined`` says why."""
    mime: str
    said: str
    """What the model wrote beside them."""
    usage: Usage | None
    declined: Fault | None = None
    """The model has worked, and drawn nothing: CONTENT_POLICY, UPSTREAM_REJECTED."""


def read_answer(body: bytes, refused: Callable[[bytes], Fault], size: str) -> Drawn:
    """The pictures, or why there are none. Raises ``Fault``: as ``refused`` makes it of an error,
    UPSTREAM_BROKE for an answer that is none.
    """
    if (found := decoded(_decode, body)) is None:
        raise _broke("it is not the protocol's JSON")
    if (error := error_of(found.error)) is not None:
        raise refused(error)
    parts = [
        part
        for candidate in found.candidates or ()
        if candidate.content is not None
        for part in candidate.content.parts or ()
        if not part.thought
    ]
    blobs = [one for part in parts if (one := part.inline_data) is not None and one.data]
    said = "".join(part.text or "" for part in parts)
    reported = usage_of(found.usage_metadata)
    if not blobs:
        why = _nothing(found, said)
        return Drawn(pictures=(), mime="", said=said, usage=reported, declined=why)
    used = reported or Usage()
    if not used.image_output:
        # without details: what is made here is pictures
        used = msgspec.structs.replace(used, output=0, image_output=used.output)
    used = msgspec.structs.replace(used, images=(GeneratedImages(count=len(blobs), size=size),))
    return Drawn(
        pictures=tuple(_standard(blob.data) for blob in blobs),
        mime=blobs[0].mime_type,
        said=said,
        usage=used,
    )


def _nothing(found: _Answer, said: str) -> Fault:
    """Why there is no picture. Raises ``Fault`` (UPSTREAM_BROKE) where nothing is said of it."""
    reasons = [candidate.finish_reason for candidate in found.candidates or ()]
    blocked = found.prompt_feedback.block_reason if found.prompt_feedback else None
    why = blocked or next((reason for reason in reasons if reason not in _HARMLESS), None)
    if why is not None:
        return Fault(
            Kind.CONTENT_POLICY,
            f"The model's vendor declined to draw this ({why}).",
            param="prompt",
        )
    if not said and _SILENT.issuperset(reasons):
        raise _broke("it holds no picture")
    told = f" It wrote: {said[:300]}" if said else ""
    return Fault(Kind.UPSTREAM_REJECTED, f"The model drew no picture.{told}", param="prompt")


def write_answer(drawn: Drawn, created: int) -> bytes:
    """The body for the caller, with the pictures in base64."""
    rows: list[dict[str, Any]] = [{"b64_json": picture} for picture in drawn.pictures]
    told: dict[str, Any] = {"created": created, "data": rows}
    told |= members_of(drawn)
    return _encode(told)


def write_event(drawn: Drawn, created: int, kind: str) -> bytes:
    """The one event of a streamed answer. ``kind``: ``image_generation`` or ``image_edit``."""
    told: dict[str, Any] = {
        "type": f"{kind}.completed",
        "b64_json": drawn.pictures[0],
        "created_at": created,
        "background": "opaque",
        "quality": "auto",
        "size": "auto",
    }
    told |= members_of(drawn)
    return b"event: " + f"{kind}.completed".encode() + b"\ndata: " + _encode(told) + b"\n\n"


def members_of(drawn: Drawn) -> dict[str, Any]:
    """Format and usage, as far as they are known."""
    told: dict[str, Any] = {}
    form = drawn.mime.removeprefix("image/")
    if form in ("png", "jpeg", "webp"):
        told["output_format"] = form
    used = drawn.usage
    if used is not None:
        told["usage"] = {
            "input_tokens": used.input_total,
            "output_tokens": used.output_total,
            "total_tokens": used.input_total + used.output_total,
            "input_tokens_details": {
                "text_tokens": used.input_total - used.image_input,
                "image_tokens": used.image_input,
            },
            "output_tokens_details": {
                "text_tokens": used.output_total - used.image_output,
                "image_tokens": used.image_output,
            },
        }
    return told


def _standard(data: str) -> str:
    """The same bytes in the alphabet of this shape; vendors write either."""
    if not any(mark in data for mark in "-_"):
        return data
    try:
        return base64.b64encode(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))).decode()
    except (binascii.Error, ValueError):
        raise _broke("a picture is no base64") from None


def _broke(why: str) -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, f"The upstream's answer is no picture: {why}.")
