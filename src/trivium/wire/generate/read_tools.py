"""Tools and the choice among them, as callers of this shape declare them."""

import re
from typing import Any, Final

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
from trivium.faults import Fault, Kind
from trivium.wire.checks import missing, wrong
from trivium.wire.generate import protojson, read_schema
from trivium.wire.generate.members import FUNCTION
from trivium.wire.generate.read_answer_parts import SHAPE

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
_encode: Final = msgspec.json.Encoder().encode

_SERVER: Final = {
    "googleSearch": ServerKind.WEB_SEARCH,
    "googleSearchRetrieval": ServerKind.WEB_SEARCH,
    "urlContext": ServerKind.WEB_FETCH,
    "codeExecution": ServerKind.CODE,
}
_MODES: Final = {
    "AUTO": ChoiceMode.AUTO,
    "NONE": ChoiceMode.NONE,
    "ANY": ChoiceMode.REQUIRED,
    "VALIDATED": ChoiceMode.VALIDATED,
    # the same as numbers
    "1": ChoiceMode.AUTO,
    "2": ChoiceMode.REQUIRED,
    "3": ChoiceMode.NONE,
    "4": ChoiceMode.VALIDATED,
}
_UNSAID: Final = frozenset({"MODE_UNSPECIFIED", "0"})


def tools(rows: list[bytes], path: str, unknown: protojson.Unknown) -> tuple[Tool, ...]:
    """Every tool of the request, in order. Raises ``Fault`` naming a member."""
    out: list[Tool] = []
    for at, row in enumerate(rows):
        place = f"{path}[{at}]"
        seen: set[str] = set()
        for spelled, raw in protojson.members(row, place).items():
            name = protojson.camel(spelled)
            if name in seen:
                raise Fault(
                    Kind.DUPLICATE_MEMBER,
                    f"`{place}` holds `{name}` in two spellings: send only one of them.",
                    param=f"{place}.{spelled}",
                )
            seen.add(name)
            data = bytes(raw)
            if data == b"null":
                continue
            inner = f"{place}.{spelled}"
            if name == "functionDeclarations":
                functions = protojson.several(protojson.message(FUNCTION))
                found = functions(data, inner, unknown)
                out.extend(_function(one, f"{inner}[{n}]") for n, one in enumerate(found))
            else:
                out.append(_vendor(name, data, inner))
    return tuple(out)


def _function(found: dict[str, Any], path: str) -> FunctionTool:
    name = found.get("name")
    if not name:
        raise missing(f"{path}.name")
    if not _NAME.fullmatch(name):
        raise wrong(
            f"{path}.name",
            "begin with a letter or an underscore and have at most 128 characters, each a letter "
            "(A-Z, a-z), a digit or one of `_.:-`",
        )
    parameters = found.get("parametersJsonSchema")
    if "parameters" in found:
        if parameters is not None:
            raise wrong(path, "have `parameters` or `parametersJsonSchema`, not both")
        parameters = read_schema.standard(found["parameters"], f"{path}.parameters")
    rest = {
        key: msgspec.Raw(found[key])
        for key in ("response", "responseJsonSchema", "behavior")
        if key in found
    }
    return FunctionTool(
        name=name,
        description=found.get("description"),
        parameters=parameters,
        native=Native(SHAPE, _encode(rest)) if rest else None,
    )


def _vendor(name: str, data: bytes, path: str) -> Tool:
    native = Native(SHAPE, _encode({name: msgspec.Raw(data)}))
    options = protojson.value(data, path)
    kind = _SERVER.get(name)
    if kind is None or not isinstance(options, dict):
        return VendorTool(kind=name, native=native)
    said = {protojson.camel(key): value for key, value in options.items() if value is not None}
    blocked = said.pop("excludeDomains", ())
    if (said and name == "googleSearch") or not isinstance(blocked, list | tuple):
        # kinds of search and a span of time: limits that no other vendor's search knows
        return VendorTool(kind=name, native=native)
    domains = tuple(one for one in blocked if isinstance(one, str))
    return ServerTool(kind=kind, native=native, name=name, blocked_domains=domains)


def choice(config: dict[str, Any] | None, path: str) -> ToolChoice | None:
    """The choice that ``functionCallingConfig`` makes; ``None`` where it makes none."""
    if config is None:
        return None
    mode = config.get("mode", "MODE_UNSPECIFIED")
    names = tuple(config.get("allowedFunctionNames", ()))
    if mode in _UNSAID and not names:
        return None
    found = ChoiceMode.AUTO if mode in _UNSAID else _MODES.get(mode)
    if found is None:
        raise wrong(f"{path}.mode", "be one of AUTO, ANY, NONE, VALIDATED")
    if names and found in (ChoiceMode.AUTO, ChoiceMode.NONE):
        raise wrong(f"{path}.allowedFunctionNames", "be left out unless `mode` is ANY or VALIDATED")
    if found is ChoiceMode.REQUIRED and len(names) == 1:
        found = ChoiceMode.NAMED
    return ToolChoice(found, names)
