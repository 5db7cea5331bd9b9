"""Loose views of a GenerateContentResponse: what an upstream sends where nobody looks is fine."""

from typing import Annotated, Any, Final

import msgspec

from trivium.faults import Fault, Kind

_NOTHING: Final = msgspec.Raw()


class Part(msgspec.Struct, gc=False):
    """One part, as far as nearly all parts go; anything else in it is read by ``loose_part``."""

    text: Any = None
    thought: Any = None
    thoughtSignature: Any = None  # noqa: N815 - the vendor's spelling


class Content(msgspec.Struct, gc=False):
    """What a candidate says."""

    parts: list[Part | None] | None = None


class Candidate(msgspec.Struct, gc=False):
    """One candidate's share of a chunk."""

    content: Content | None = None
    finishReason: Any = None  # noqa: N815 - the vendor's spelling
    index: Any = 0
    finishMessage: Any = None  # noqa: N815 - the vendor's spelling
    continuationToken: Any = None  # noqa: N815 - the vendor's spelling
    groundingMetadata: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    citationMetadata: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    logprobsResult: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class Chunk(msgspec.Struct, gc=False):
    """One object of a stream, or a whole answer."""

    candidates: list[Candidate | None] | None = None
    usageMetadata: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    promptFeedback: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    error: msgspec.Raw = _NOTHING


class _StrictPart(Part, gc=False, forbid_unknown_fields=True):
    pass


class _StrictContent(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    parts: list[_StrictPart | None] | None = None
    role: msgspec.Raw = _NOTHING


class _StrictCandidate(Candidate, gc=False, forbid_unknown_fields=True):
    content: _StrictContent | None = None  # type: ignore[assignment]  # the same members, and one more
    safetyRatings: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class Strict(Chunk, gc=False, forbid_unknown_fields=True):
    """An object of which nothing is passed over but what every chunk repeats."""

    candidates: list[_StrictCandidate | None] | None = None  # type: ignore[assignment]  # likewise
    modelVersion: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    responseId: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    createTime: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class _PlainPart(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    text: Annotated[str, msgspec.Meta(min_length=1)]
    thought: bool = False


class _PlainContent(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    parts: tuple[_PlainPart]
    role: msgspec.Raw = _NOTHING


class _PlainCandidate(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    content: _PlainContent
    index: int = 0
    safetyRatings: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class Plain(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A chunk that brings one more piece of one text and nothing else: nine of ten do."""

    candidates: tuple[_PlainCandidate]
    usageMetadata: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    modelVersion: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    responseId: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    createTime: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class Head(msgspec.Struct, gc=False):
    """What every chunk repeats, read once."""

    modelVersion: Any = None  # noqa: N815 - the vendor's spelling
    responseId: Any = None  # noqa: N815 - the vendor's spelling


class _LooseContent(msgspec.Struct, gc=False):
    parts: list[dict[str, msgspec.Raw] | None] | None = None


class _LooseCandidate(msgspec.Struct, gc=False):
    content: _LooseContent | None = None


class _Loose(msgspec.Struct, gc=False):
    candidates: list[_LooseCandidate | None] | None = None


chunk: Final = msgspec.json.Decoder(Chunk).decode
"""Raises ``ValueError`` or ``RecursionError`` for what is no such object."""
chunks: Final = msgspec.json.Decoder(list[Chunk]).decode
"""The same for many in one array."""
strict: Final = msgspec.json.Decoder(list[Strict]).decode
"""The same; refuses members that are not read there."""
plain: Final = msgspec.json.Decoder(Plain).decode
"""The same; refuses any member that ``Plain`` has not."""
head: Final = msgspec.json.Decoder(Head).decode
_loose: Final = msgspec.json.Decoder(_Loose).decode
_any: Final = msgspec.json.Decoder().decode


def loose_part(data: bytes, candidate: int, part: int) -> dict[str, msgspec.Raw]:
    """All members of one part of a chunk that ``chunk`` has read, by position."""
    found = (_loose(data).candidates or [])[candidate]
    parts = found.content.parts if found is not None and found.content is not None else None
    return (parts or [])[part] or {}


def value(raw: msgspec.Raw) -> Any:
    """A member decoded; ``None`` when absent or unreadable."""
    if not raw:
        return None
    try:
        return _any(raw)
    except (ValueError, RecursionError):
        return None


def broke() -> Fault:
    """The fault of an answer that is none of this protocol."""
    return Fault(
        Kind.UPSTREAM_BROKE, "The upstream's answer is not one of the generate-content protocol."
    )
