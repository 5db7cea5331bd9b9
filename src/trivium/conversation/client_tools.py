"""Tools that a caller runs and one vendor's models know by heart, as functions for all others.

Anthropic declares them by a name and a date: their parameters are built into its models, and their
calls are ordinary ones. A function of the same name with the parameters spelled out is called in
the same way, so the caller's own code runs it unchanged. Not here: tools that look at a screen (the
pictures they give, and where on them a model points, mean something to models trained on it).

Parameters as documented in "Bash tool", "Text editor tool" and "Memory tool" and typed in SDK 2.11,
read on 2026-11-21; but for the text to insert, which the newest editor's models call
``insert_text`` whatever its page says (anthropic-sdk-python issue 1155).
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.parts import Native
from trivium.conversation.tools import FunctionTool, VendorTool

SHAPE: Final = "messages"
_RESPONSES: Final = "responses"
_BASH: Final = "Run a command in a bash session that keeps its state from call to call."
_EDIT: Final = "View, create and edit text files."
_REMEMBER: Final = (
    "Keep notes from conversation to conversation in files under /memories. Look there before "
    "beginning a task, and write down what will be of use later."
)
_STRING: Final = {"type": "string"}
_LINE: Final = {"type": "integer"}

_SHELL: Final[Mapping[str, Any]] = {
    "command": _STRING | {"description": "The command; not needed with restart."},
    "restart": {"type": "boolean", "description": "Begin a new session instead."},
}


def _path(what: str) -> dict[str, Any]:
    return _STRING | {"description": what}


def _edited(insert: str, *more: str) -> dict[str, Any]:
    """Parameters of the commands that all editors have; ``insert`` holds the text to insert."""
    replaced = " or inserted" if insert == "new_str" else ""
    found: dict[str, Any] = {
        "command": _STRING | {"enum": ["view", "create", "str_replace", "insert", *more]},
        "path": _path("Absolute path of a file, or for view of a folder."),
        "view_range": {
            "type": "array",
            "items": _LINE,
            "minItems": 2,
            "maxItems": 2,
            "description": "view: first and last line, from 1; -1 for the end of the file.",
        },
        "file_text": _path("create: the whole text of the file."),
        "old_str": _path("str_replace: the text to replace, which must occur exactly once."),
        "new_str": _path(f"str_replace: the text that is put in its place{replaced}."),
        "insert_line": _LINE | {"description": "insert: the line after which; 0: at the top."},
    }
    if insert != "new_str":
        found[insert] = _path("insert: the text.")
    return found


_MEMORY: Final[Mapping[str, Any]] = {
    **_edited("insert_text", "delete", "rename"),
    "old_path": _path("rename: the file's path."),
    "new_path": _path("rename: its new path."),
}


def _function(name: str, about: str, properties: Mapping[str, Any], *needed: str) -> FunctionTool:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if needed:
        schema["required"] = list(needed)
    return FunctionTool(name, about, msgspec.json.encode(schema))


_OLD_EDITOR: Final = _function(
    "str_replace_editor", _EDIT, _edited("new_str", "undo_edit"), "command", "path"
)
_EDITOR: Final = "str_replace_based_edit_tool"
_FUNCTIONS: Final = {
    "bash_20241022": _function("bash", _BASH, _SHELL),
    "bash_20250124": _function("bash", _BASH, _SHELL),
    "text_editor_20241022": _OLD_EDITOR,
    "text_editor_20250124": _OLD_EDITOR,
    "text_editor_20250429": _function(_EDITOR, _EDIT, _edited("new_str"), "command", "path"),
    "text_editor_20250728": _function(_EDITOR, _EDIT, _edited("insert_text"), "command", "path"),
    "memory_20250818": _function("memory", _REMEMBER, _MEMORY, "command"),
}
_LOCAL_SHELL: Final = _function(
    "local_shell",
    "Run a command on the user's machine and read what it prints.",
    {
        "command": {"type": "array", "items": _STRING, "description": "Program and arguments."},
        "working_directory": _path("Where to run it; the present directory if left out."),
        "timeout_ms": _LINE | {"description": "Milliseconds after which it is ended."},
    },
    "command",
)
"""As OpenAI's models call it: openai-python 3.52.0, ``LocalShellCallAction``, read 2026-11-23."""
_SEARCH: Final = "tool_search"
_SEARCHES: Final = "Look for tools that are not declared yet, by what they are to do."
_SAID: Final = frozenset({"type", "name", "cache_control"})
_NOTHING: Final = frozenset({b"null", b"false"})
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.Encoder().encode


def as_function(tool: VendorTool) -> FunctionTool | None:
    """The function that a declaration stands for; ``None`` where it cannot be one.

    Members that functions have not are kept with it, so that their loss is told.
    """
    if tool.native.shape == _RESPONSES:
        return _of_responses(tool)
    known = _FUNCTIONS.get(tool.kind) if tool.native.shape == SHAPE else None
    if known is None:
        return None
    members = _members(tool.native.data)
    own = {
        name: raw
        for name, raw in members.items()
        if name not in _SAID and bytes(raw) not in _NOTHING
    }
    return msgspec.structs.replace(
        known,
        name=tool.name or known.name,
        cache=tool.cache,
        native=Native(SHAPE, _encode(own)) if own else None,
    )


def _of_responses(tool: VendorTool) -> FunctionTool | None:
    """OpenAI's tools that the caller runs and tells its own parameters, or that have known ones."""
    if tool.kind == "local_shell":
        return _LOCAL_SHELL
    if tool.kind != _SEARCH:
        return None
    members = _members(tool.native.data)
    parameters = bytes(members.get("parameters", b""))
    if bytes(members.get("execution", b"")) != b'"client"' or not parameters.startswith(b"{"):
        return None  # the vendor's own search, over tools that it keeps
    about = bytes(members.get("description", b"null"))
    words = msgspec.json.decode(about) if about.startswith(b'"') else None
    return FunctionTool(_SEARCH, words or _SEARCHES, parameters)
