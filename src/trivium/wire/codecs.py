"""The shapes that translate into each other, one codec each; pairs need no code.

Those of clouds are imported when a channel or a caller first needs one.
"""

import functools
from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.wire.chat.codec import CODEC as CHAT
from trivium.wire.chat.read_request import read as read_chat
from trivium.wire.codec import Codec
from trivium.wire.generate.codec import CODEC as GENERATE
from trivium.wire.late_rows import LateRows
from trivium.wire.messages.codec import CODEC as MESSAGES
from trivium.wire.operation import Shape
from trivium.wire.registry import LATE_CODECS
from trivium.wire.responses.codec import CODEC as RESPONSES

_CHAT: Final = msgspec.structs.replace(
    CHAT, read_request=functools.partial(read_chat, foreign=RESPONSES.read_request)
)
CODECS: Final[Mapping[Shape, Codec]] = LateRows(
    {codec.shape: codec for codec in (_CHAT, RESPONSES, MESSAGES, GENERATE)},
    LATE_CODECS,
)
