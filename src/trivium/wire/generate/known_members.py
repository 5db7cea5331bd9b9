"""What generate-content answers are known to have.

Source: the vendor's reference and google-genai 3.4, read on 2026-11-21.
"""

from typing import Final

from trivium.wire.generate.answer_structs import CallChunk
from trivium.wire.unknown_members import (
    NOTED,
    TOLD,
    KnownMembers,
    Members,
    Tell,
    all_noted,
    all_read,
    says_nothing,
)

_OWN: Final = all_read(
    "codeExecutionResult executableCode fileData functionCall functionResponse inlineData text"
    " toolCall toolResponse"
)
"""Members of data of a part."""
MODIFIERS: Final[Members] = {
    **all_read("thought thoughtSignature"),
    **all_noted(
        "audioMetadata documentMetadata mediaProcessing mediaResolution partMetadata"
        " speechMetadata videoMetadata"
    ),
}
"""Members that say something about a part's one data member."""

ANSWER: Final = KnownMembers(
    "GenerateAnswer",
    {
        "candidates": [
            {
                "content": {"parts": [{**_OWN, **MODIFIERS}], **all_read("role")},
                **all_read(
                    "finishReason finishMessage index citationMetadata continuationToken"
                    " groundingMetadata logprobsResult"
                ),
                **all_noted("avgLogprobs groundingAttributions safetyRatings tokenCount"),
                "urlContextMetadata": TOLD,
            }
        ],
        "promptFeedback": {
            **all_read("blockReason blockReasonMessage"),
            **all_noted("safetyRatings"),
        },
        **all_read("usageMetadata modelVersion responseId createTime error sdkHttpResponse"),
        **all_noted("modelStatus"),
    },
)
"""A whole answer, or a chunk of a stream."""


def rated(body: CallChunk, tell: Tell) -> None:
    """As ``ANSWER.look`` of the same chunk, which has no members but those of its struct."""
    for candidate in body.candidates or ():
        if candidate is not None:
            for name, raw in (
                ("avgLogprobs", candidate.avgLogprobs),
                ("safetyRatings", candidate.safetyRatings),
            ):
                if not says_nothing(raw):
                    tell(name, NOTED)


def is_own(name: str) -> bool:
    """Whether a part's member of data is documented."""
    return name in _OWN
