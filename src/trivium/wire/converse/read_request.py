"""Requests of Amazon Bedrock's Converse shape as conversations, read strictly.

Errors name the place as the vendor's SDKs spell it: ``messages.0.content.1.image.source.bytes``.
Members that only this shape has are kept with what their loss means.
Source: ``bedrock-runtime`` of botocore 1.44 (``service-2.json``), read on 2026-11-28.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.parts import Text
from trivium.conversation.request import (
    Conversation,
    Extension,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
)
from trivium.wire.codec import ReadContext
from trivium.wire.converse import read_fields, read_tools
from trivium.wire.converse import request_structs as structs
from trivium.wire.converse.media import SHAPE
from trivium.wire.converse.read_content import ContentReader
from trivium.wire.converse.values import present, required, single
from trivium.wire.messages.paths import missing, view, wrong

_blocks: Final = msgspec.json.Decoder(list[msgspec.Raw])
_messages: Final = msgspec.json.Decoder(list[structs.ConverseTurn])
_inference: Final = msgspec.json.Decoder(structs.InferenceConfig)
_output: Final = msgspec.json.Decoder(structs.ConverseOutputConfig)
_schema: Final = msgspec.json.Decoder(structs.JsonSchemaMember)
_table: Final = msgspec.json.Decoder(dict[str, str])
_tier: Final = msgspec.json.Decoder(structs.ConverseTier)
_pace: Final = msgspec.json.Decoder(structs.Performance)
_paths: Final = msgspec.json.Decoder(list[str])
_any: Final = msgspec.json.Decoder()

_ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_TIERS: Final = frozenset({"default", "priority", "flex"})
STOP_PATH: Final = "/stop_sequence"
"""Of the fields that an answer may be asked to repeat the one that an answer of any shape has."""
RESPONSE_PATHS: Final = "additionalModelResponseFieldPaths"
_STOPS_MAX: Final = 2500
_READ: Final = frozenset(
    {"messages", "system", "inferenceConfig", "toolConfig", "outputConfig", "serviceTier"}
    | {"additionalModelRequestFields", "requestMetadata", "performanceConfig", RESPONSE_PATHS}
)
"""Members that have a place in a conversation."""
_RANKS: Final = {
    "guardrailConfig": Rank.CONTRACT,
    "promptVariables": Rank.CONTRACT,
    "projectIdentifier": Rank.BOOKKEEPING,
}
"""What the loss of a member means that only this shape has; any other is a hint."""
_NOTHING: Final = frozenset({b"{}", b"[]"})


def read(members: Mapping[str, msgspec.Raw], context: ReadContext) -> Conversation:
    """The conversation of a request body. Raises ``Fault`` naming the place."""
    there = present(members)
    blocks = ContentReader(context.open)
    config = structs.InferenceConfig()
    if "inferenceConfig" in there:
        config = _checked(view(_inference, there["inferenceConfig"], "inferenceConfig"))
    fields = structs.ModelFields()
    if "additionalModelRequestFields" in there:
        fields = read_fields.read(there["additionalModelRequestFields"])
    tools, choice = (
        read_tools.read(there["toolConfig"], blocks) if "toolConfig" in there else ((), None)
    )
    system = _system(there["system"], blocks) if "system" in there else ()
    turns = _turns(there.get("messages"), blocks)
    format_, reasoning = _output_of(there, fields)
    tier, more = _tier_of(there)
    return Conversation(
        shape=SHAPE,
        model=context.model or "",
        instructions=system,
        turns=turns,
        tools=tools,
        tool_choice=choice,
        sampling=Sampling(config.temperature, config.topP, fields.top_k),
        output_max=config.maxTokens,
        stop=tuple(config.stopSequences or ()),
        reasoning=reasoning,
        format=format_,
        metadata=_metadata(there),
        service_tier=tier,
        stream=bool(context.stream),
        usage_wanted=True,
        extensions=(*fields.extensions, *blocks.extensions, *more, *_extensions(there)),
    )


def _checked(config: structs.InferenceConfig) -> structs.InferenceConfig:
    if config.maxTokens is not None and config.maxTokens < 1:
        raise wrong("inferenceConfig.maxTokens", "must be at least 1.")
    for name, value in (("temperature", config.temperature), ("topP", config.topP)):
        if value is not None and not 0 <= value <= 1:
            raise wrong(f"inferenceConfig.{name}", "must be from 0 to 1.")
    stops = config.stopSequences or ()
    if len(stops) > _STOPS_MAX:
        raise wrong("inferenceConfig.stopSequences", f"must have at most {_STOPS_MAX} sequences.")
    for at, stop in enumerate(stops):
        if not stop:
            raise wrong(f"inferenceConfig.stopSequences.{at}", "must not be empty.")
    return config


def _system(raw: msgspec.Raw, blocks: ContentReader) -> tuple[Text, ...]:
    return blocks.texts(view(_blocks, raw, "system"), "system")


def _turns(raw: msgspec.Raw | None, blocks: ContentReader) -> tuple[Turn, ...]:
    if raw is None:
        raise missing("messages")
    rows: list[structs.ConverseTurn] = view(_messages, raw, "messages")
    if not rows:
        raise wrong("messages", "must have at least one message.")
    out: list[Turn] = []
    for at, row in enumerate(rows):
        role = _ROLES.get(row.role)
        if role is None:
            raise wrong(f"messages.{at}.role", f"must be one of {', '.join(_ROLES)}.")
        content = row.content
        if content is None:
            raise missing(f"messages.{at}.content")
        out.append(Turn(role, blocks.turn(role, content, f"messages.{at}.content")))
    return tuple(out)


def _output_of(
    there: Mapping[str, msgspec.Raw], fields: structs.ModelFields
) -> tuple[ResponseFormat | None, ReasoningSettings | None]:
    """The format of the answer and the effort: ``outputConfig`` before the model's own fields."""
    reasoning = fields.reasoning
    if "outputConfig" not in there:
        return fields.format, reasoning
    wanted: structs.ConverseOutputConfig = view(_output, there["outputConfig"], "outputConfig")
    if wanted.effort:
        effort = read_fields.effort_of(wanted.effort, "outputConfig.effort")
        reasoning = msgspec.structs.replace(reasoning or ReasoningSettings(), effort=effort)
    if wanted.textFormat is None:
        return fields.format, reasoning
    if fields.format is not None:
        raise wrong("outputConfig.textFormat", "is said a second time in output_config.format.")
    return _format(wanted.textFormat, "outputConfig.textFormat"), reasoning


def _format(wanted: structs.TextFormat, path: str) -> ResponseFormat:
    if required(wanted.type, f"{path}.type") != "json_schema":
        raise wrong(f"{path}.type", "must be json_schema.")
    structure = required(wanted.structure, f"{path}.structure")
    kind, raw = single(structure, f"{path}.structure")
    path = f"{path}.structure.jsonSchema"
    if kind != "jsonSchema":
        raise wrong(path, "is required.")
    found: structs.JsonSchemaMember = view(_schema, raw, path)
    schema = required(found.schema, f"{path}.schema").strip().encode()
    if not schema.startswith(b"{"):
        raise wrong(f"{path}.schema", "must be a text that holds a JSON object.")
    view(_any, schema, f"{path}.schema")
    return ResponseFormat(FormatKind.SCHEMA, schema, found.name, found.description)


def _metadata(there: Mapping[str, msgspec.Raw]) -> tuple[tuple[str, str], ...]:
    if "requestMetadata" not in there:
        return ()
    table: dict[str, str] = view(_table, there["requestMetadata"], "requestMetadata")
    return tuple(table.items())


def _tier_of(there: Mapping[str, msgspec.Raw]) -> tuple[str | None, list[Extension]]:
    """The tier, and what of tier and pace no other shape has a word for."""
    more: list[Extension] = []
    tier: str | None = None
    if "serviceTier" in there:
        asked: structs.ConverseTier = view(_tier, there["serviceTier"], "serviceTier")
        tier = required(asked.type, "serviceTier.type")
        if tier not in _TIERS:
            more.append(Extension("serviceTier", bytes(there["serviceTier"]), Rank.HINT))
            tier = None
    if "performanceConfig" in there:
        raw = there["performanceConfig"]
        pace: structs.Performance = view(_pace, raw, "performanceConfig")
        if pace.latency not in (None, "standard", "optimized"):
            raise wrong("performanceConfig.latency", "must be standard or optimized.")
        if pace.latency == "optimized":
            more.append(Extension("performanceConfig", bytes(raw), Rank.HINT))
    return tier, more


def _extensions(there: Mapping[str, msgspec.Raw]) -> list[Extension]:
    out: list[Extension] = []
    for name, raw in there.items():
        if name not in _READ and bytes(raw) not in _NOTHING:
            view(_any, raw, name)
            out.append(Extension(name, bytes(raw), _RANKS.get(name, Rank.HINT)))
    if RESPONSE_PATHS in there:
        wanted: Any = view(_paths, there[RESPONSE_PATHS], RESPONSE_PATHS)
        if any(path != STOP_PATH for path in wanted):
            out.append(Extension(RESPONSE_PATHS, bytes(there[RESPONSE_PATHS]), Rank.HINT))
    return out
