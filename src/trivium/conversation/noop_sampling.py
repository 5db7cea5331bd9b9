"""Removes sampling members that change nothing: many clients send all of them with every
request.
"""

from types import MappingProxyType
from typing import Final

import msgspec

from trivium.conversation.member_table import ROWS, Concept
from trivium.conversation.request import Conversation, Sampling

IDLE: Final = MappingProxyType(
    {
        Concept.FREQUENCY_PENALTY: 0,
        Concept.PRESENCE_PENALTY: 0,
        Concept.LOGIT_BIAS: b"{}",
    }
)
"""Values at which every model does what it would do without the member."""

_FIELDS: Final = tuple(
    (ROWS[concept], ROWS[concept].field.removeprefix("Sampling."), value)
    for concept, value in IDLE.items()
)
_MODELS_OWN: Final = Sampling()


def asking(conversation: Conversation, shape: str) -> Conversation:
    """The conversation without such sampling, where this shape has no member for it."""
    sampling = conversation.sampling
    if sampling == _MODELS_OWN:
        return conversation
    idle = [
        name
        for row, name, value in _FIELDS
        if shape not in row.members and getattr(sampling, name) == value
    ]
    if not idle:
        return conversation
    left = msgspec.structs.replace(sampling, **dict.fromkeys(idle))
    return msgspec.structs.replace(conversation, sampling=left)
