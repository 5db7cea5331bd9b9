"""Conversations as requests of the messages shape.

The history is written by its own parts alone, block by block and in order: a history that grows by
an answer and a turn begins with the bytes it had, or caches miss and signatures fail. So only the
leading instructions go to the top-level slot, and content is always a list.
Source: messages reference and SDK types 2.11, read on 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.fit import FILLER
from trivium.conversation.items import INSTRUCTING, Role, Turn
from trivium.conversation.losses import Mend, Report
from trivium.conversation.member_table import DEMOTED, Concept, member, unnamed
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation, FormatKind, ResponseFormat, Sampling
from trivium.conversation.target import TargetFacts
from trivium.conversation.turns import leading
from trivium.wire.messages import write_schema, write_thinking, write_tools
from trivium.wire.messages.citations import SHAPE
from trivium.wire.messages.write_content import THINKING, ContentWriter, Row

_encode: Final = msgspec.json.Encoder().encode

JSON_HINT: Final = "Answer with one JSON object and nothing else: no prose, no code fence."
"""The shape has no switch for JSON without a schema."""
_TAGGED: Final = "<system>\n{}\n</system>"
"""Instructions in the middle for models that take none there."""

_MODELS_OWN: Final = Sampling()
_SPEAKERS: Final = {role: role.value for role in Role}
_TIERS: Final = {
    "auto": "auto",
    "default": "standard_only",
    "priority": "auto",
    "flex": "standard_only",
}
_USER_MAX: Final = 256
_SAME_TIER: Final = frozenset({"auto", "default"})


def write(conversation: Conversation, facts: TargetFacts, report: Report) -> bytes:
    """The body for the upstream. Raises ``Fault`` (UNREPRESENTABLE) through the report only."""
    writing = ContentWriter(conversation, facts, report)
    _refuse(conversation, writing)
    tools = write_tools.tools(conversation, writing) if conversation.tools else None
    head = leading(conversation.turns)
    system = _system(conversation, head, writing)
    messages = _messages(conversation.turns[head:], head, writing)
    settled = write_thinking.settle(conversation, messages, writing)
    body: dict[str, Any] = {"model": facts.model, "max_tokens": settled.output_max}
    output: dict[str, Any] = {}
    if settled.effort is not None:
        output["effort"] = settled.effort
    if conversation.format is not None:
        _format(conversation.format, writing, system, output)
    if system:
        body["system"] = system
    body["messages"] = messages
    if tools:
        body["tools"] = tools
        if (choice := write_tools.choice(conversation, writing)) is not None:
            body["tool_choice"] = choice
    if settled.thinking is not None:
        body["thinking"] = settled.thinking
    if output:
        body["output_config"] = output
    if conversation.sampling != _MODELS_OWN:
        body |= write_thinking.sampling(conversation, settled, writing)
    body |= _rest(conversation, writing)
    if conversation.stream:
        body["stream"] = True
    return _encode(body)


def _refuse(conversation: Conversation, writing: ContentWriter) -> None:
    """Report the members for which the shape has nothing."""
    writing.answers_once(conversation, SHAPE)
    if conversation.logprobs or conversation.top_logprobs:
        writing.lacks(Concept.LOGPROBS, "the messages shape tells no probabilities")
    writing.answers_in_text(conversation, SHAPE)
    if conversation.verbosity is not None:
        writing.lacks(Concept.VERBOSITY, "the messages shape has no such member")
    if conversation.metadata:
        writing.lacks(Concept.METADATA, "kept in the request record")
    if conversation.store is not None:
        writing.lacks(Concept.STORE, "the messages shape stores nothing")
    if conversation.cache_key is not None:
        writing.lacks(Concept.CACHE_KEY, "decides the channel only")


def _system(conversation: Conversation, head: int, writing: ContentWriter) -> list[Row]:
    """The top-level slot: the instructions, and those of the first ``head`` turns."""
    texts = conversation.instructions
    if head:
        texts = (*texts, *_texts(conversation.turns[:head], writing))
    return [row for text in texts for row in writing.text(text, "system")]


def _texts(turns: tuple[Turn, ...], writing: ContentWriter) -> list[Text]:
    parts = [part for turn in turns for part in turn.parts]
    texts = [part for part in parts if isinstance(part, Text)]
    if len(texts) < len(parts):
        writing.lacks(Concept.VENDOR_PART, "instructions are text")
    return texts


def _messages(turns: tuple[Turn, ...], skipped: int, writing: ContentWriter) -> list[Row]:
    """The history: neighbours of one role put together, results first in their turn."""
    out: list[Row] = []
    for at, turn in enumerate(turns, skipped):
        where = f"turns[{at}]"
        if turn.name is not None:
            writing.lacks(Concept.PARTICIPANT, "the messages shape names no participants")
        role, rows = _turn(turn, where, writing)
        if not rows:
            if at == skipped + len(turns) - 1 and turn.role is Role.ASSISTANT and out:
                continue
            writing.report.repair(Mend.EMPTY_TURN, where)
            rows = [{"type": "text", "text": FILLER}]
        if out and out[-1]["role"] == role and role != "system":
            out[-1]["content"] += rows
        else:
            out.append({"role": role, "content": rows})
    for message in out:
        content = message["content"]
        if len(content) > 1 and message["role"] == "user":
            # stable: results open the turn that answers the calls
            content.sort(key=lambda row: row["type"] != "tool_result")
        elif content[-1]["type"] in THINKING:
            _concluded(content, message is out[-1], writing)
    return _opened([message for message in out if message["content"]], writing)


def _concluded(content: list[Row], is_last: bool, writing: ContentWriter) -> None:
    """Take out thinking that nothing follows, as in an answer that was cut: vendors refuse it."""
    while content and content[-1]["type"] in THINKING:
        content.pop()
    writing.lacks(Concept.REASONING_STATE, "nothing was said after it")
    if not content and not is_last:
        writing.report.repair(Mend.EMPTY_TURN, member(Concept.HISTORY, writing.shape))
        content.append({"type": "text", "text": FILLER})


def _opened(messages: list[Row], writing: ContentWriter) -> list[Row]:
    """The history, looked at from both ends: the user begins, and no blank ends it."""
    for row in messages:
        if row["role"] != "system":
            first = row["role"]
            break
    else:
        first = None
    if first != "user":
        history = member(Concept.HISTORY, writing.shape)
        raise writing.report.refusal(history, "it must have a user message before any other")
    last = messages[-1]
    if last["role"] == "assistant":
        end = last["content"][-1]
        if end["type"] == "text" and end["text"] != end["text"].rstrip():
            # refused by the vendor, and the model would begin with the blank anyway
            end["text"] = end["text"].rstrip()
            writing.rewords(Concept.HISTORY, "white space at the end of the last message")
    return messages


def _turn(turn: Turn, where: str, writing: ContentWriter) -> tuple[str, list[Row]]:
    if turn.role not in INSTRUCTING:
        return _SPEAKERS[turn.role], writing.parts(turn.parts, where)
    if writing.facts.mid_system:
        return "system", writing.parts(turn.parts, where)
    writing.rewords(Concept.HISTORY, DEMOTED)
    texts = [
        msgspec.structs.replace(part, text=_TAGGED.format(part.text))
        for part in turn.parts
        if isinstance(part, Text) and part.text.strip()
    ]
    return "user", writing.parts(texts, where)


def _format(
    wanted: ResponseFormat, writing: ContentWriter, system: list[Row], output: dict[str, Any]
) -> None:
    if wanted.kind is FormatKind.TEXT:
        return
    if wanted.kind is FormatKind.JSON:
        system.append({"type": "text", "text": JSON_HINT})
        reason = "asked for in words, since the messages shape has no such switch"
        writing.rewords(Concept.FORMAT, reason)
        return
    if wanted.kind is FormatKind.ENUM or wanted.schema is None or not writing.facts.schema:
        writing.lacks(Concept.FORMAT, "this model cannot be held to it")
        return
    unnamed(wanted, writing.shape, writing.report)
    data = wanted.schema
    if not writing.facts.schema_full:
        data, folded = write_schema.closed(data)
        if folded:
            writing.rewords(Concept.FORMAT, f"{', '.join(folded)} became words of the schema")
    output["format"] = {"type": "json_schema", "schema": msgspec.Raw(data)}


def _rest(conversation: Conversation, writing: ContentWriter) -> dict[str, Any]:
    body: dict[str, Any] = {}
    # an empty one asks for nothing
    stops = [one for one in conversation.stop if one]
    if stops:
        body["stop_sequences"] = stops
    user = conversation.user or conversation.safety_id
    if user:
        body["metadata"] = {"user_id": user[:_USER_MAX]}
        if len(user) > _USER_MAX:
            writing.lacks(Concept.USER, "cut; kept whole in the request record")
        if conversation.user and conversation.safety_id:
            writing.lacks(Concept.SAFETY_ID, "kept in the request record")
    if conversation.service_tier is not None:
        body |= _tier(conversation.service_tier, writing)
    if conversation.cache is not None:
        body |= writing.mark(conversation.cache)
    for extension in conversation.extensions:
        if conversation.shape == SHAPE and "." not in extension.member:
            body[extension.member] = msgspec.Raw(extension.data)
        else:
            writing.leaves_out(extension)
    return body


def _tier(tier: str, writing: ContentWriter) -> dict[str, Any]:
    if tier not in _SAME_TIER:
        writing.lacks(Concept.SERVICE_TIER, "the messages shape has no such tier")
    return {"service_tier": _TIERS[tier]} if tier in _TIERS else {}
