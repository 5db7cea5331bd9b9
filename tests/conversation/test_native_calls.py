"""A vendor's own calls and results, for others."""

import json

import pytest

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.native_calls import spelled_out
from trivium.conversation.parts import Native, Text, VendorPart
from trivium.wire.responses.tool_text import words


def turn(**item):
    """An item as its reader leaves it."""
    data = json.dumps(item).encode()
    role = Role.USER if item["type"].endswith("_output") else Role.ASSISTANT
    return Turn(role, (VendorPart(Native("responses", data), item["type"], words(data)),))


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            {"type": "shell_call", "call_id": "c", "id": "x", "action": {"commands": ["ls", "é"]}},
            ToolCall("c", "shell", '{"commands":["ls","é"]}'),
        ),
        (
            {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}},
            ToolCall("c", "local_shell", '{"command":["ls"]}'),
        ),
        (
            {"type": "apply_patch_call", "call_id": "c", "operation": {"type": "delete_file", "path": "a"}},
            ToolCall("c", "apply_patch", '{"type":"delete_file","path":"a"}'),
        ),
        (
            {"type": "tool_search_call", "call_id": "c", "arguments": {"goal": "a"}},
            ToolCall("c", "tool_search", '{"goal":"a"}'),
        ),
        ({"type": "tool_search_call", "id": "c", "arguments": "a"}, ToolCall("c", "tool_search", '{"input":"a"}')),
        ({"type": "shell_call", "call_id": "c"}, ToolCall("c", "shell", "{}")),
        (
            {"type": "shell_call_output", "call_id": "c", "output": [{"stdout": "a", "stderr": "b"}]},
            ToolResult("c", (Text("a\nb"),)),
        ),
        ({"type": "local_shell_call_output", "id": "c", "output": "a"}, ToolResult("c", (Text("a"),))),
        (
            {"type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": "no"},
            ToolResult("c", (Text("no"),), error=True),
        ),
        ({"type": "apply_patch_call_output", "call_id": "c", "status": "completed"}, ToolResult("c", ())),
        (
            {"type": "tool_search_output", "call_id": "c", "tools": [{"name": "f"}, {"type": "x"}, 1]},
            ToolResult("c", (Text("f"),)),
        ),
    ],
)  # fmt: skip
def test_calls_and_results_are_such(item, expected):
    """With what was asked as arguments, and what came of it in words."""
    (found,) = spelled_out((turn(**item),))
    assert (expected,) == found.parts


@pytest.mark.parametrize(
    "one",
    [
        turn(type="computer_call_output", call_id="c"),
        turn(type="shell_call"),
        turn(type="shell_call", call_id=1),
        Turn(Role.USER, (VendorPart(Native("messages", b"{}"), "shell_call"),)),
        Turn(Role.USER, (VendorPart(Native("responses", b"["), "shell_call"),)),
        Turn(Role.USER, (Text("a"),)),
    ],
)
def test_anything_else_stays(one):
    """As what has no id to be told by."""
    assert (one,) == spelled_out((one,))
