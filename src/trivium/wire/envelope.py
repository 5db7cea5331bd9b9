"""Opaque attachments as one string that a caller carries for us and cannot alter.

A caller echoes a signature or an encrypted item in a slot of its own shape; what is in the slot
must find its way back to the account that made it. So the gateway puts the attachments with their
origins into an envelope with a keyed digest over them and the caller's user id: nobody else's
envelope opens, and none that was touched. It is standard base64 with padding, because the slot of
generate-content is a bytes field. What is inside is no secret from the caller, who would have got
it from the vendor in the clear.
"""

import base64
import binascii
import hmac
from typing import Final

import msgspec

from trivium.conversation.opaque import Opaque, Open, Origin, Seal

MAGIC: Final = b"TVMopq"
"""Six bytes, so that every envelope begins with the same eight characters."""
PREFIX: Final = base64.b64encode(MAGIC).decode()
DIGEST_BYTES: Final = 16
ENVELOPE_CHARS_MAX: Final = 4_000_000
"""Longest slot that is looked into; redacted thinking of a long turn is some 100 KiB."""

_Row = tuple[str, bytes, str, str, str, str]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[_Row]).decode


def sealer(key: bytes, user_id: int) -> Seal:
    """A ``Seal`` for one user's answers."""

    def seal(opaque: tuple[Opaque, ...]) -> str:
        rows = [
            (
                one.kind,
                one.data,
                one.origin.shape,
                one.origin.provider,
                one.origin.account,
                one.model,
            )
            for one in opaque
            if one.origin is not None
        ]
        if not rows:
            return ""
        content = _encode(rows)
        sealed = MAGIC + _digest(key, user_id, content) + content
        return base64.b64encode(sealed).decode()

    return seal


def opener(key: bytes, user_id: int) -> Open:
    """An ``Open`` for one user's requests."""

    def open_(text: str) -> tuple[Opaque, ...] | None:
        if not text.startswith(PREFIX) or len(text) > ENVELOPE_CHARS_MAX:
            return None
        try:
            sealed = base64.b64decode(text, validate=True)
            digest = sealed[len(MAGIC) : len(MAGIC) + DIGEST_BYTES]
            content = sealed[len(MAGIC) + DIGEST_BYTES :]
            if not hmac.compare_digest(digest, _digest(key, user_id, content)):
                return None
            rows = _decode(content)
        except (binascii.Error, msgspec.DecodeError):
            return None
        return tuple(
            Opaque(kind, data, Origin(shape, provider, account), model)
            for kind, data, shape, provider, account, model in rows
        )

    return open_


def _digest(key: bytes, user_id: int, content: bytes) -> bytes:
    return hmac.digest(key, b"%d:" % user_id + content, "sha256")[:DIGEST_BYTES]
