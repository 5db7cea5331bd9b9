"""Usage as generate-content counts it, normalised to disjoint counters.

``promptTokenCount`` contains what came from the cache; ``candidatesTokenCount`` leaves thoughts
out; ``toolUsePromptTokenCount`` (results of the vendor's own tools, fed back) stands beside the
prompt. Numbers may be text. Source: the vendor's reference and recorded streams of gemini-3.6-flash
and gemma-4, whose totals add up that way, read on 2026-11-21: docs/wire/usage.md.
"""

from collections.abc import Mapping
from typing import Any, Final

from trivium.conversation.usage import Usage
from trivium.wire.lenient import NonsenseError, count

CACHED: Final = "cachedContentTokenCount"
_READ: Final = (
    "promptTokenCount", CACHED, "candidatesTokenCount", "thoughtsTokenCount",
    "toolUsePromptTokenCount", "totalTokenCount", "promptTokensDetails", "candidatesTokensDetails",
    "cacheTokensDetails", "serviceTier",
)  # fmt: skip
"""What is kept of several snapshots: a chunk may have any number of others."""


def counted(reported: Mapping[str, Any]) -> bool:
    """Whether a ``usageMetadata`` holds a counter; Vertex sends some that hold a tier only."""
    get = reported.get
    return (
        get("promptTokenCount") is not None
        or get("candidatesTokenCount") is not None
        or get("thoughtsTokenCount") is not None
        or get("toolUsePromptTokenCount") is not None
    )


def complete(reported: Mapping[str, Any]) -> bool:
    """Whether there are counters and the total says that none is missing.

    Some upstreams count thoughts inside the candidates; then the total shows that, too.
    """
    try:
        prompt, candidates, thoughts, tools = _parts(reported)
        total = count(reported.get("totalTokenCount"))
    except NonsenseError:
        return False
    without = prompt + candidates + tools
    return total > 0 and (total == without + thoughts or total == without)


def merged(before: Mapping[str, Any], reported: Mapping[str, Any]) -> Mapping[str, Any]:
    """Counters after a later snapshot of the same stream; one without counters changes nothing.

    A complete snapshot replaces the one before; from an incomplete one the absent counters keep
    their last value. The cached count is in no total, so it is kept either way.
    """
    if complete(reported):
        if reported.get(CACHED) is None and CACHED in before:
            return {**reported, CACHED: before[CACHED]}
        return reported
    if not counted(reported):
        return before
    found = {name: value for name in _READ if (value := before.get(name)) is not None}
    return found | {name: value for name in _READ if (value := reported.get(name)) is not None}


def usage(reported: Any) -> Usage | None:
    """The canonical record of a ``usageMetadata``; ``None`` when it has no counter or nonsense."""
    if not isinstance(reported, dict) or not counted(reported):
        return None
    try:
        return _disjoint(reported)
    except NonsenseError:
        return None


def _disjoint(reported: Mapping[str, Any]) -> Usage:
    prompt, candidates, thoughts, tools = _parts(reported)
    if thoughts and count(reported.get("totalTokenCount")) == prompt + candidates + tools:
        # the only use of the total: it tells that the candidates contain the thoughts
        thoughts = min(thoughts, candidates)
        candidates -= thoughts
    cached = min(count(reported.get(CACHED)), prompt)
    audio_in = image_in = audio_out = image_out = 0
    if "promptTokensDetails" in reported:
        audio_in, image_in = _media(reported, "promptTokensDetails")
    if "candidatesTokensDetails" in reported:
        audio_out, image_out = _media(reported, "candidatesTokensDetails")
    if (audio_in or image_in) and cached:
        # cached media tokens are billed as cache reads, not once more as media
        audio_cached, image_cached = _media(reported, "cacheTokensDetails")
        audio_in, image_in = max(0, audio_in - audio_cached), max(0, image_in - image_cached)
    audio_in = min(audio_in, prompt - cached)
    image_in = min(image_in, prompt - cached - audio_in)
    audio_out = min(audio_out, candidates)
    image_out = min(image_out, candidates - audio_out)
    return Usage(
        fresh=prompt - cached - audio_in - image_in + tools,
        cache_read=cached,
        output=candidates - audio_out - image_out,
        reasoning=thoughts,
        audio_input=audio_in,
        audio_output=audio_out,
        image_input=image_in,
        image_output=image_out,
    )


def _parts(reported: Mapping[str, Any]) -> tuple[int, int, int, int]:
    """The summands of ``totalTokenCount``."""
    get = reported.get
    return (
        count(get("promptTokenCount")),
        count(get("candidatesTokenCount")),
        count(get("thoughtsTokenCount")),
        count(get("toolUsePromptTokenCount")),
    )


def _media(reported: Mapping[str, Any], name: str) -> tuple[int, int]:
    """Audio and image tokens of a ``…TokensDetails`` list."""
    details = reported.get(name)
    if not isinstance(details, list):
        return 0, 0
    audio = image = 0
    for row in details:
        if not isinstance(row, dict):
            continue
        modality = row.get("modality")
        if modality == "AUDIO":
            audio += count(row.get("tokenCount"))
        elif modality == "IMAGE":
            image += count(row.get("tokenCount"))
    return audio, image
