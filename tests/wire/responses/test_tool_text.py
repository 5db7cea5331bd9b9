"""What the items of a vendor's own tools say in words."""

import json

import pytest

from trivium.conversation.items import Role
from trivium.wire.responses import tool_text
from trivium.wire.responses.read_input import InputReader

LS = {"type": "exec", "command": ["ls", "-l"], "env": {}}
RAN = {"stdout": "a.py", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
PATCH = {"type": "update_file", "path": "a.py", "diff": "+1"}


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"type": "local_shell_call", "call_id": "c1", "action": LS}, "ls -l"),
        ({"type": "local_shell_call_output", "call_id": "c1", "output": "a.py"}, "a.py"),
        ({"type": "shell_call", "action": {"commands": ["cd a", "ls"]}}, "cd a\nls"),
        ({"type": "shell_call_output", "output": [RAN, RAN | {"stderr": "no"}]}, "a.py\na.py\nno"),
        ({"type": "apply_patch_call", "operation": PATCH}, "update_file\na.py\n+1"),
        ({"type": "mcp_call", "name": "q", "arguments": "{}", "output": "42"}, "q {}\n42"),
        ({"type": "mcp_call", "name": "q", "arguments": "{}", "error": "gone"}, "q {}\ngone"),
        ({"type": "file_search_call", "results": [{"file_id": "f", "text": "it"}]}, "it"),
        ({"type": "computer_call_output", "output": {"image_url": "data:"}}, ""),
    ],
)
def test_what_was_run_and_what_it_gave(item, said):
    """Words only: pictures and numbers are another's business."""
    assert said == tool_text.words(json.dumps(item).encode())


def test_what_is_no_object_says_nothing():
    """Nor what cannot be read."""
    assert ["", ""] == [tool_text.words(raw) for raw in (b"7", b"{")]


def test_a_history_keeps_what_the_callers_own_shell_gave():
    """For upstreams that know no such item: in its place stands what it says."""
    rows = [
        {"type": "local_shell_call", "call_id": "c1", "action": LS},
        {"type": "local_shell_call_output", "call_id": "c1", "output": "a.py"},
    ]
    turns = InputReader(lambda _: None, [], []).turns(json.dumps(rows).encode())
    assert [(Role.ASSISTANT, "ls -l"), (Role.USER, "a.py")] == [
        (turn.role, turn.parts[0].text) for turn in turns
    ]
