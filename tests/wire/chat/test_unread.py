"""What answers of this shape are known to have."""

import msgspec
import pytest

from trivium.conversation.places import Loss
from trivium.wire.chat.unread import ANSWER


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"index": 0, "message": {"role": "assistant", "content": "Hi"}}, []),
        ({"delta": {"tool_calls": [{"index": 0, "id": "1", "type": "function"}]}}, []),
        ({"delta": {"tool_calls": [{"index": 0, "shimmer": 1}]}}, [("shimmer", Loss.UNKNOWN)]),
        ({"message": {"content": "Hi", "shimmer": 1}}, [("shimmer", Loss.UNKNOWN)]),
        (
            {"native_finish_reason": "stop", "token_ids": None},
            [("native_finish_reason", Loss.NOTED)],
        ),
        ({"logprobs": {"content": None, "refusal": [1]}}, [("refusal", Loss.NOTED)]),
    ],
)
def test_members_of_a_choice_are_known(choice, told):
    """A message's and a delta's alike."""
    found = []
    ANSWER.look(
        msgspec.json.encode({"id": "c1", "choices": [choice]}),
        lambda name, loss: found.append((name, loss)),
    )
    assert told == found
