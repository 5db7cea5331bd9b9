"""What is read of the JSON of a generate-content request that is nothing but words and media."""

import msgspec


class Words(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A part of words."""

    text: str


class PlainContent(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A content of nothing but words."""

    parts: list[Words]
    role: str = ""


class Blob(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A file in the request."""

    mimeType: str  # noqa: N815 - the vendor's spelling
    data: str


class Shown(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A part of words, or a file."""

    text: str | None = None
    inlineData: Blob | None = None  # noqa: N815 - the vendor's spelling


class ShownContent(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A content of nothing but these."""

    parts: list[Shown]
    role: str = ""
