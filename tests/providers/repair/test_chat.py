"""A chat stream of llama.cpp names the role of each of its choices where it begins."""

import msgspec
import pytest

from trivium.providers.repair.chat import Roles


def chunk(index, **delta):
    """One chunk of one choice."""
    return msgspec.json.encode({"id": "c", "choices": [{"index": index, "delta": delta}], "x": 1})


def test_the_role_is_added_where_a_choice_begins():
    """First of its delta, once a choice; all else stays."""
    roles = Roles()
    for index in (0, 1):
        ((name, data),) = roles.rewrite(chunk(index, content="a"))
        assert (b"", chunk(index, role="assistant", content="a")) == (name, data)
    for index in (0, 1):
        data = chunk(index, content="b")
        assert [(b"", data)] == roles.rewrite(data)


def test_a_role_that_is_there_stays():
    """Byte for byte."""
    roles = Roles()
    first = chunk(0, role="assistant", content=None)
    assert [(b"", first)] == roles.rewrite(first)
    second = chunk(0, content="a")
    assert [(b"", second)] == roles.rewrite(second)


@pytest.mark.parametrize(
    "data",
    [
        b"[DONE]",
        b"[]",
        b'{"error":{"message":"x"}}',
        b'{"choices":[]}',
        b'{"choices":{}}',
        b'{"choices":["x"]}',
        b'{"choices":[{"delta":{}}]}',
        b'{"choices":[{"index":0,"delta":null}]}',
    ],
)
def test_other_frames_stay_as_they_are(data):
    """What is no chunk is not ours to judge."""
    assert [(b"", data)] == Roles().rewrite(data)
