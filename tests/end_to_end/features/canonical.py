"""Conversations and answers in one plain form, in which equal means the same thing.

Only what means the same is made equal:

- leading instructions and a slot for them, neighbours of one role, JSON however it is spaced;
- a default that is spelled out and one that is not;
- a choice among some tools and the same choice among a shorter list of tools;
- a tool that must be called by its name, and any tool where there is no other;
- a budget of exactly one step's tokens and that step (docs/translation-model.md, "Reasoning");
- the end user's one identifier, whatever its member is called;
- the detail of every image and a resolution for all media;
- the text of a tool's result and the object with one member in which other shapes have it;
- a policy's category and the words that explain it, in whichever member they stand;
- in a history, a refusal and its words as text: the model reads the same.
"""

import json

import msgspec

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.effort import BUDGETS, wished
from trivium.conversation.items import INSTRUCTING
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Reasoning,
    Refusal,
    Remote,
    Stored,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.request import Effort, FormatKind, Thinking
from trivium.conversation.tools import ChoiceMode, CustomTool, FunctionTool, ServerTool
from trivium.conversation.turns import joined, leading

TTL = {None: "5m", "30m": "5m"}
"""The vendors' default lives of a cache mark, which stand for each other."""


RESOLUTION = "generationConfig.mediaResolution"
RESOLUTIONS = {"MEDIA_RESOLUTION_LOW": "low", "MEDIA_RESOLUTION_HIGH": "high"}


def of_request(conversation):
    """What is asked for."""
    slot = [text.text for text in conversation.instructions]
    turns = joined(conversation.turns)
    count = leading(turns)
    slot += [part.text for turn in turns[:count] for part in turn.parts]
    sampling = conversation.sampling
    tools, choice = _offered(conversation)
    extensions = {one.member: _json(one.data) for one in conversation.extensions}
    detail = RESOLUTIONS.get(extensions.pop(RESOLUTION, None))
    return {
        "instructions": slot,
        "turns": [_turn(turn, detail) for turn in turns[count:]],
        "tools": tools,
        "choice": choice,
        "parallel": conversation.parallel_calls is not False,
        "sampling": {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "frequency_penalty": sampling.frequency_penalty,
            "presence_penalty": sampling.presence_penalty,
            "seed": sampling.seed,
            "logit_bias": _json(sampling.logit_bias),
        },
        "output_max": conversation.output_max,
        "stop": list(conversation.stop),
        "reasoning": _reasoning(conversation.reasoning),
        "format": _format(conversation.format),
        "verbosity": conversation.verbosity,
        "modalities": [] if conversation.modalities == ("text",) else list(conversation.modalities),
        "audio": _json(conversation.audio),
        "candidates": conversation.candidates or 1,
        "logprobs": bool(conversation.logprobs),
        "top_logprobs": conversation.top_logprobs or 0,
        "metadata": dict(conversation.metadata),
        "user": conversation.user or conversation.safety_id,
        "safety_id": conversation.safety_id if conversation.user else None,
        "cache_key": conversation.cache_key,
        "service_tier": conversation.service_tier,
        "store": bool(conversation.store),
        "stream": conversation.stream,
        "extensions": extensions,
    }


def of_answer(answer):
    """What was answered. The ids of calls are the gateway's to choose where a shape has none."""
    usage = answer.usage
    return {
        "candidates": [_candidate(one) for one in answer.candidates],
        "usage": None
        if usage is None
        else {
            name: getattr(usage, name)
            for name in (
                "fresh", "cache_read", "cache_write_short", "cache_write_long", "output",
                "reasoning", "audio_input", "audio_output", "image_input", "image_output",
            )
        },
        "service_tier": answer.service_tier,
    }  # fmt: skip


def _candidate(candidate):
    finish = candidate.finish
    parts = []
    for part in candidate.parts:
        row = _part(msgspec.structs.replace(part, opaque=()))
        if row["kind"] == "Text" and not row["text"]:
            continue
        if parts and parts[-1]["kind"] == row["kind"] == "Text" and not row["logprobs"]:
            before = parts[-1]
            size = len(before["text"])
            cited = [[*one[:2], one[2] + size, one[3] + size] for one in row["citations"]]
            parts[-1] = row | {
                "text": before["text"] + row["text"],
                "citations": before["citations"] + cited,
            }
        else:
            parts.append(row)
    # what was searched for stands beside the parts in one shape, and among them in two
    parts.sort(key=lambda row: "searched" in row)
    return {
        "parts": parts,
        "finish": finish.unified.value,
        "stop_sequence": finish.stop_sequence,
        "why": [one for one in (finish.category, finish.explanation) if one],
    }


def _turn(turn, detail):
    role = "system" if turn.role in INSTRUCTING else turn.role.value
    parts = [
        _part(Text(part.text, opaque=part.opaque) if isinstance(part, Refusal) else part)
        for part in turn.parts
    ]
    for row in parts:
        if detail and row["kind"] == "Image":
            row["detail"] = row["detail"] or detail
    return {"role": role, "name": turn.name, "parts": parts}


def _offered(conversation):
    """The tools that may be called, and the choice among them."""
    tools, choice = conversation.tools, conversation.tool_choice
    if choice is None:
        return [_tool(tool) for tool in tools], None
    names = choice.names
    if names and choice.mode in (ChoiceMode.AUTO, ChoiceMode.REQUIRED):
        tools = [tool for tool in tools if tool.name in names]
        names = ()
    if choice.mode is ChoiceMode.REQUIRED and len(tools) == 1 and tools[0].name:
        return [_tool(tools[0])], [ChoiceMode.NAMED.value, tools[0].name]
    plain = choice.mode is ChoiceMode.AUTO and not names
    return [_tool(tool) for tool in tools], None if plain else [choice.mode.value, *names]


def _part(part):
    row = {"kind": type(part).__name__}
    if part.cache is not None:
        row["cache"] = TTL.get(part.cache.ttl, part.cache.ttl)
    own = [[one.kind, one.data.decode()] for one in part.opaque]
    if own:
        row["opaque"] = own
    return row | _content(part)


def _content(part):
    if isinstance(part, Text):
        size = len(part.text)
        cited = [
            [one.url, one.title, one.start or 0, size if one.end is None else one.end]
            for one in part.citations
        ]
        sure = [[one.token, one.logprob, len(one.top)] for one in part.logprobs]
        return {"text": part.text, "citations": cited, "logprobs": sure}
    if isinstance(part, Refusal):
        return {"text": part.text}
    if isinstance(part, Reasoning):
        return {"text": part.text, "form": part.form.value}
    if isinstance(part, ToolCall):
        return _call(part)
    if isinstance(part, ToolResult):
        parts = [_found(_part(one)) for one in part.parts]
        return {"id": part.call_id, "parts": parts, "error": part.error}
    if isinstance(part, VendorPart) and part.queries:
        return {"searched": list(part.queries)}
    if isinstance(part, VendorPart):
        return {"vendor": part.kind, "shape": part.native.shape, "text": part.text}
    return _media(part)


def _found(row):
    """A result's text; of an object with one member for all of it, that."""
    try:
        members = json.loads(row.get("text") or "null")
    except ValueError:
        return row
    if isinstance(members, dict) and list(members) in (["output"], ["error"]):
        (row["text"],) = members.values()
    return row


def _call(part):
    arguments, kind = part.arguments, part.kind
    if kind is CallKind.FUNCTION:
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError:
            arguments = {"_raw": arguments}
        if list(arguments) == ["input"]:
            arguments, kind = arguments["input"], CallKind.CUSTOM
    return {"id": part.id, "name": part.name, "arguments": arguments, "call": kind.value}


def _media(part):
    source = part.source
    if isinstance(source, Inline):
        row = {"mime": source.mime, "data": source.data, "title": source.name}
    elif isinstance(source, Remote):
        row = {"url": source.url, "title": source.name}
    elif isinstance(source, Stored):
        row = {"stored": source.id, "title": None}
    else:
        row = {"title": None}
    if isinstance(part, Image):
        row["detail"] = None if part.detail == "auto" else part.detail
        del row["title"]
    elif isinstance(part, Document):
        row["title"] = part.title or row["title"]
    elif isinstance(part, Audio):
        row["transcript"] = part.transcript
    else:
        assert isinstance(part, Video)
    return row


def _tool(tool):
    if isinstance(tool, CustomTool):
        grammar = tool.grammar
        row = {"custom": tool.name, "description": tool.description}
        return row | ({"grammar": [grammar.syntax, grammar.definition]} if grammar else {})
    if isinstance(tool, FunctionTool):
        schema = _json(tool.parameters)
        if schema and list(schema.get("properties", ())) == ["input"]:
            return {"custom": tool.name, "description": tool.description}
        if schema == {"type": "object", "properties": {}}:
            schema = None
        return {
            "function": tool.name,
            "description": tool.description,
            "schema": schema,
            "strict": bool(tool.strict),
        }
    if isinstance(tool, ServerTool):
        return {
            "server": tool.kind.value,
            "allowed": list(tool.allowed_domains),
            "blocked": list(tool.blocked_domains),
            "uses": tool.max_uses,
        }
    return {"vendor": tool.kind, "native": _json(tool.native.data)}


def _reasoning(wish):
    if wish is None:
        return None
    effort = wished(wish)
    off = effort is Effort.NONE or wish.switch is Thinking.OFF
    return {
        "effort": "none" if off else effort and effort.value,
        "budget": None if wish.budget in BUDGETS.values() else wish.budget,
        "shown": bool(wish.shown),
    }


def _format(wish):
    if wish is None or wish.kind is FormatKind.TEXT:
        return None
    return {"kind": wish.kind.value, "schema": _json(wish.schema)}


def _json(data):
    return None if data is None else json.loads(bytes(data))


def differences(one, other, path=""):
    """Paths at which two plain forms differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        out = []
        for name in sorted({*one, *other}):
            out += differences(one.get(name), other.get(name), f"{path}{name}.")
        return out
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        out = []
        for at, (left, right) in enumerate(zip(one, other, strict=True)):
            out += differences(left, right, f"{path}{at}.")
        return out
    if one == other and type(one) is type(other):
        return []
    return [f"{path.removesuffix('.')}: {one!r} became {other!r}"]
