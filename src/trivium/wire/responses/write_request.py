"""Conversations as requests of the responses shape.

Nothing is left at the vendor on behalf of a caller of another shape: ``store`` is false, and what
the model thought comes back sealed in the answer. Source: OpenAI's API reference and openai-python
3.52.0, ``ResponseCreateParams``, read 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.effort import inexact, nearest, wished
from trivium.conversation.losses import Report
from trivium.conversation.member_table import Concept
from trivium.conversation.names import person
from trivium.conversation.request import (
    Conversation,
    Extension,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.conversation.target import ReasoningBack, TargetFacts, Thinks
from trivium.wire.responses import write_input, write_tools
from trivium.wire.responses.read_answer_parts import SHAPE
from trivium.wire.responses.write_content import PartsWriter

_encode: Final = msgspec.json.Encoder().encode

OUTPUT_MIN: Final = 16
"""Least ``max_output_tokens`` that OpenAI takes."""

_NAME: Final = "response"
"""Name of a schema that came without one."""

_MODELS_OWN: Final = Sampling()


def write(conversation: Conversation, facts: TargetFacts, report: Report) -> bytes:
    """The body for the upstream. Raises ``Fault`` (UNREPRESENTABLE) through the report only."""
    content = PartsWriter(conversation, facts, report)
    _refuse(conversation, content)
    body: dict[str, Any] = {"model": facts.model}
    slot = conversation.instructions
    if len(slot) == 1 and slot[0].cache is None:
        body["instructions"] = slot[0].text
        slot = ()
    history = write_input.instructing(slot, content) if slot else []
    body["input"] = history + write_input.items(conversation.turns, content)
    content.settle()
    declared = write_tools.tools(conversation, content) if conversation.tools else None
    if declared:
        body["tools"] = declared
        choice = write_tools.choice(conversation.tool_choice, conversation, content)
        if choice is not None:
            body["tool_choice"] = choice
        if conversation.parallel_calls is not None:
            body["parallel_tool_calls"] = conversation.parallel_calls
    _limits(conversation, body, content)
    _include(conversation, body, content)
    if conversation.reasoning is not None:
        _reasoning(conversation.reasoning, body, content)
    if conversation.format is not None or conversation.verbosity is not None:
        _text(conversation, body, content)
    _rest(conversation, body, content)
    return _encode(body)


def _refuse(conversation: Conversation, content: PartsWriter) -> None:
    """Report the members for which the shape has nothing."""
    if conversation.sampling != _MODELS_OWN:
        content.lacks_sampling(conversation.sampling, SHAPE)
    content.answers_once(conversation, SHAPE)
    content.answers_in_text(conversation, SHAPE)


def _limits(conversation: Conversation, body: dict[str, Any], content: PartsWriter) -> None:
    # as in the chat shape's writer: compiled, a `float` makes 1.0 of the 1 of a caller
    sampling: Any = conversation.sampling
    if sampling.temperature is not None and content.takes(Concept.TEMPERATURE):
        body["temperature"] = sampling.temperature
    if sampling.top_p is not None and content.takes(Concept.TOP_P):
        body["top_p"] = sampling.top_p
    limit = conversation.output_max
    if limit is None:
        return
    if limit < OUTPUT_MIN:
        # the answer is cut a little later, nothing else changes
        content.rewords(Concept.OUTPUT_MAX, f"the least this shape takes is {OUTPUT_MIN}")
        limit = OUTPUT_MIN
    body["max_output_tokens"] = limit


def _include(conversation: Conversation, body: dict[str, Any], content: PartsWriter) -> None:
    include: list[str] = []
    if content.facts.reasoning_back is ReasoningBack.SEALED:
        include.append("reasoning.encrypted_content")
    if conversation.logprobs:
        include.append("message.output_text.logprobs")
        if conversation.top_logprobs is not None:
            body["top_logprobs"] = conversation.top_logprobs
    if include:
        body["include"] = include


def _reasons(facts: TargetFacts) -> bool:
    return facts.thinks is not Thinks.NONE and Concept.REASONING not in facts.refuses


def _reasoning(wanted: ReasoningSettings, body: dict[str, Any], content: PartsWriter) -> None:
    facts = content.facts
    if not _reasons(facts):
        content.lacks(Concept.REASONING, "not taken by this model")
        return
    row: dict[str, Any] = {}
    step = wished(wanted)
    if wanted.switch is Thinking.BETWEEN_TOOLS:
        content.lacks(Concept.REASONING, "the responses shape knows no thinking between tools")
    if step is not None and (known := nearest(step, facts.efforts)) is not None:
        row["effort"] = known.value
        if known is not step or inexact(wanted):
            reason = f"the nearest effort this model knows is {known.value}"
            content.changes(Concept.REASONING, reason)
    if wanted.shown:
        row["summary"] = wanted.style or "auto"
    if row:
        body["reasoning"] = row


def _text(conversation: Conversation, body: dict[str, Any], content: PartsWriter) -> None:
    row: dict[str, Any] = {}
    if conversation.format is not None:
        form = _format(conversation.format, content)
        if form is not None:
            row["format"] = form
    if conversation.verbosity is not None and content.takes(Concept.VERBOSITY):
        row["verbosity"] = conversation.verbosity
    if row:
        body["text"] = row


def _format(wanted: ResponseFormat, content: PartsWriter) -> dict[str, Any] | None:
    if wanted.kind is FormatKind.TEXT:
        return None
    if wanted.kind is FormatKind.JSON:
        return {"type": "json_object"}
    if wanted.kind is FormatKind.ENUM or wanted.schema is None or not content.facts.schema:
        content.lacks(Concept.FORMAT, "this model cannot be held to it")
        return None
    row: dict[str, Any] = {"type": "json_schema", "name": wanted.name or _NAME}
    if wanted.description is not None:
        row["description"] = wanted.description
    row["schema"] = msgspec.Raw(wanted.schema)
    if wanted.strict is not None:
        row["strict"] = wanted.strict
    return row


def _rest(conversation: Conversation, body: dict[str, Any], content: PartsWriter) -> None:
    own = conversation.shape == SHAPE
    if conversation.user is not None:
        body["user"] = _user(conversation.user, content)
    if conversation.safety_id is not None:
        body["safety_identifier"] = conversation.safety_id
    if conversation.cache_key is not None:
        body["prompt_cache_key"] = conversation.cache_key
    if conversation.service_tier is not None:
        body["service_tier"] = conversation.service_tier
    if conversation.metadata:
        body["metadata"] = dict(conversation.metadata)
    body["store"] = bool(conversation.store) if own else False
    if conversation.store and not own:
        content.lacks(Concept.STORE, "kept in our own record")
    if conversation.cache is not None:
        content.lacks(Concept.CACHE_MARK, "the responses shape has no mark for the whole")
    if conversation.stream:
        body["stream"] = True
    if conversation.extensions:
        _extend(conversation, body, content)


def _user(name: str, content: PartsWriter) -> str:
    user = person(name)
    if user != name:
        content.lacks(Concept.USER, "its digest is sent")
    return user


def _extend(conversation: Conversation, body: dict[str, Any], content: PartsWriter) -> None:
    """Members that only the caller's shape has: back into their own shape, else reported."""
    own = conversation.shape == SHAPE
    for extension in conversation.extensions:
        if not (own and _put_back(extension, body, content.facts)):
            content.leaves_out(extension)


def _put_back(extension: Extension, body: dict[str, Any], facts: TargetFacts) -> bool:
    """Say a member where its own shape has it; ``False``: its place is not known, or not taken."""
    name, value = extension.member, msgspec.Raw(extension.data)
    outer, _, inner = name.partition(".")
    if name.startswith("include["):
        body.setdefault("include", []).append(value)
    elif outer == "reasoning" and inner and _reasons(facts):
        body.setdefault("reasoning", {})[inner] = value
    elif inner or "[" in name:
        return False
    else:
        body[name] = value
    return True
