"""What generate-content answers are known to have.

Source: the vendor's reference and google-genai 3.4, read on 2026-11-21.
"""

from typing import Final

from trivium.wire.unknown_members import NOTED, READ, TOLD, KnownMembers, Members

_OWN: Final = frozenset(
    {
        "codeExecutionResult",
        "executableCode",
        "fileData",
        "functionCall",
        "functionResponse",
        "inlineData",
        "text",
        "toolCall",
        "toolResponse",
    }
)
"""Members of data of a part."""
_ABOUT: Final = (
    "audioMetadata",
    "documentMetadata",
    "mediaProcessing",
    "mediaResolution",
    "partMetadata",
    "speechMetadata",
    "videoMetadata",
)
"""Members that say something about a part's data."""
_PART: Final[Members] = {
    **dict.fromkeys(sorted(_OWN), READ),
    "thought": READ,
    "thoughtSignature": READ,
    **dict.fromkeys(_ABOUT, NOTED),
}

ANSWER: Final = KnownMembers(
    "GenerateAnswer",
    {
        "candidates": [
            {
                "content": {"parts": [_PART], "role": READ},
                "finishReason": READ,
                "finishMessage": READ,
                "index": READ,
                "citationMetadata": READ,
                "continuationToken": READ,
                "groundingMetadata": READ,
                "logprobsResult": READ,
                "avgLogprobs": NOTED,
                "groundingAttributions": NOTED,
                "safetyRatings": NOTED,
                "tokenCount": NOTED,
                "urlContextMetadata": TOLD,
            }
        ],
        "promptFeedback": {
            "blockReason": READ,
            "blockReasonMessage": READ,
            "safetyRatings": NOTED,
        },
        "usageMetadata": READ,
        "modelVersion": READ,
        "responseId": READ,
        "createTime": READ,
        "error": READ,
        "modelStatus": NOTED,
        "sdkHttpResponse": READ,
    },
)
"""A whole answer, or a chunk of a stream."""


def is_own(name: str) -> bool:
    """Whether a part's member of data is documented."""
    return name in _OWN
