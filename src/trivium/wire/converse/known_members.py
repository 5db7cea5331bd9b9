"""What answers of the converse shape are known to have.

Source: botocore 1.44's model of the service, read on 2026-11-28; ``p`` pads the events of a stream
and is in no model.
"""

from typing import Final

from trivium.wire.unknown_members import TOLD, KnownMembers, Members, all_noted, all_read

_FIELDS: Final[Members] = all_read("stop_sequence")
"""Of ``additionalModelResponseFields`` what a writer of ours asks for."""
_USAGE: Final[Members] = all_read(
    "inputTokens outputTokens totalTokens cacheReadInputTokens cacheWriteInputTokens cacheDetails"
)
_WORKING: Final[Members] = {
    **all_read("metrics"),
    **all_noted("performanceConfig"),
    "serviceTier": all_read("type"),
    # what a guardrail saw, and which model a router chose
    "trace": TOLD,
}
ANSWER: Final = KnownMembers(
    "ConverseAnswer",
    {
        **_WORKING,
        **all_read("stopReason"),
        "output": {"message": all_read("role content")},
        "usage": _USAGE,
        "additionalModelResponseFields": _FIELDS,
    },
)
BEGINNING: Final = KnownMembers("ConverseBegin", all_read("role p"))
"""A ``messageStart``."""
BLOCK_START: Final = KnownMembers(
    "ConverseBlockStart",
    {
        **all_read("contentBlockIndex p"),
        "start": {
            "toolUse": all_read("toolUseId name type"),
            "toolResult": all_read("toolUseId type status"),
            "image": all_read("format"),
        },
    },
)
"""A ``contentBlockStart`` of kinds that there are."""
DELTA: Final = KnownMembers(
    "ConverseBlockDelta",
    {
        **all_read("contentBlockIndex p"),
        "delta": {
            **all_read("text citation toolResult"),
            "toolUse": all_read("input"),
            "reasoningContent": all_read("text signature redactedContent"),
            "image": {"source": all_read("bytes"), "error": TOLD},
        },
    },
)
"""A ``contentBlockDelta`` of kinds that there are."""
BLOCK_END: Final = KnownMembers("ConverseBlockEnd", all_read("contentBlockIndex p"))
"""A ``contentBlockStop``."""
END: Final = KnownMembers(
    "ConverseEnd", {**all_read("stopReason p"), "additionalModelResponseFields": _FIELDS}
)
"""A ``messageStop``."""
METADATA: Final = KnownMembers(
    "ConverseStreamMetadata", {**_WORKING, **all_read("p"), "usage": _USAGE}
)
BLOCKS: Final = {
    "image": KnownMembers(
        "ConverseImage",
        {"image": {"format": None, "source": all_read("bytes s3Location"), "error": TOLD}},
    ),
    "audio": KnownMembers(
        "ConverseAudio",
        {"audio": {"format": None, "source": all_read("bytes s3Location"), "error": TOLD}},
    ),
    "toolUse": KnownMembers("ConverseToolUse", {"toolUse": all_read("toolUseId name input type")}),
    "reasoningContent": KnownMembers(
        "ConverseReasoning",
        {
            "reasoningContent": {
                "reasoningText": all_read("text signature"),
                "redactedContent": None,
            }
        },
    ),
    "citationsContent": KnownMembers(
        "ConverseCited", {"citationsContent": all_read("content citations")}
    ),
}
"""Kinds of block that say what every shape has a word for, and have members."""
OWN: Final = frozenset(
    {"toolResult", "guardContent", "cachePoint", "searchResult", "toolAddition", "toolRemoval"}
    | {"document", "video"}
)
"""Kinds of block that are documented, and that no answer was seen to have or no shape has."""
