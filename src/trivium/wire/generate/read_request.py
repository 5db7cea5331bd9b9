"""A GenerateContentRequest as a canonical conversation.

Model and stream come from the address. Members that nobody else has are kept as extensions, so
that their loss can be reported; a cached prompt or a continuation is part of what was asked, and
its loss a refusal. Source: the vendor's reference, read on 2026-11-21.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Part, Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation, Extension
from trivium.faults import Fault
from trivium.wire import json_size
from trivium.wire.checks import missing, wrong
from trivium.wire.codec import ReadContext
from trivium.wire.data_url import standard
from trivium.wire.generate import media, protojson, read_config, read_content, read_tools
from trivium.wire.generate.join_parts import together
from trivium.wire.generate.members import CONTENT, REQUEST
from trivium.wire.generate.path import bare
from trivium.wire.generate.read_answer_parts import SHAPE
from trivium.wire.generate.request_structs import PlainContent, ShownContent

_ROLES: Final = {
    "": Role.USER,
    "user": Role.USER,
    "model": Role.ASSISTANT,
    # results of calls: the old name, and that of the official Python SDK's own examples
    "function": Role.USER,
    "tool": Role.USER,
}
_CONTRACT: Final = frozenset(
    {"cachedContent", "continuationToken", "generationConfig.responseFormat"}
)
"""Members the answer is not what was asked for without."""
_EMPTY: Final = frozenset({b"[]", b"{}", b'""'})
"""LangChain always sends empty safety settings."""
_TIERS: Final = {"FLEX": "flex", "STANDARD": "default", "PRIORITY": "priority"}
_UNSAID: Final = frozenset({"UNSPECIFIED", "SERVICE_TIER_UNSPECIFIED", "0"})


_plain: Final = msgspec.json.Decoder(PlainContent).decode
_showns: Final = msgspec.json.Decoder(list[ShownContent]).decode
_plains: Final = msgspec.json.Decoder(list[PlainContent]).decode
_contents: Final = protojson.several(protojson.message(CONTENT))


def read(members: Mapping[str, msgspec.Raw], context: ReadContext) -> Conversation:
    """The conversation.

    Raises MISSING_MEMBER, INVALID_TYPE, INVALID_VALUE and DUPLICATE_MEMBER, with the member's path
    in the caller's spelling.
    """
    unknown: protojson.Unknown = []
    turns = _shown_turns(members)
    if turns:
        members = {name: raw for name, raw in members.items() if name != "contents"}
    found = protojson.read(members, REQUEST, "", unknown)
    spelled = {protojson.camel(name) if "_" in name else name: name for name in members}
    place = spelled.get("contents", "contents")
    if "contents" in found:
        turns = _turns(found["contents"], place, context, unknown)
    if not turns:
        raise missing(place)
    model = context.model or ""
    named = found.get("model")
    if named and model and bare(named) != model:
        raise wrong("model", f"name the model of the address, `{model[:200]}`, or be left out")
    wishes: dict[str, Any] = {}
    if "generationConfig" in found:
        wishes = read_config.wishes(found["generationConfig"], spelled["generationConfig"])
    return Conversation(
        shape=SHAPE,
        model=model,
        instructions=(
            _instructions(found["systemInstruction"], spelled, context, unknown)
            if "systemInstruction" in found
            else ()
        ),
        turns=turns,
        tools=read_tools.tools(found["tools"], "tools", unknown) if "tools" in found else (),
        tool_choice=(
            read_tools.choice(
                found["toolConfig"].get("functionCallingConfig"),
                f"{spelled['toolConfig']}.functionCallingConfig",
            )
            if "toolConfig" in found
            else None
        ),
        metadata=tuple(found["labels"].items()) if "labels" in found else (),
        service_tier=_tier(found["serviceTier"]) if "serviceTier" in found else None,
        store=found.get("store"),
        stream=bool(context.stream),
        usage_wanted=True,
        extensions=tuple(
            [_extension(path, data) for path, data in unknown if data not in _EMPTY]
            if unknown
            else ()
        ),
        **wishes,
    )


def _turns(
    data: bytes, path: str, context: ReadContext, unknown: protojson.Unknown
) -> tuple[Turn, ...]:
    # HOT: many a history is nothing but words, in the usual spelling: 50 -> 7.5 us for 21 turns
    # (2026-11-24, bench/hot.py --case request.generate.words)
    try:
        plains = _plains(data)
    except (ValueError, RecursionError):
        return _any_turns(data, path, context, unknown)
    out: list[Turn] = []
    for at, one in enumerate(plains):
        role = _ROLES.get(one.role)
        if role is None:
            raise _strange(f"{path}[{at}]")
        out.append(Turn(role, tuple([Text(part.text) for part in one.parts])))
    return together(tuple(out))


def _shown_turns(members: Mapping[str, msgspec.Raw]) -> tuple[Turn, ...]:
    """A large history of nothing but words and files, read at once from where it lies in the body:
    member by member a file of a megabyte is copied ten times. Empty when there is more in it.
    """
    data = members.get("contents")
    if data is None or memoryview(data).nbytes <= json_size.PACED_BYTES:
        return ()
    try:
        contents = _showns(data)
    except (ValueError, RecursionError):
        return ()
    out: list[Turn] = []
    for at, one in enumerate(contents):
        role = _ROLES.get(one.role)
        if role is None:
            return ()
        parts: list[Part] = []
        for place, part in enumerate(one.parts):
            blob, text = part.inlineData, part.text
            if (blob is None) is (text is None):
                return ()
            if blob is None:
                parts.append(Text(text or ""))
                continue
            if not blob.mimeType or not blob.data:
                return ()
            found = standard(blob.data)
            if found is None:
                raise wrong(f"contents[{at}].parts[{place}].inlineData.data", "be base64")
            parts.append(media.inline(blob.mimeType, found, None, None))
        out.append(Turn(role, tuple(parts)))
    return together(tuple(out))


def _any_turns(
    data: bytes, path: str, context: ReadContext, unknown: protojson.Unknown
) -> tuple[Turn, ...]:
    out: list[Turn] = []
    for at, content in enumerate(_contents(data, path, unknown)):
        place = f"{path}[{at}]"
        role = _role(content.get("role", ""), place)
        parts = _parts(content.get("parts"), f"{place}.parts", context, unknown)
        _sided(parts, role, place)
        out.append(Turn(role, tuple(parts)))
    return read_content.settled(together(tuple(out)))


def _sided(parts: list[Part], role: Role, path: str) -> None:
    """Refuse a call that the model did not make, and a result that it made itself."""
    theirs = ToolResult if role is Role.ASSISTANT else ToolCall
    if any(isinstance(part, theirs) for part in parts):
        if theirs is ToolResult:
            raise wrong(f"{path}.role", "be user, as a `functionResponse` is in it")
        raise wrong(f"{path}.role", "be model, as a `functionCall` is in it")


def _role(named: str, path: str) -> Role:
    role = _ROLES.get(named)
    if role is None:
        raise _strange(path)
    return role


def _strange(path: str) -> Fault:
    return wrong(f"{path}.role", "be user or model")


def _parts(
    data: bytes | None, path: str, context: ReadContext, unknown: protojson.Unknown
) -> list[Any]:
    if data is None:
        return []

    def one(row: bytes, place: str, noted: protojson.Unknown) -> Any:
        return read_content.read(row, place, context.open, noted)

    rows = protojson.several(one)(data, path, unknown)
    return [part for row in rows for part in row]


def _instructions(
    data: bytes, spelled: Mapping[str, str], context: ReadContext, unknown: protojson.Unknown
) -> tuple[Text, ...]:
    """A content, whose role says nothing, or a bare text."""
    path = spelled["systemInstruction"]
    if data.startswith(b'"'):
        text = protojson.value(data, path)
        return (Text(text=text),) if text else ()
    try:
        return tuple([Text(part.text) for part in _plain(data).parts if part.text])
    except (ValueError, RecursionError):
        content = protojson.message(CONTENT)(data, path, unknown)
    parts = _parts(content.get("parts"), f"{path}.parts", context, unknown)
    return tuple(
        text
        for at, part in enumerate(parts)
        if (text := read_content.text_only(part, f"{path}.parts[{at}]")).text
    )


def _tier(word: str) -> str | None:
    if word in _UNSAID:
        return None
    return _TIERS.get(word, word.lower())


def _extension(path: str, data: bytes) -> Extension:
    name = ".".join(protojson.camel(step) for step in path.split("."))
    return Extension(path, data, Rank.CONTRACT if name in _CONTRACT else Rank.HINT)
