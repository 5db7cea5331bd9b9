"""What is read of the JSON of an answer of generate-content to translate it, whole or in chunks.

What an upstream sends where nobody looks is fine.
"""

from typing import Annotated, Any, Final

import msgspec

_NOTHING: Final = msgspec.Raw()


class AnswerPart(msgspec.Struct, gc=False):
    """One part, as far as nearly all parts go; anything else in it is read by ``LooseParts``."""

    text: Any = None
    thought: Any = None
    thoughtSignature: Any = None  # noqa: N815 - the vendor's spelling


class CandidateContent(msgspec.Struct, gc=False):
    """What a candidate says."""

    parts: list[AnswerPart | None] | None = None


class ChunkCandidate(msgspec.Struct, gc=False):
    """One candidate's share of a chunk."""

    content: CandidateContent | None = None
    finishReason: Any = None  # noqa: N815 - the vendor's spelling
    index: Any = 0
    finishMessage: Any = None  # noqa: N815 - the vendor's spelling
    continuationToken: Any = None  # noqa: N815 - the vendor's spelling
    groundingMetadata: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    citationMetadata: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    logprobsResult: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class AnswerChunk(msgspec.Struct, gc=False):
    """One object of a stream, or a whole answer."""

    candidates: list[ChunkCandidate | None] | None = None
    usageMetadata: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    promptFeedback: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    error: msgspec.Raw = _NOTHING


class Called(msgspec.Struct, gc=False):
    """A call, with its arguments as they came."""

    name: Any = None
    id: Any = None
    args: msgspec.Raw = _NOTHING
    partialArgs: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    willContinue: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class CallPart(AnswerPart, gc=False, forbid_unknown_fields=True):
    """A part that is a text or a call and nothing else."""

    functionCall: Called | None = None  # noqa: N815 - the vendor's spelling


class CallContent(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A content of such parts."""

    parts: list[CallPart | None] | None = None
    role: msgspec.Raw = _NOTHING


class CallCandidate(ChunkCandidate, gc=False, forbid_unknown_fields=True):
    """A candidate that says nothing which is not read but how it was rated."""

    content: CallContent | None = None  # type: ignore[assignment]  # the same members, and one more
    avgLogprobs: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    safetyRatings: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class CallChunk(AnswerChunk, gc=False, forbid_unknown_fields=True):
    """An object of texts and calls of which every member is known: all that is read of it, and told
    of it, is at hand after one decode.
    """

    candidates: list[CallCandidate | None] | None = None  # type: ignore[assignment]  # likewise
    promptFeedback: None = None  # type: ignore[assignment]  # noqa: N815 - one with any takes the long way
    modelVersion: Any = None  # noqa: N815 - the vendor's spelling
    responseId: Any = None  # noqa: N815 - the vendor's spelling
    createTime: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class StrictPart(AnswerPart, gc=False, forbid_unknown_fields=True):
    """A part with no other members."""


class StrictContent(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A content with no others."""

    parts: list[StrictPart | None] | None = None
    role: msgspec.Raw = _NOTHING


class StrictCandidate(ChunkCandidate, gc=False, forbid_unknown_fields=True):
    """A candidate with no others."""

    content: StrictContent | None = None  # type: ignore[assignment]  # the same members, and one more
    safetyRatings: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class StrictChunk(AnswerChunk, gc=False, forbid_unknown_fields=True):
    """An object of which nothing is passed over but what every chunk repeats."""

    candidates: list[StrictCandidate | None] | None = None  # type: ignore[assignment]  # likewise
    modelVersion: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    responseId: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    createTime: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class PlainPart(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A piece of text."""

    text: Annotated[str, msgspec.Meta(min_length=1)]
    thought: bool = False


class PlainCandidateContent(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A content of one piece."""

    parts: tuple[PlainPart]
    role: msgspec.Raw = _NOTHING


class PlainCandidate(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A candidate that says one piece and nothing else."""

    content: PlainCandidateContent
    index: int = 0
    safetyRatings: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class Plain(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A chunk that brings one more piece of one text and nothing else: nine of ten do."""

    candidates: tuple[PlainCandidate]
    usageMetadata: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    modelVersion: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    responseId: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    createTime: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class WholePart(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A part that is text and nothing else."""

    text: str


class WholeContent(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A content of one text."""

    parts: tuple[WholePart]
    role: str = ""


class WholeCandidate(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A candidate that said one text and why it ended."""

    content: WholeContent
    finishReason: str  # noqa: N815 - the vendor's spelling
    index: int = 0
    safetyRatings: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling
    avgLogprobs: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class Whole(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """An answer of one text and nothing else, as most are."""

    candidates: tuple[WholeCandidate]
    usageMetadata: dict[str, Any]  # noqa: N815 - the vendor's spelling
    modelVersion: str = ""  # noqa: N815 - the vendor's spelling
    responseId: str = ""  # noqa: N815 - the vendor's spelling
    createTime: msgspec.Raw = _NOTHING  # noqa: N815 - the vendor's spelling


class Head(msgspec.Struct, gc=False):
    """What every chunk repeats, read once."""

    modelVersion: Any = None  # noqa: N815 - the vendor's spelling
    responseId: Any = None  # noqa: N815 - the vendor's spelling


class LooseContent(msgspec.Struct, gc=False):
    """A content whose parts may hold anything."""

    parts: list[dict[str, msgspec.Raw] | None] | None = None


class LooseCandidate(msgspec.Struct, gc=False):
    """A candidate with such a content."""

    content: LooseContent | None = None


class Loose(msgspec.Struct, gc=False):
    """A chunk for a look at the parts that are read by nothing else."""

    candidates: list[LooseCandidate | None] | None = None


class Likely(msgspec.Struct, gc=False):
    """A token and its probability."""

    token: Any = None
    logProbability: Any = None  # noqa: N815 - the vendor's spelling


class LikelyRow(msgspec.Struct, gc=False):
    """The likeliest tokens at one place."""

    candidates: list[Likely | None] | None = None


class LikelyResult(msgspec.Struct, gc=False):
    """Probabilities of the tokens chosen, and of those that were not (``logprobsResult``)."""

    chosenCandidates: list[Likely | None] | None = None  # noqa: N815 - the vendor's spelling
    topCandidates: list[LikelyRow | None] | None = None  # noqa: N815 - the vendor's spelling
