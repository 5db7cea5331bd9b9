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
_SERVERS: Final = (
    "kv_transfer_params",  # vLLM
    "prompt_filter_results",  # Azure
    "prompt_logprobs",  # vLLM
    "prompt_token_ids",  # vLLM
    "provider",  # OpenRouter
    "timings",  # llama.cpp
    "x_groq",  # Groq
)
"""What servers of this shape say of how they worked: nothing that a caller could act on."""
_SERVERS_CHOICE: Final = (
    "content_filter_results",  # Azure
    "native_finish_reason",  # OpenRouter
    "stop_reason",  # vLLM
    "token_ids",  # vLLM
)

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
                **dict.fromkeys(_SERVERS_CHOICE, NOTED),
            }
        ],
        "usage": READ,
        "error": READ,
        "service_tier": READ,
        "system_fingerprint": READ,
        "obfuscation": READ,
        **dict.fromkeys(_SERVERS, NOTED),
    },
)
"""A whole answer, or a chunk of a stream. The fingerprint means something to its maker alone."""
