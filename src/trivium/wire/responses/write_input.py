"""A history as items of a responses request.

Each item depends on its own part alone, in order, so a history that grows begins with the bytes it
had. Ids of items are never made up: only call ids link, and a vendor that is told to store nothing
looks none up. Source: openai-python 3.52.0, ``ResponseInputParam``, read 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.attachments import belonging, first
from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.items import INSTRUCTING, Part, Role, Turn
from trivium.conversation.member_table import Concept
from trivium.conversation.opaque import REASONING_ITEM
from trivium.conversation.parts import Audio, Reasoning, Refusal, Text, VendorPart
from trivium.conversation.target import ReasoningBack
from trivium.wire.responses import citations
from trivium.wire.responses.read_answer_parts import SHAPE
from trivium.wire.responses.write_content import PartsWriter, Row, Said, words

_ASSISTANT: Final = Role.ASSISTANT
_SPEAKERS: Final = {role: role.value for role in Role}
_ERROR: Final = "Error: "
_encode: Final = msgspec.json.Encoder().encode


def items(turns: tuple[Turn, ...], content: PartsWriter) -> list[Any]:
    """Items in order. A reasoning item that nothing follows is left out: vendors refuse it."""
    out: list[Any] = []
    waiting: list[msgspec.Raw] = []
    told: set[bytes] = set()
    for turn in turns:
        if turn.name is not None:
            content.lacks(Concept.PARTICIPANT, "the responses shape names no participants")
        if turn.role is _ASSISTANT:
            out += _assistant(turn, waiting, told, content)
        else:
            waiting.clear()
            out += _others(turn, content)
    return out


def instructing(texts: tuple[Text, ...], content: PartsWriter) -> list[Any]:
    """Instructions of several blocks, or with a cache mark: one item keeps them apart."""
    rows = [row for text in texts for row in content.rows(text)]
    return [_message(_speaker(Role.SYSTEM, content), rows)] if rows else []


def _speaker(role: Role, content: PartsWriter) -> str:
    if role in INSTRUCTING:
        return "developer" if content.facts.developer_role else "system"
    return _SPEAKERS[role]


def _message(role: str, rows: list[Row], phase: str | None = None) -> Row:
    row: Row = {"type": "message", "role": role, "content": rows}
    if phase is not None:
        row["phase"] = phase
    return row


def _others(turn: Turn, content: PartsWriter) -> list[Any]:
    """What user, system or developer say, and tools' results in their places between."""
    out: list[Any] = []
    rows: list[Row] = []
    role = _speaker(turn.role, content)
    for part in turn.parts:
        # HOT: nine of ten: 12.8 -> 7.2 us for 21 turns
        # (2026-11-24, bench/hot.py --case write.responses.chat-words)
        if type(part) is Text and part.cache is None:
            if part.text:
                rows.append(words(part.text))
            continue
        alone = _alone(part, content)
        if alone is None:
            rows += content.rows(_said(part))
            continue
        if rows:
            out.append(_message(role, rows))
            rows = []
        out.append(alone)
    if rows:
        out.append(_message(role, rows))
    elif not out and turn.role is Role.USER:
        out.append(_message(role, [words("")]))  # left out, it would be another conversation
    return out


def _said(part: Part) -> Said:
    if isinstance(part, Reasoning | Refusal | ToolCall | ToolResult):
        return Text(part.text if isinstance(part, Reasoning | Refusal) else "")
    return part


def _alone(part: Part, content: PartsWriter) -> Any | None:
    """The item of a part that is one by itself; ``None``: it is content of a message."""
    if type(part) is ToolResult:
        return _result(part, content)
    if type(part) is ToolCall:
        return _call(part, content)
    if type(part) is VendorPart and part.native.shape == SHAPE:
        return msgspec.Raw(part.native.data)
    return None


def _assistant(
    turn: Turn, waiting: list[msgspec.Raw], told: set[bytes], content: PartsWriter
) -> list[Any]:
    """What the assistant said; ``waiting``: reasoning that is to stand before what follows it,
    ``told``: what stands already.
    """
    out: list[Any] = []
    rows: list[Row] = []
    for part in turn.parts:
        if type(part) is Reasoning:
            if rows:
                out.append(_message("assistant", rows, turn.phase))
                rows = []
            waiting += _reasoning(part, content)
            continue
        alone = None if type(part) is Text else _alone(part, content)
        spoken = _spoken(part, content) if alone is None else None
        if alone is None and spoken is None:
            continue
        if waiting:
            _release(waiting, told, out)
        if spoken is not None:
            rows.append(spoken)
            continue
        if rows:
            out.append(_message("assistant", rows, turn.phase))
            rows = []
        out.append(alone)
    if rows:
        out.append(_message("assistant", rows, turn.phase))
    return out


def _release(waiting: list[msgspec.Raw], told: set[bytes], out: list[Any]) -> None:
    """Say the reasoning that waited, each item once: a vendor refuses an id that it has seen.

    Callers repeat one who make a turn of each call of an answer, its reasoning before every one.
    """
    for item in waiting:
        data = bytes(item)
        if data not in told:
            told.add(data)
            out.append(item)
    waiting.clear()


def _spoken(part: Part, content: PartsWriter) -> Row | None:
    """What the assistant said; this shape keeps its words only."""
    if type(part) is Text:
        if not part.text:
            return None
        if part.cache is not None:
            content.lacks(Concept.CACHE_MARK, "the responses shape marks no words of an assistant")
        cited = [citations.annotation(one, len(part.text)) for one in part.citations]
        rows = [one for one in cited if one is not None]
        if len(rows) < len(part.citations):
            content.lacks(Concept.CITATION, "only sources with an address can be repeated")
        return {"type": "output_text", "text": part.text, "annotations": rows}
    if type(part) is Refusal:
        return {"type": "refusal", "refusal": part.text}
    text = part.transcript if type(part) is Audio else ""
    if type(part) is VendorPart:
        content.lacks(Concept.VENDOR_PART, "only its own shape has this block")
        text = part.text
    elif not text:
        concept = Concept.AUDIO if type(part) is Audio else Concept.IMAGE
        content.lacks(concept, "the responses shape takes only words from an assistant")
    return {"type": "output_text", "text": text, "annotations": []} if text else None


def _reasoning(part: Reasoning, content: PartsWriter) -> list[msgspec.Raw]:
    """Reasoning goes back to the account that sealed it and to nobody else."""
    if content.facts.reasoning_back is ReasoningBack.SEALED:
        own = first(belonging(part.opaque, content.facts.origin), REASONING_ITEM)
        if own is not None:
            return [msgspec.Raw(own.data)]
    if part.text or part.opaque:
        content.lacks(Concept.REASONING_STATE, "another model's reasoning cannot be read here")
    return []


def _call(part: ToolCall, content: PartsWriter) -> Row:
    row: Row = {
        "type": "function_call",
        "call_id": part.id,
        "name": content.name(part.name, part.namespace),
    }
    if part.kind is CallKind.FUNCTION:
        row["arguments"] = part.arguments or "{}"
    elif content.facts.custom_tools:
        row["type"] = "custom_tool_call"
        row["input"] = part.arguments
    else:
        row["arguments"] = _encode({"input": part.arguments}).decode()
    if part.cache is not None:
        content.lacks(Concept.CACHE_MARK, "the responses shape marks no calls")
    own = content.own(part.native, SHAPE, Concept.HISTORY)
    return row if own is None else row | msgspec.json.decode(own)


def _result(part: ToolResult, content: PartsWriter) -> Row:
    custom = part.kind is CallKind.CUSTOM and content.facts.custom_tools
    rows = [row for inner in part.parts for row in content.rows(inner, result=True)]
    if part.error:
        reason = "said in words, since the responses shape has no such member"
        content.changes(Concept.RESULT_ERROR, reason)
        rows = _failed(rows)
    if rows:
        content.mark(part.cache, rows[-1])
    elif part.cache is not None:
        content.lacks(Concept.CACHE_MARK, "there is nothing to mark")
    output: Any = rows
    if not rows:
        output = ""
    elif len(rows) == 1 and rows[0].keys() == {"type", "text"}:
        output = rows[0]["text"]
    return {
        "type": "custom_tool_call_output" if custom else "function_call_output",
        "call_id": part.call_id,
        "output": output,
    }


def _failed(rows: list[Row]) -> list[Row]:
    lead = rows[0] if rows else {"type": "input_text", "text": ""}
    if lead["type"] != "input_text":
        return [{"type": "input_text", "text": _ERROR.rstrip()}, *rows]
    if lead["text"].lower().startswith("error"):
        return rows
    return [{**lead, "text": _ERROR + lead["text"]}, *rows[1:]]
