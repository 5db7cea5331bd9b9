"""Conversations as requests of the converse shape.

The model and whether to stream stand in the address. The history is written by its own parts alone,
block by block and in order: a history that grows by an answer and a turn begins with the bytes it
had, or caches miss and signatures fail.
Sources, read on 2026-11-28: botocore 1.44's model of the service; the Converse reference.
"""

import re
from typing import Any, Final

import msgspec

from trivium.conversation.fit import FILLER
from trivium.conversation.items import INSTRUCTING, Role, Turn
from trivium.conversation.losses import Mend, Report
from trivium.conversation.member_table import DEMOTED, Concept, member
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation, FormatKind, ResponseFormat
from trivium.conversation.target import OwnFields, TargetFacts
from trivium.conversation.turns import leading
from trivium.wire.converse import write_reasoning, write_tools
from trivium.wire.converse.media import SHAPE
from trivium.wire.converse.write_content import ConverseWriter
from trivium.wire.converse.write_media import BlockRow
from trivium.wire.messages import write_schema

_encode: Final = msgspec.json.Encoder().encode

JSON_HINT: Final = "Answer with one JSON object and nothing else: no prose, no code fence."
"""The shape has no switch for JSON without a schema."""
_TAGGED: Final = "<system>\n{}\n</system>"
"""Instructions in the middle for models that take none there."""
_SPEAKERS: Final = {role: role.value for role in Role}
_TIERS: Final = frozenset({"default", "flex", "priority", "reserved"})
_METADATA_MAX: Final = 16
_bounded_key: Final = re.compile(r"[a-zA-Z0-9\s:_@$#=/+,\-.]{1,256}").fullmatch
_bounded_value: Final = re.compile(r"[a-zA-Z0-9\s:_@$#=/+,\-.]{0,256}").fullmatch
_OWN: Final = "additionalModelRequestFields"
_FIELDS: Final = f"{_OWN}."
_WRITTEN_HERE: Final = frozenset({"messages", "system", "toolConfig"})
"""Members whose content is never a caller's extension."""


def write(conversation: Conversation, facts: TargetFacts, report: Report) -> bytes:
    """The body for the upstream. Raises ``Fault`` (UNREPRESENTABLE) through the report only."""
    writing = ConverseWriter(conversation, facts, report)
    _refuse(conversation, writing)
    tools = write_tools.settle(conversation, writing)
    head = leading(conversation.turns)
    system = _system(conversation, head, writing)
    messages = _messages(conversation.turns[head:], head, writing)
    settled = write_reasoning.settle(conversation, messages, writing)
    if conversation.cache is not None:
        messages[-1]["content"] += writing.mark(conversation.cache)
    output: dict[str, Any] = {}
    if settled.effort is not None:
        output["effort"] = settled.effort
    if conversation.format is not None:
        _format(conversation.format, writing, system, output)
    if tools.words:
        system.append({"text": tools.words})
    body: dict[str, Any] = {"messages": messages}
    if system:
        body["system"] = system
    _inference(conversation, settled, body)
    if tools.config is not None:
        body["toolConfig"] = tools.config
    if output:
        body["outputConfig"] = output
    if settled.fields:
        body[_OWN] = settled.fields
    _rest(conversation, writing, body)
    return _encode(body)


def _refuse(conversation: Conversation, writing: ConverseWriter) -> None:
    """Report the members for which the shape has nothing."""
    writing.answers_once(conversation, SHAPE)
    if conversation.logprobs or conversation.top_logprobs:
        writing.lacks(Concept.LOGPROBS, "the converse shape tells no probabilities")
    writing.answers_in_text(conversation, SHAPE)
    if conversation.verbosity is not None:
        writing.lacks(Concept.VERBOSITY, "the converse shape has no such member")
    if conversation.user is not None:
        writing.lacks(Concept.USER, "kept in the request record")
    if conversation.safety_id is not None:
        writing.lacks(Concept.SAFETY_ID, "kept in the request record")
    if conversation.store is not None:
        writing.lacks(Concept.STORE, "the converse shape stores nothing")
    if conversation.cache_key is not None:
        writing.lacks(Concept.CACHE_KEY, "decides the channel only")


def _system(conversation: Conversation, head: int, writing: ConverseWriter) -> list[BlockRow]:
    """The top-level slot: the instructions, and those of the first ``head`` turns."""
    texts = conversation.instructions
    if head:
        parts = [part for turn in conversation.turns[:head] for part in turn.parts]
        said = [part for part in parts if isinstance(part, Text)]
        if len(said) < len(parts):
            writing.lacks(Concept.VENDOR_PART, "instructions are text")
        texts = (*texts, *said)
    plain = [msgspec.structs.replace(text, citations=()) for text in texts]
    return writing.parts(plain, "system")


def _messages(turns: tuple[Turn, ...], skipped: int, writing: ConverseWriter) -> list[BlockRow]:
    """The history: neighbours of one role put together, results first in their turn."""
    out: list[BlockRow] = []
    for at, turn in enumerate(turns, skipped):
        where = f"turns[{at}]"
        if turn.name is not None:
            writing.lacks(Concept.PARTICIPANT, "the converse shape names no participants")
        role, rows = _turn(turn, where, writing)
        if not rows:
            if at == skipped + len(turns) - 1 and turn.role is Role.ASSISTANT and out:
                continue
            writing.report.repair(Mend.EMPTY_TURN, where)
            rows = [{"text": FILLER}]
        if out and out[-1]["role"] == role and role != "system":
            out[-1]["content"] += rows
        else:
            out.append({"role": role, "content": rows})
    for message in out:
        content = message["content"]
        if message["role"] == "user":
            _answering(content, writing)
        elif write_reasoning.THINKING in content[-1]:
            _concluded(content, message is out[-1], writing)
    return _opened([message for message in out if message["content"]], writing)


def _answering(content: list[BlockRow], writing: ConverseWriter) -> None:
    """A user's message: results come first, each with the cache point behind it, and no document
    is without a word.
    """
    if len(content) > 1 and any("toolResult" in row for row in content):
        results: list[BlockRow] = []
        others: list[BlockRow] = []
        last = others
        for row in content:
            if "cachePoint" not in row:
                last = results if "toolResult" in row else others
            last.append(row)
        content[:] = results + others
    if any("document" in row for row in content) and not any("text" in row for row in content):
        writing.report.repair(Mend.EMPTY_TURN, member(Concept.HISTORY, writing.shape))
        content.append({"text": FILLER})


def _concluded(content: list[BlockRow], is_last: bool, writing: ConverseWriter) -> None:
    """Take out thinking that nothing follows, as in an answer that was cut: vendors refuse it."""
    while content and write_reasoning.THINKING in content[-1]:
        content.pop()
    writing.lacks(Concept.REASONING_STATE, "nothing was said after it")
    if not content and not is_last:
        writing.report.repair(Mend.EMPTY_TURN, member(Concept.HISTORY, writing.shape))
        content.append({"text": FILLER})


def _opened(messages: list[BlockRow], writing: ConverseWriter) -> list[BlockRow]:
    """The history, looked at from both ends: the user begins, and no blank ends it."""
    first = next((row["role"] for row in messages if row["role"] != "system"), None)
    if first != "user":
        history = member(Concept.HISTORY, writing.shape)
        raise writing.report.refusal(history, "it must have a user message before any other")
    last = messages[-1]
    if last["role"] == "assistant":
        end = last["content"][-1]
        if "text" in end and end["text"] != end["text"].rstrip():
            # refused by the vendor, and the model would begin with the blank anyway
            end["text"] = end["text"].rstrip()
            writing.rewords(Concept.HISTORY, "white space at the end of the last message")
    return messages


def _turn(turn: Turn, where: str, writing: ConverseWriter) -> tuple[str, list[BlockRow]]:
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


def _inference(
    conversation: Conversation,
    settled: write_reasoning.SettledReasoning,
    body: dict[str, Any],
) -> None:
    # an empty one asks for nothing
    stops = [one for one in conversation.stop if one]
    if stops:
        settled.inference["stopSequences"] = stops
    if settled.inference:
        body["inferenceConfig"] = settled.inference


def _format(
    wanted: ResponseFormat,
    writing: ConverseWriter,
    system: list[BlockRow],
    output: dict[str, Any],
) -> None:
    if wanted.kind is FormatKind.TEXT:
        return
    if wanted.kind is FormatKind.JSON:
        system.append({"text": JSON_HINT})
        reason = "asked for in words, since the converse shape has no such switch"
        writing.rewords(Concept.FORMAT, reason)
        return
    if wanted.kind is FormatKind.ENUM or wanted.schema is None or not writing.facts.schema:
        writing.lacks(Concept.FORMAT, "this model cannot be held to it")
        return
    data = wanted.schema
    if not writing.facts.schema_full:
        data, folded = write_schema.closed(data)
        if folded:
            writing.rewords(Concept.FORMAT, f"{', '.join(folded)} became words of the schema")
    definition: dict[str, Any] = {"schema": data.decode("utf-8", "replace")}
    if wanted.name is not None:
        definition["name"] = wanted.name
    if wanted.description is not None:
        definition["description"] = wanted.description
    output["textFormat"] = {"type": "json_schema", "structure": {"jsonSchema": definition}}


def _rest(conversation: Conversation, writing: ConverseWriter, body: dict[str, Any]) -> None:
    if conversation.metadata:
        _metadata(conversation, writing, body)
    tier = conversation.service_tier
    if tier in _TIERS:
        body["serviceTier"] = {"type": tier}
    elif tier is not None and tier != "auto":
        writing.lacks(Concept.SERVICE_TIER, "the converse shape has no such tier")
    for extension in conversation.extensions:
        name = extension.member
        if conversation.shape == SHAPE and name.startswith(_FIELDS):
            body.setdefault(_OWN, {}).setdefault(
                name.removeprefix(_FIELDS), msgspec.Raw(extension.data)
            )
        elif conversation.shape != SHAPE or "." in name or name in _WRITTEN_HERE:
            writing.leaves_out(extension)
        elif name == _OWN:
            body[_OWN] = write_reasoning.merged(body.get(_OWN, {}), extension.data)
        else:
            body[name] = msgspec.Raw(extension.data)
    if (
        "inferenceConfig" in body
        and "stopSequences" in body["inferenceConfig"]
        and writing.facts.own_fields is OwnFields.CLAUDE
    ):
        body.setdefault("additionalModelResponseFieldPaths", ["/stop_sequence"])


def _metadata(conversation: Conversation, writing: ConverseWriter, body: dict[str, Any]) -> None:
    """What the vendor's logs can be searched by; the rest is in our own record."""
    fitting = [
        (name, value)
        for name, value in conversation.metadata
        if _bounded_key(name) and _bounded_value(value)
    ][:_METADATA_MAX]
    if len(fitting) < len(conversation.metadata):
        writing.lacks(Concept.METADATA, "kept in the request record")
    if fitting:
        body["requestMetadata"] = dict(fitting)
