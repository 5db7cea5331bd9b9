"""A whole answer, assembled or read at once."""

import msgspec

from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part
from trivium.conversation.usage import Usage


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """One of the answers asked for; most requests ask for one."""

    parts: tuple[Part, ...]
    finish: Finish = Finish(Unified.OTHER)


class Answer(msgspec.Struct, frozen=True, gc=False):
    """Everything the model answered, to the end."""

    candidates: tuple[Candidate, ...]
    """In order of their index, never empty: a blocked prompt is a candidate without parts."""
    usage: Usage | None = None
    """``None`` when the vendor reported none."""
    id: str = ""
    model: str = ""
    service_tier: str | None = None
