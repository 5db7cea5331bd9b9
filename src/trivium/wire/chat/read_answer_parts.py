"""Members of an answer's message that streams and whole answers share.

``reasoning_details`` and ``extra_content`` are OpenRouter's and Google's members; clients that
append the message as they got it carry our envelopes back in them. ``images`` is OpenRouter's.
Sources: OpenRouter's documentation, "Reasoning tokens" and "Image generation"; Google's, "OpenAI
compatibility"; read 2026-11-21.
"""

from typing import Any, Final

from trivium.conversation.opaque import Opaque, Seal
from trivium.conversation.parts import Audio, Image, Inline, Remote
from trivium.wire.data_url import data_url

ENCRYPTED: Final = "reasoning.encrypted"


def details(
    opaque: tuple[Opaque, ...], place: tuple[int, int], seal: Seal
) -> dict[str, Any] | None:
    """The ``reasoning_details`` entry of one reasoning part; ``None``: nothing to carry.

    ``place`` is where the part starts in ``reasoning_content`` and how long it is, in code points:
    a signature holds for the exact part.
    """
    sealed = seal(opaque) if opaque else ""
    if not sealed:
        return None
    return {"type": ENCRYPTED, "data": sealed, "start": place[0], "length": place[1]}


def extra(opaque: tuple[Opaque, ...], seal: Seal) -> dict[str, Any] | None:
    """The ``extra_content`` of one call; ``None``: nothing to carry."""
    sealed = seal(opaque) if opaque else ""
    return {"google": {"thought_signature": sealed}} if sealed else None


def audio_members(audio: Audio) -> dict[str, Any]:
    """Return ``message.audio`` for a spoken answer."""
    out: dict[str, Any] = {
        "id": audio.id or "",
        "data": audio.source.data if isinstance(audio.source, Inline) else "",
        "transcript": audio.transcript,
    }
    if audio.expires is not None:
        out["expires_at"] = audio.expires
    return out


def image_member(image: Image) -> dict[str, Any] | None:
    """An entry of ``message.images``; ``None`` for a vendor's own file id."""
    if isinstance(image.source, Inline):
        url = data_url(image.source)
    elif isinstance(image.source, Remote):
        url = image.source.url
    else:
        return None
    return {"type": "image_url", "image_url": {"url": url}}
