"""The four shapes that translate into each other, one codec each; pairs need no code."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from trivium.wire.chat.codec import CODEC as CHAT
from trivium.wire.codec import Codec
from trivium.wire.generate.codec import CODEC as GENERATE
from trivium.wire.messages.codec import CODEC as MESSAGES
from trivium.wire.operation import Shape
from trivium.wire.responses.codec import CODEC as RESPONSES

CODECS: Final[Mapping[Shape, Codec]] = MappingProxyType(
    {codec.shape: codec for codec in (CHAT, RESPONSES, MESSAGES, GENERATE)}
)
