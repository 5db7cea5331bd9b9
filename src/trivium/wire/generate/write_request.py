"""Conversations as GenerateContentRequest: camelCase, standard base64, a fixed order of members.

The model and whether to stream stand in the address. Source: the vendor's reference, read on
2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.losses import Report
from trivium.conversation.member_table import Concept
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation
from trivium.conversation.target import TargetFacts
from trivium.conversation.turns import is_marked, leading
from trivium.conversation.writer_base import WriterBase
from trivium.wire.generate import protojson, write_config, write_tools
from trivium.wire.generate.read_answer_parts import SHAPE
from trivium.wire.generate.write_content import contents
from trivium.wire.generate.write_usage import TIERS

_encode: Final = msgspec.json.Encoder().encode


def write(conversation: Conversation, facts: TargetFacts, report: Report) -> bytes:
    """The body for the upstream. Raises ``Fault`` (UNREPRESENTABLE) through the report only."""
    writing = WriterBase(conversation, facts, report)
    _refuse(conversation, writing)
    head = leading(conversation.turns)
    body: dict[str, Any] = {"contents": contents(conversation.turns[head:], head, writing)}
    texts = conversation.instructions
    if head:
        said = [part for turn in conversation.turns[:head] for part in turn.parts]
        texts = (*texts, *[part for part in said if isinstance(part, Text)])
    system = [{"text": text.text} for text in texts if text.text]
    if system:
        body["systemInstruction"] = {"parts": system}
    if conversation.tools:
        tools = write_tools.tools(conversation, writing)
        if tools:
            body["tools"] = tools
        choice = write_tools.choice(conversation.tool_choice, conversation.tools, writing)
        if choice is not None:
            body["toolConfig"] = choice
    config = write_config.config(conversation, writing)
    if config:
        body["generationConfig"] = config
    body |= _rest(conversation, writing)
    if conversation.extensions:
        _extend(body, conversation, writing)
    return _encode(body)


def _refuse(conversation: Conversation, writing: WriterBase) -> None:
    """Report the members for which the shape has nothing."""
    if conversation.parallel_calls is False:
        writing.lacks(Concept.PARALLEL, "the generate shape cannot forbid parallel calls")
    if conversation.verbosity is not None:
        writing.lacks(Concept.VERBOSITY, "the generate shape has no such member")
    if is_marked(conversation):
        writing.lacks(Concept.CACHE_MARK, "the generate shape caches unasked")
    if conversation.user is not None:
        writing.lacks(Concept.USER, "kept in the request record")
    if conversation.safety_id is not None:
        writing.lacks(Concept.SAFETY_ID, "kept in the request record")
    if conversation.cache_key is not None:
        writing.lacks(Concept.CACHE_KEY, "decides the channel only")


def _rest(conversation: Conversation, writing: WriterBase) -> dict[str, Any]:
    body: dict[str, Any] = {}
    own = conversation.shape == SHAPE
    if conversation.metadata:
        if own:
            body["labels"] = dict(conversation.metadata)
        else:
            writing.lacks(Concept.METADATA, "kept in the request record")
    tier = conversation.service_tier
    if tier is not None and tier != "auto" and writing.takes(Concept.SERVICE_TIER):
        if tier in TIERS:
            body["serviceTier"] = TIERS[tier]
        else:
            writing.lacks(Concept.SERVICE_TIER, "the generate shape has no such tier")
    if conversation.store is not None:
        if own:
            body["store"] = conversation.store
        else:
            writing.lacks(Concept.STORE, "kept in the request record")
    return body


def _extend(body: dict[str, Any], conversation: Conversation, writing: WriterBase) -> None:
    """Members that only this shape has, back at the top or in the configuration."""
    for extension in conversation.extensions:
        steps = [protojson.camel(step) for step in extension.member.split(".")]
        data = msgspec.Raw(extension.data)
        if conversation.shape == SHAPE and len(steps) == 1 and "[" not in steps[0]:
            body[steps[0]] = data
        elif conversation.shape == SHAPE and len(steps) == 2 and steps[0] in _INNER:
            body.setdefault(steps[0], {})[steps[1]] = data
        else:
            writing.leaves_out(extension)


_INNER: Final = frozenset({"generationConfig", "toolConfig"})
