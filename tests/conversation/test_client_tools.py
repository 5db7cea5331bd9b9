"""Tools that one vendor's models know by heart, and what stands for them elsewhere."""

import typing

import msgspec
import pytest
from anthropic.types import ToolUnionParam, beta

from trivium.conversation.client_tools import as_function
from trivium.conversation.parts import CacheMark, Native
from trivium.conversation.tools import VendorTool

KINDS = {
    "bash_20250124": "bash",
    "text_editor_20250124": "str_replace_editor",
    "text_editor_20250429": "str_replace_based_edit_tool",
    "text_editor_20250728": "str_replace_based_edit_tool",
    "memory_20250818": "memory",
}
RUN_BY_THE_VENDOR = ("code_execution_", "web_search_", "web_fetch_", "tool_search_")


def declared(kind, shape="messages", **members):
    """A declaration as it came."""
    name = KINDS.get(kind, "x")
    data = msgspec.json.encode({"type": kind, "name": name} | members)
    return VendorTool(kind, Native(shape, data), name=name)


def properties(kind):
    """Parameters of the function that stands for it."""
    return msgspec.json.decode(as_function(declared(kind)).parameters)["properties"]


def test_every_tool_of_the_sdk_that_a_caller_runs_is_known():
    """Under the name that it must have."""
    found = {}
    for one in typing.get_args(ToolUnionParam):
        hints = typing.get_type_hints(one)
        (kind,) = typing.get_args(hints["type"])[:1] or ("",)
        names = typing.get_args(hints.get("name"))
        if isinstance(kind, str) and names and not kind.startswith(RUN_BY_THE_VENDOR):
            found[kind] = names[0]
    assert KINDS == found
    assert KINDS == {kind: as_function(declared(kind)).name for kind in KINDS}


def test_commands_of_the_memory_are_those_of_the_sdk():
    """Each with its own parameters."""
    known = properties("memory_20250818")
    for command in known["command"]["enum"]:
        name = "".join(map(str.title, command.split("_")))
        model = getattr(beta, f"BetaMemoryTool20250818{name}Command")
        assert known.keys() >= model.model_fields.keys(), command


@pytest.mark.parametrize(
    ("kind", "text", "commands"),
    [
        ("text_editor_20250124", "new_str", {"undo_edit"}),
        ("text_editor_20250429", "new_str", set()),
        ("text_editor_20250728", "insert_text", set()),
    ],
)
def test_editors_differ(kind, text, commands):
    """In what undoes an edit, and in the name of the text to insert."""
    known = properties(kind)
    assert {"view", "create", "str_replace", "insert"} | commands == {*known["command"]["enum"]}
    assert ("insert_text" in known) is (text == "insert_text")
    assert "insert" in known[text]["description"]


def test_what_a_function_has_not_is_kept_to_be_told():
    """Marks go with it."""
    tool = declared("text_editor_20250728", max_characters=9, strict=True, defer_loading=False)
    tool = msgspec.structs.replace(tool, cache=CacheMark())
    found = as_function(tool)
    assert {"max_characters": 9, "strict": True} == msgspec.json.decode(found.native.data)
    assert (CacheMark(), None) == (found.cache, found.strict)
    assert as_function(declared("bash_20250124")).native is None


@pytest.mark.parametrize(
    "tool",
    [
        declared("computer_20250124"),
        declared("bash_20990101"),
        declared("bash_20250124", "responses"),
    ],
)
def test_no_other_tool_is_guessed(tool):
    """A screen means something to models trained on it; what is not documented is not known."""
    assert as_function(tool) is None


def test_the_local_shell_is_a_function():
    """Of the name and the members that its caller runs."""
    found = as_function(declared("local_shell", "responses"))
    schema = msgspec.json.decode(found.parameters)
    assert ("local_shell", ["command"]) == (found.name, schema["required"])


def test_a_search_that_the_caller_makes_is_a_function():
    """With the caller's own parameters; the vendor's search is its own."""
    own = {"execution": "client", "parameters": {"type": "object"}, "description": "Looks."}
    found = as_function(declared("tool_search", "responses", **own))
    assert ("tool_search", "Looks.", b'{"type":"object"}') == (
        found.name,
        found.description,
        found.parameters,
    )
    assert as_function(declared("tool_search", "responses")) is None
    assert as_function(declared("tool_search", "responses", execution="client")) is None
    assert as_function(declared("shell", "responses")) is None
