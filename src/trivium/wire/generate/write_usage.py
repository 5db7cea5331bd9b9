"""Usage as callers of this shape read it: ``usageMetadata`` from the disjoint counters.

The prompt contains cache hits, the candidates leave thoughts out, the total is the sum. Counters
are int32 and so JSON numbers: a typed client refuses the whole answer over a text. Zero counts are
left out where the vendor leaves them out.
"""

from collections.abc import Mapping
from typing import Any, Final

from trivium.conversation.usage import Usage

TIERS: Final = {"default": "standard", "flex": "flex", "priority": "priority"}
_TIERS_SAID: Final = {word: tier for tier, word in TIERS.items()}


def tier_of(metadata: Mapping[str, Any]) -> str | None:
    """The tier that served an answer, in OpenAI's words; ``None`` where none is told."""
    word = metadata.get("serviceTier")
    return _TIERS_SAID.get(word.lower()) if isinstance(word, str) else None


def metadata(usage: Usage, tier: str | None = None) -> dict[str, Any]:
    """The object, in the vendor's order; ``tier`` in OpenAI's words."""
    prompt = usage.input_total
    visible = usage.output + usage.audio_output + usage.image_output
    out: dict[str, Any] = {"promptTokenCount": prompt, "candidatesTokenCount": visible}
    if usage.cache_read:
        out["cachedContentTokenCount"] = usage.cache_read
    if usage.reasoning:
        out["thoughtsTokenCount"] = usage.reasoning
    out["totalTokenCount"] = prompt + visible + usage.reasoning
    if usage.audio_input or usage.image_input:
        text = prompt - usage.audio_input - usage.image_input
        out["promptTokensDetails"] = _details(text, usage.audio_input, usage.image_input)
    if usage.audio_output or usage.image_output:
        out["candidatesTokensDetails"] = _details(
            usage.output, usage.audio_output, usage.image_output
        )
    if tier is not None and tier in TIERS:
        out["serviceTier"] = TIERS[tier]
    return out


def _details(text: int, audio: int, image: int) -> list[dict[str, Any]]:
    rows = (("TEXT", text), ("AUDIO", audio), ("IMAGE", image))
    return [{"modality": modality, "tokenCount": count} for modality, count in rows if count]
