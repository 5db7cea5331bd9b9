"""What is read of the JSON of a generate-content request that is nothing but words."""

import msgspec


class Words(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A part of words."""

    text: str


class PlainContent(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A content of nothing but words."""

    parts: list[Words]
    role: str = ""
