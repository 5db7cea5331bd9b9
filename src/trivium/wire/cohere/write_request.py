"""A conversation as the body of Cohere's chat request.

Source: cohere-python 7.3.1, ``V2Client.chat`` and the ranges that it documents, read 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.effort import budget_of, room, wished
from trivium.conversation.losses import Report
from trivium.conversation.member_table import Concept, unnamed
from trivium.conversation.request import (
    Conversation,
    Effort,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Thinking,
)
from trivium.conversation.target import TargetFacts, Thinks
from trivium.wire.cohere import write_tools
from trivium.wire.cohere.documents import SHAPE
from trivium.wire.cohere.write_messages import HistoryWriter

_encode: Final = msgspec.json.Encoder().encode
_NONE_SUCH: Final = "Cohere's shape has no such member"
_K_MAX: Final = 500
_P_MIN, _P_MAX = 0.01, 0.99
_PENALTY_MAX: Final = 1.0


def write(conversation: Conversation, facts: TargetFacts, report: Report) -> bytes:
    """The body for the upstream. Raises ``Fault`` (UNREPRESENTABLE) through the report only."""
    writing = HistoryWriter(conversation, facts, report)
    _refuse(conversation, writing)
    body: dict[str, Any] = {"model": facts.model}
    body["messages"] = writing.messages(conversation)
    if writing.documents:
        body["documents"] = writing.documents
        if not writing.citable:
            body["citation_options"] = {"mode": "OFF"}
    if conversation.tools:
        write_tools.write(conversation, writing, body)
    if conversation.format is not None:
        _format(conversation.format, writing, body)
    _sample(conversation, writing, body)
    limit = conversation.output_max
    if limit is None:
        limit = facts.output_default
    if conversation.reasoning is not None:
        limit = _think(conversation.reasoning, limit, writing, body)
    if limit is not None:
        body["max_tokens"] = limit
    if conversation.stop:
        body["stop_sequences"] = conversation.stop
    _rest(conversation, writing, body)
    if conversation.stream:
        body["stream"] = True
    return _encode(body)


def _rest(conversation: Conversation, writing: HistoryWriter, body: dict[str, Any]) -> None:
    own = conversation.shape == SHAPE
    if conversation.logprobs is not None and (conversation.logprobs or own):
        body["logprobs"] = conversation.logprobs
    for extension in conversation.extensions:
        if own and not {".", "["} & set(extension.member):
            body[extension.member] = msgspec.Raw(extension.data)
        else:
            writing.leaves_out(extension)


def _refuse(conversation: Conversation, writing: HistoryWriter) -> None:
    """Report the members for which the shape has nothing."""
    writing.answers_once(conversation, SHAPE)
    writing.answers_in_text(conversation, SHAPE)
    if conversation.top_logprobs:
        writing.lacks(Concept.TOP_LOGPROBS, "Cohere's shape tells no other tokens")
    for concept, value in (
        (Concept.VERBOSITY, conversation.verbosity),
        (Concept.METADATA, conversation.metadata or None),
        (Concept.USER, conversation.user),
        (Concept.SAFETY_ID, conversation.safety_id),
        (Concept.CACHE_KEY, conversation.cache_key),
        (Concept.CACHE_MARK, conversation.cache),
        (Concept.STORE, conversation.store),
    ):
        if value is not None:
            writing.lacks(concept, _NONE_SUCH)
    if conversation.service_tier not in (None, "auto", "default"):
        writing.lacks(Concept.SERVICE_TIER, _NONE_SUCH)


def _sample(conversation: Conversation, writing: HistoryWriter, body: dict[str, Any]) -> None:
    # numbers go out as they came: compiled, a `float` makes 1.0 of the 1 of a caller
    wanted: Any = conversation.sampling
    rows: tuple[tuple[Concept, str, Any, Any, Any], ...] = (
        (Concept.TEMPERATURE, "temperature", wanted.temperature, 0, writing.facts.temperature_max),
        (Concept.TOP_P, "p", wanted.top_p, _P_MIN, _P_MAX),
        (Concept.TOP_K, "k", wanted.top_k, 0, _K_MAX),
        (
            Concept.FREQUENCY_PENALTY,
            "frequency_penalty",
            wanted.frequency_penalty,
            0,
            _PENALTY_MAX,
        ),
        (Concept.PRESENCE_PENALTY, "presence_penalty", wanted.presence_penalty, 0, _PENALTY_MAX),
    )
    for concept, name, value, least, most in rows:
        if value is None:
            continue
        fitting = least if value < least else min(value, most)
        if fitting != value:
            writing.changes(concept, f"from {least:g} to {most:g}")
        body[name] = fitting
    if wanted.seed is not None:
        body["seed"] = wanted.seed
    if wanted.logit_bias is not None:
        writing.lacks(Concept.LOGIT_BIAS, _NONE_SUCH)


def _think(
    requested: ReasoningSettings, limit: int | None, writing: HistoryWriter, body: dict[str, Any]
) -> int | None:
    """Put thinking into the body; the output limit that goes with it."""
    facts = writing.facts
    if wished(requested) is Effort.NONE:
        if facts.thinks is not Thinks.NONE:
            if facts.thinking_off:
                body["thinking"] = {"type": "disabled"}
            else:
                writing.lacks(Concept.REASONING, "this model always thinks")
        return limit
    if facts.thinks is Thinks.NONE:
        writing.lacks(Concept.REASONING, "this model does not think")
        return limit
    _unlike(requested, writing)
    if requested.effort is None and requested.budget is None:
        if requested.switch is not None:
            body["thinking"] = {"type": "enabled"}
        return limit
    wanted = budget_of(requested, facts)
    budget, fitting = room(wanted, limit, facts)
    if not budget:
        writing.lacks(Concept.REASONING, "the output limit leaves no room for thinking")
        return limit
    if budget != wanted:
        writing.changes(Concept.REASONING, "must stay below the output limit")
    body["thinking"] = {"type": "enabled", "token_budget": budget}
    return fitting


def _unlike(requested: ReasoningSettings, writing: HistoryWriter) -> None:
    """Report what a caller cannot choose of the thinking there."""
    if requested.switch is Thinking.BETWEEN_TOOLS:
        writing.changes(Concept.REASONING, "it thinks before all it says")
    if requested.shown is False:
        writing.changes(Concept.REASONING, "what it thinks is always shown")
    if requested.style is not None:
        writing.changes(Concept.REASONING, "its thoughts are told in its own words")


def _format(wanted: ResponseFormat, writing: HistoryWriter, body: dict[str, Any]) -> None:
    if wanted.kind is FormatKind.TEXT:
        return
    if "tools" in body or "documents" in body:
        writing.lacks(Concept.FORMAT, "no format is taken beside tools or documents")
        return
    row: dict[str, Any] = {"type": "json_object"}
    if wanted.kind is not FormatKind.JSON:
        if wanted.kind is FormatKind.ENUM or wanted.schema is None or not writing.facts.schema:
            writing.lacks(Concept.FORMAT, "this model cannot be held to it")
            return
        unnamed(wanted, writing.shape, writing.report)
        row["json_schema"] = msgspec.Raw(wanted.schema)
    body["response_format"] = row
