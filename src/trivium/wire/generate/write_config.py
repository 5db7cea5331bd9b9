"""``generationConfig`` for an upstream of this shape."""

from typing import Any, Final

import msgspec

from trivium.conversation import effort
from trivium.conversation.items import Turn
from trivium.conversation.member_table import SAMPLING, Concept, unnamed
from trivium.conversation.parts import Image
from trivium.conversation.request import (
    Conversation,
    Effort,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.conversation.target import Thinks
from trivium.conversation.writer_base import WriterBase
from trivium.wire.generate import write_schema
from trivium.wire.generate.read_answer_parts import SHAPE

_SEED_LIMIT: Final = 2**31
_MODELS_OWN: Final = Sampling()
_RESOLUTIONS: Final = {
    "low": "MEDIA_RESOLUTION_LOW",
    "high": "MEDIA_RESOLUTION_HIGH",
    "original": "MEDIA_RESOLUTION_HIGH",
}


def config(conversation: Conversation, writing: WriterBase) -> dict[str, Any]:
    """The member's members, in a fixed order."""
    out = {} if conversation.sampling == _MODELS_OWN else _sampling(conversation, writing)
    thinking = _thinking(conversation.reasoning, conversation.output_max, writing)
    limit = conversation.output_max
    if limit is not None and writing.takes(Concept.OUTPUT_MAX):
        out["maxOutputTokens"] = limit
    if conversation.candidates is not None and writing.takes(Concept.CANDIDATES):
        out["candidateCount"] = conversation.candidates
    if conversation.stop:
        out["stopSequences"] = list(conversation.stop)
    if conversation.logprobs:
        out |= _logprobs(conversation.top_logprobs, writing)
    if conversation.format is not None:
        out |= _format(conversation.format, writing)
    out |= _output(conversation, writing)
    if thinking:
        out["thinkingConfig"] = thinking
    resolution = _resolution(conversation.turns)
    if resolution is not None:
        out["mediaResolution"] = resolution
    return out


def _sampling(conversation: Conversation, writing: WriterBase) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for concept, field, members in SAMPLING:
        value = getattr(conversation.sampling, field)
        name = members.get(SHAPE, "").rpartition(".")[2]
        if value is None or not name or not writing.takes(concept):
            continue
        if name == "temperature" and value > writing.facts.temperature_max:
            value = writing.facts.temperature_max
            writing.changes(concept, f"at most {value} is taken")
        if name == "seed" and not -_SEED_LIMIT <= value < _SEED_LIMIT:
            writing.lacks(concept, "it takes 32 bits")
            continue
        out[name] = value
    writing.lacks_sampling(conversation.sampling, SHAPE)
    return out


def _format(wanted: ResponseFormat, writing: WriterBase) -> dict[str, Any]:
    if wanted.kind is FormatKind.TEXT:
        return {"responseMimeType": "text/plain"} if writing.shape == SHAPE else {}
    out: dict[str, Any] = {"responseMimeType": "application/json"}
    if wanted.kind is FormatKind.ENUM:
        out["responseMimeType"] = "text/x.enum"
    if wanted.schema is None or wanted.kind is FormatKind.JSON:
        return out
    if not writing.facts.schema:
        writing.lacks(Concept.FORMAT, "this model cannot be held to a schema")
        return out
    unnamed(wanted, writing.shape, writing.report)
    if writing.facts.schema_full and wanted.kind is FormatKind.SCHEMA:
        return out | {"responseJsonSchema": msgspec.Raw(wanted.schema)}
    found, folded = write_schema.restricted(wanted.schema)
    if folded:
        words = f"{', '.join(sorted(folded))} became words of the schema"
        writing.rewords(Concept.FORMAT, words)
    return out | {"responseSchema": msgspec.Raw(found)}


def _logprobs(top: int | None, writing: WriterBase) -> dict[str, Any]:
    if not writing.takes(Concept.LOGPROBS):
        return {}
    return (
        {"responseLogprobs": True} if top is None else {"responseLogprobs": True, "logprobs": top}
    )


def _output(conversation: Conversation, writing: WriterBase) -> dict[str, Any]:
    out: dict[str, Any] = {}
    wanted = conversation.modalities
    if not wanted and conversation.audio is None:
        return out
    said = bool(wanted) and (wanted != ("text",) or writing.shape == SHAPE)
    if said and writing.takes(Concept.MODALITIES):
        out["responseModalities"] = [one.upper() for one in wanted]
    if conversation.audio is not None:
        if writing.shape == SHAPE:
            out["speechConfig"] = msgspec.Raw(conversation.audio)
        elif "audio" in wanted:
            writing.lacks(Concept.AUDIO, "voices and formats have other names there")
    return out


def _thinking(
    wanted: ReasoningSettings | None, output_max: int | None, writing: WriterBase
) -> dict[str, Any]:
    if wanted is None or not writing.takes(Concept.REASONING):
        return {}
    facts = writing.facts
    out: dict[str, Any] = {}
    _unsaid(wanted, writing)
    if facts.thinks is Thinks.BUDGET:
        if wanted.switch is Thinking.ADAPTIVE and wanted.effort is None:
            out["thinkingBudget"] = -1
        elif wanted.switch is not None or wanted.effort is not None or wanted.budget is not None:
            out["thinkingBudget"] = _budget(wanted, output_max, writing)
    elif facts.thinks is Thinks.LEVEL:
        step = effort.wished(wanted)
        level = effort.nearest(step, facts.efforts) if step is not None else None
        if level is not None:
            out["thinkingLevel"] = level.value.upper()
            if level is not step or effort.inexact(wanted):
                writing.changes(Concept.REASONING, f"the nearest is {level.value}")
    else:
        if effort.wished(wanted) not in (None, Effort.NONE):
            writing.lacks(Concept.REASONING, "this model's thinking cannot be steered")
        return {}
    if wanted.shown is not None:
        out["includeThoughts"] = wanted.shown
    return out


def _unsaid(wanted: ReasoningSettings, writing: WriterBase) -> None:
    """Report what other shapes can say about thinking."""
    if wanted.switch is Thinking.BETWEEN_TOOLS:
        writing.lacks(Concept.REASONING, "the generate shape knows no thinking between tools")
    if wanted.style is not None:
        writing.lacks(Concept.REASONING, "thoughts have one length here")


def _budget(wanted: ReasoningSettings, output_max: int | None, writing: WriterBase) -> int:
    facts = writing.facts
    budget = effort.budget_of(wanted, facts)
    if budget == 0 and not facts.thinking_off:
        writing.changes(Concept.REASONING, "this model's thinking cannot be switched off")
        return facts.budget_min
    if output_max is None or budget == 0:
        return budget
    fits = effort.room(budget, output_max, facts)[0]
    if fits == 0 and not facts.thinking_off:
        fits = facts.budget_min
    if fits != budget:
        writing.changes(Concept.REASONING, f"the limit of the output leaves room for {fits}")
    return fits


def _resolution(turns: tuple[Turn, ...]) -> str | None:
    """The finest that any picture wants: the member is the request's, not the picture's."""
    wanted = {part.detail for turn in turns for part in turn.parts if type(part) is Image}
    if not wanted:
        return None
    for detail in ("original", "high", "low"):
        if detail in wanted:
            return _RESOLUTIONS[detail]
    return None
