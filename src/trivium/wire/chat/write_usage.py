"""The usage object of the chat shape, from the canonical record: totals that contain their parts.

Source: openai-python 3.52.0, ``CompletionUsage``, read 2026-11-21.
"""

from typing import Any

from trivium.conversation.usage import Usage


def written(usage: Usage) -> dict[str, Any]:
    """``usage``; the details are always there, as integers."""
    prompt: dict[str, int] = {"cached_tokens": usage.cache_read, "audio_tokens": usage.audio_input}
    wrote = usage.cache_write_short + usage.cache_write_long
    if wrote:
        prompt["cache_write_tokens"] = wrote
    if usage.image_input:
        prompt["image_tokens"] = usage.image_input
    given, made = usage.input_total, usage.output_total
    return {
        "prompt_tokens": given,
        "completion_tokens": made,
        "total_tokens": given + made,
        "prompt_tokens_details": prompt,
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning,
            "audio_tokens": usage.audio_output,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
