"""What is remembered under the id of one tool call, and how it is stored."""

from typing import Final

import msgspec

from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import Reasoning

_encode: Final = msgspec.msgpack.Encoder().encode


class SignatureTrace(msgspec.Struct, frozen=True, array_like=True):
    """What is remembered under one id."""

    maker: StateOrigin
    lead: tuple[Reasoning, ...] = ()
    """Reasoning that stands before the turn's text."""
    before: tuple[Reasoning, ...] = ()
    """Reasoning between the text, or the call before, and this call."""
    opaque: tuple[Opaque, ...] = ()
    """Attached to the call itself."""

    @property
    def attached(self) -> set[Opaque]:
        """Return all attachments it leads to; empty where it holds plain words."""
        thoughts = (*self.lead, *self.before)
        return {*self.opaque, *(one for part in thoughts for one in part.opaque)}

    @property
    def binds(self) -> bool:
        """Whether only its maker can use it; plain words can go to any model."""
        return bool(self.attached) or not (self.lead or self.before)


_decode: Final = msgspec.msgpack.Decoder(SignatureTrace).decode


def packed(trace: SignatureTrace) -> bytes:
    """As it is stored."""
    return _encode(trace)


def unpacked(value: bytes) -> SignatureTrace | None:
    """Return the trace; ``None`` when another version wrote it."""
    try:
        return _decode(value)
    except msgspec.DecodeError:
        return None
