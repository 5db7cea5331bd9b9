"""Tools and the choice among them, of a Converse request, read strictly.

Source: ``bedrock-runtime`` of botocore 1.44, read on 2026-11-28; the names of Amazon's own tools:
"Tool use" of the Nova user guide, read on 2026-11-28.
"""

import re
from typing import Final

import msgspec

from trivium.conversation.parts import Native
from trivium.conversation.tools import (
    ChoiceMode,
    FunctionTool,
    ServerKind,
    ServerTool,
    Tool,
    ToolChoice,
    VendorTool,
)
from trivium.wire.converse import request_structs as structs
from trivium.wire.converse.media import SHAPE
from trivium.wire.converse.read_content import CACHE_POINT, ContentReader
from trivium.wire.converse.values import only, present, required, single
from trivium.wire.messages.paths import view, wrong

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_any: Final = msgspec.json.Decoder()
_config: Final = msgspec.json.Decoder(structs.ToolConfig)
_spec: Final = msgspec.json.Decoder(structs.ToolSpec)
_named: Final = msgspec.json.Decoder(structs.ToolName)

PATH: Final = "toolConfig.tools"
_SERVER: Final = {
    "nova_grounding": ServerKind.WEB_SEARCH,
    "nova_code_interpreter": ServerKind.CODE,
}
_MODES: Final = {"auto": ChoiceMode.AUTO, "any": ChoiceMode.REQUIRED, "tool": ChoiceMode.NAMED}


def read(raw: msgspec.Raw, blocks: ContentReader) -> tuple[tuple[Tool, ...], ToolChoice | None]:
    """The ``toolConfig`` member: tools, of which no two have one name, and the choice."""
    config: structs.ToolConfig = view(_config, raw, "toolConfig")
    out: list[Tool] = []
    seen: set[str] = set()
    for at, row in enumerate(required(config.tools, PATH)):
        path = f"{PATH}.{at}"
        kind, inner = only(row, path)
        if kind == CACHE_POINT:
            mark = blocks.mark_of(inner, f"{path}.{kind}")
            if out:
                out[-1] = msgspec.structs.replace(out[-1], cache=mark)
            else:
                blocks.omitted(f"{path}.{kind}", inner)
            continue
        found = _one(kind, inner, row, path)
        if found.name and found.name in seen:
            raise wrong(f"{path}.{kind}.name", f"{found.name} is declared twice.")
        seen.add(found.name)
        out.append(found)
    if not out:
        raise wrong(PATH, "must have at least one tool.")
    chosen = config.toolChoice
    return tuple(out), None if chosen is None else _choice(chosen, seen)


def _one(
    kind: str, raw: msgspec.Raw, row: msgspec.Raw, path: str
) -> FunctionTool | ServerTool | VendorTool:
    if kind == "toolSpec":
        return _function(raw, f"{path}.toolSpec")
    view(_any, row, path)  # what others read of it later can be read
    native = Native(SHAPE, bytes(row))
    if kind != "systemTool":
        return VendorTool(kind, native)
    tool: structs.ToolName = view(_named, raw, f"{path}.systemTool")
    name = required(tool.name, f"{path}.systemTool.name")
    server = _SERVER.get(name)
    if server is None:
        return VendorTool(kind, native, name=name)
    return ServerTool(server, native, name=name)


def _function(raw: msgspec.Raw, path: str) -> FunctionTool:
    spec: structs.ToolSpec = view(_spec, raw, path)
    name = required(spec.name, f"{path}.name")
    if not _NAME.fullmatch(name):
        raise wrong(f"{path}.name", "must have 1 to 64 of A-Z, a-z, 0-9, _ and -.")
    members = required(spec.inputSchema, f"{path}.inputSchema")
    kind, schema = single(members, f"{path}.inputSchema")
    if kind != "json":
        raise wrong(f"{path}.inputSchema", "must have json.")
    if not bytes(schema).startswith(b"{"):
        raise wrong(f"{path}.inputSchema.json", "must be an object.")
    view(_any, schema, f"{path}.inputSchema.json")
    return FunctionTool(name, spec.description, bytes(schema), spec.strict)


def _choice(members: dict[str, msgspec.Raw], names: set[str]) -> ToolChoice | None:
    if not present(members):
        return None
    kind, raw = single(members, "toolConfig.toolChoice")
    mode = _MODES.get(kind)
    if mode is None:
        raise wrong("toolConfig.toolChoice", f"must have one of {', '.join(_MODES)}.")
    if mode is not ChoiceMode.NAMED:
        return ToolChoice(mode)
    tool: structs.ToolName = view(_named, raw, "toolConfig.toolChoice.tool")
    name = required(tool.name, "toolConfig.toolChoice.tool.name")
    if name not in names:
        raise wrong(
            "toolConfig.toolChoice.tool.name", f"names no tool of this request: {name[:128]}."
        )
    return ToolChoice(mode, (name,))
