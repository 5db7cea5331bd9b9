"""``generationConfig`` as fields of a conversation."""

from typing import Any, Final

from trivium.conversation.member_table import SAMPLING
from trivium.conversation.request import (
    Effort,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.wire.checks import wrong
from trivium.wire.generate import read_schema
from trivium.wire.generate.read_answer_parts import SHAPE

_RANGES: Final = {
    "temperature": (0, 2),
    "topP": (0, 1),
    "topK": (0, 2**31),
    "candidateCount": (0, 8),
    "maxOutputTokens": (0, 2**31),
    "presencePenalty": (-2, 2),
    "frequencyPenalty": (-2, 2),
    "logprobs": (0, 20),
}
"""Least and most. Source: the vendor's reference, read on 2026-11-21."""
_ANY: Final = (0, 0)
_PLAIN: Final = {
    "responseLogprobs": "logprobs",
    "logprobs": "top_logprobs",
    "speechConfig": "audio",
}
"""Members that are fields as they are."""
_DRAWN: Final = {
    members[SHAPE].rpartition(".")[2]: field for _, field, members in SAMPLING if SHAPE in members
}
"""Members that are fields of ``Sampling``."""
_FORMATTING: Final = frozenset({"responseMimeType", "responseJsonSchema", "responseSchema"})
_STOPS_MAX: Final = 5
_LEVELS: Final = {
    "MINIMAL": Effort.MINIMAL,
    "LOW": Effort.LOW,
    "MEDIUM": Effort.MEDIUM,
    "HIGH": Effort.HIGH,
    "XHIGH": Effort.XHIGH,
}
_MODALITIES: Final = frozenset({"TEXT", "IMAGE", "AUDIO", "VIDEO"})
_UNSAID: Final = frozenset({"MODALITY_UNSPECIFIED", "THINKING_LEVEL_UNSPECIFIED", "0"})


def wishes(config: dict[str, Any], path: str) -> dict[str, Any]:
    """Fields of ``Conversation``. Raises INVALID_VALUE by member."""
    for name, found in config.items():
        least, most = _RANGES.get(name, _ANY)
        if most and not least <= found <= most:
            rule = f"be {least} to {most}" if most < 2**31 else f"be at least {least}"
            raise wrong(f"{path}.{name}", rule)
    fields: dict[str, Any] = {
        _PLAIN[name]: found for name, found in config.items() if name in _PLAIN
    }
    if "stopSequences" in config:
        fields["stop"] = stops = tuple(config["stopSequences"])
        if len(stops) > _STOPS_MAX:
            raise wrong(f"{path}.stopSequences", f"have at most {_STOPS_MAX} entries")
    drawn = {_DRAWN[name]: found for name, found in config.items() if name in _DRAWN}
    if drawn:
        fields["sampling"] = Sampling(**drawn)
    # 0 is proto3's way of leaving a number out
    fields["output_max"] = config.get("maxOutputTokens") or None
    fields["candidates"] = config.get("candidateCount") or None
    if "responseModalities" in config:
        fields["modalities"] = _modalities(config["responseModalities"], path)
    if not _FORMATTING.isdisjoint(config):
        fields["format"] = _format(config, path)
    if "thinkingConfig" in config:
        fields["reasoning"] = _reasoning(config["thinkingConfig"], f"{path}.thinkingConfig")
    return fields


def _modalities(words: Any, path: str) -> tuple[str, ...]:
    out: list[str] = []
    for at, word in enumerate(words):
        if word in _UNSAID:
            continue
        if word not in _MODALITIES:
            raise wrong(f"{path}.responseModalities[{at}]", "be one of TEXT, IMAGE, AUDIO, VIDEO")
        out.append(word.lower())
    return tuple(out)


def _format(config: dict[str, Any], path: str) -> ResponseFormat | None:
    mime = config.get("responseMimeType", "")
    found = config.get("responseJsonSchema")
    if "responseSchema" in config:
        if found is not None:
            raise wrong(path, "have `responseSchema` or `responseJsonSchema`, not both")
        found = read_schema.standard(config["responseSchema"], f"{path}.responseSchema")
    if mime == "text/x.enum":
        return ResponseFormat(FormatKind.ENUM, found)
    if mime == "application/json":
        kind = FormatKind.JSON if found is None else FormatKind.SCHEMA
        return ResponseFormat(kind, found)
    if mime not in ("", "text/plain"):
        raise wrong(f"{path}.responseMimeType", "be text/plain, application/json or text/x.enum")
    if found is not None:
        raise wrong(f"{path}.responseMimeType", "be application/json where a schema is given")
    return ResponseFormat(FormatKind.TEXT) if mime else None


def _reasoning(config: dict[str, Any] | None, path: str) -> ReasoningSettings | None:
    if not config:
        return None
    budget = config.get("thinkingBudget")
    level = config.get("thinkingLevel")
    if level in _UNSAID:
        level = None
    if budget is not None and level is not None:
        raise wrong(path, "have `thinkingBudget` or `thinkingLevel`, not both")
    if level is not None and level not in _LEVELS:
        raise wrong(f"{path}.thinkingLevel", "be one of MINIMAL, LOW, MEDIUM, HIGH, XHIGH")
    if budget is not None and budget < -1:
        raise wrong(f"{path}.thinkingBudget", "be at least -1")
    switch = {0: Thinking.OFF, -1: Thinking.ADAPTIVE}.get(budget) if budget is not None else None
    return ReasoningSettings(
        switch=switch,
        effort=_LEVELS[level] if level is not None else None,
        budget=budget if switch is None else None,
        shown=config.get("includeThoughts"),
    )
