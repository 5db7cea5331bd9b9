"""What chat answers are known to have. Source: OpenAI's API reference, read 2026-11-21."""

from typing import Final

from trivium.wire.unread import NOTED, READ, Known, Members

_FUNCTION: Final[Members] = {"name": READ, "arguments": READ}
_SAID: Final[Members] = {
    "role": READ,
    "content": READ,
    "refusal": READ,
    "reasoning_content": READ,
    "reasoning": READ,
    "reasoning_details": READ,
    "tool_calls": [
        {
            "index": READ,
            "id": READ,
            "type": READ,
            "function": _FUNCTION,
            "custom": {"name": READ, "input": READ},
            "extra_content": READ,
        }
    ],
    "function_call": _FUNCTION,
    "annotations": READ,
    "audio": READ,
    "images": READ,
}
ANSWER: Final = Known(
    "ChatAnswer",
    {
        "id": READ,
        "object": READ,
        "created": READ,
        "model": READ,
        "choices": [
            {
                "index": READ,
                "message": _SAID,
                "delta": _SAID,
                "finish_reason": READ,
                "logprobs": {"content": READ, "refusal": NOTED},
                "error": READ,
            }
        ],
        "usage": READ,
        "error": READ,
        "service_tier": READ,
        "system_fingerprint": READ,
        "obfuscation": READ,
    },
)
"""A whole answer, or a chunk of a stream. The fingerprint means something to its maker alone."""
