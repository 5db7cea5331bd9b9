"""The response object: every member that clients read, and why an answer ended."""

import msgspec
import pytest

from trivium.conversation.finish import Finish, Unified
from trivium.conversation.parts import (
    Text,
)
from wire.responses.streams import answer_events, written


def test_the_response_object_has_every_member_that_clients_read():
    """Null where there is nothing to say, the request's own spelling where there is."""
    body = b'{"temperature":0.50,"tools":[{"type":"function",\n"name":"f"}],"user":null}'
    members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    found = written(answer_events(Text("x")), members=members)[-1]["response"]
    assert {
        "id": "resp_0a1B",
        "object": "response",
        "created_at": 1795219200,
        "status": "completed",
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": None,
        "max_tool_calls": None,
        "metadata": {},
        "model": "fast",
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "reasoning": {"effort": None, "summary": None},
        "safety_identifier": None,
        "service_tier": None,
        "store": False,
        "temperature": 0.5,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [{"type": "function", "name": "f"}],
        "top_logprobs": None,
        "top_p": None,
        "truncation": "disabled",
        "user": None,
        "usage": {
            "input_tokens": 20,
            "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 2},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 3},
            "total_tokens": 27,
        },
    } == {name: value for name, value in found.items() if name != "output"}


def test_opening_objects_have_no_output_and_no_usage():
    """They say that it began, nothing else."""
    found = written(answer_events(Text("x")))[0]["response"]
    assert ("in_progress", [], None) == (found["status"], found["output"], found["usage"])


@pytest.mark.parametrize(
    ("unified", "status", "reason"),
    [
        (Unified.STOP, "completed", None),
        (Unified.STOP_SEQUENCE, "completed", None),
        (Unified.TOOL_CALLS, "completed", None),
        (Unified.LENGTH, "incomplete", "max_output_tokens"),
        (Unified.CONTEXT_FULL, "incomplete", "max_output_tokens"),
        (Unified.CONTENT_FILTER, "incomplete", "content_filter"),
        (Unified.PAUSED, "incomplete", "paused"),
        (Unified.OTHER, "incomplete", "other"),
    ],
)
def test_the_end_says_why(unified, status, reason):
    """A cut answer is never complete (trap 62), nor is the item it was cut in."""
    found = written(answer_events(Text("It was"), finish=Finish(unified)))
    response = found[-1]["response"]
    assert f"response.{status}" == found[-1]["type"]
    assert (status, status) == (response["status"], response["output"][-1]["status"])
    assert ({"reason": reason} if reason else None) == response["incomplete_details"]
