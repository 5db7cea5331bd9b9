"""Opaque attachments as one string that a caller carries for us and cannot alter.

A caller echoes a signature or an encrypted item in a slot of its own shape; what is in the slot
must find its way back to the account that made it. So the gateway puts the attachments with their
origins into an envelope with a keyed digest over them and the caller's user id: nobody else's
envelope opens, and none that was touched. What is inside is no secret from the caller, who would
have got it from the vendor in the clear.

An envelope is magic, version, key id, digest and content, in standard base64 with padding, because
the slot of generate-content is a bytes field. The digest is HMAC-SHA-256, cut to its first half
(RFC 2104, 5), over all the rest and the user id. Its key is one of those for envelopes alone.
"""

import base64
import binascii
import hmac
from typing import Final

import msgspec

from trivium.conversation.opaque import Opaque, Open, Seal, StateOrigin
from trivium.secret import KEY_ID_BYTES, Keyring

MAGIC: Final = b"TVMopq"
"""Six bytes, so that every envelope begins with the same eight characters."""
PREFIX: Final = base64.b64encode(MAGIC).decode()
VERSION: Final = b"\x01"
DIGEST_BYTES: Final = 16
ENVELOPE_CHARS_MAX: Final = 4_000_000
"""Longest slot that is looked into; redacted thinking of a long turn is some 100 KiB."""

_KEY: Final = len(MAGIC + VERSION)
_DIGEST: Final = _KEY + KEY_ID_BYTES
_CONTENT: Final = _DIGEST + DIGEST_BYTES

_Row = tuple[str, bytes, str, str, str, str]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[_Row]).decode


def sealer(keys: Keyring, user_id: int) -> Seal:
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
        head = MAGIC + VERSION + keys.id
        digest = _digest(keys.key, head, user_id, content)
        return base64.b64encode(head + digest + content).decode()

    return seal


def opener(keys: Keyring, user_id: int) -> Open:
    """An ``Open`` for one user's requests."""

    def open_(text: str) -> tuple[Opaque, ...] | None:
        if not text.startswith(PREFIX) or len(text) > ENVELOPE_CHARS_MAX:
            return None
        try:
            sealed = base64.b64decode(text, validate=True)
            key = keys.get(sealed[_KEY:_DIGEST])
            if sealed[:_KEY] != MAGIC + VERSION or key is None:
                return None
            content = sealed[_CONTENT:]
            expected = _digest(key, sealed[:_DIGEST], user_id, content)
            if not hmac.compare_digest(sealed[_DIGEST:_CONTENT], expected):
                return None
            rows = _decode(content)
        except (binascii.Error, msgspec.DecodeError):
            return None
        return tuple(
            Opaque(kind, data, StateOrigin(shape, provider, account), model)
            for kind, data, shape, provider, account, model in rows
        )

    return open_


def _digest(key: bytes, head: bytes, user_id: int, content: bytes) -> bytes:
    return hmac.digest(key, b"%b%d:%b" % (head, user_id, content), "sha256")[:DIGEST_BYTES]
