"""What one response object says about itself."""

import pytest

from trivium.wire.generate.chunk import read, read_all, told
from trivium.wire.generate.chunk_structs import WatchedChunk


def chunk(*, finished=False, usage=None, error=None, answers=True):
    """A chunk with the usual values."""
    return WatchedChunk(finished=finished, usage=usage, error=error, answers=answers)


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b'{"candidates":[{"content":{}}]}', chunk()),
        (b'{"candidates":[]}', chunk()),
        (b'{"candidates":[null,{"finishReason":"STOP"}]}', chunk(finished=True)),
        (b'{"candidates":[{"finishReason":null},{"finishReason":""}]}', chunk()),
        (b'{"candidates":[{"finishReason":"SOMETHING_NEW"}]}', chunk(finished=True)),
        (b'{"candidates":[{"finishReason":"FINISH_REASON_UNSPECIFIED"}]}', chunk()),
        (b'{"promptFeedback":{"blockReason":"SAFETY"}}', chunk(finished=True)),
        (b'{"promptFeedback":{"blockReason":"SAFETY"},"candidates":[]}', chunk(finished=True)),
        (b'{"promptFeedback":{"blockReason":"SAFETY"},"candidates":[{}]}', chunk()),
        (b'{"promptFeedback":{"safetyRatings":[]}}', chunk()),
        (b'{"usageMetadata":{"totalTokenCount":1}}', chunk(usage={"totalTokenCount": 1})),
        (b'{"usageMetadata":[]}', chunk()),
        (b'{"error": {"code": 503}}', chunk(error=b'{"code": 503}', answers=False)),
        (b'{"error": {}}', chunk(answers=False)),
        (b'{"responseId":"heartbeat"}', chunk(answers=False)),
        (b"{}", chunk(answers=False)),
    ],
)
def test_an_object_is_read_loosely(data, wanted):
    """Unknown reasons and members are no failure."""
    assert wanted == read(data)
    assert wanted == read(bytearray(data))


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b'{"candidates":{}}', b'{"a":' * 5000])
def test_other_things_are_none(data):
    """They say nothing that we could use."""
    assert read(data) is None


def test_the_objects_of_an_array_are_read_at_once():
    """Each says what it would say alone."""
    rows = [
        b'{"candidates":[{"finishReason":"STOP"}],"error":null}',
        b'{"usageMetadata":{"totalTokenCount":1}}',
        b"{}",
    ]
    found = read_all(b"[" + b", ".join(rows) + b"]")
    assert found is not None
    assert [read(row) for row in rows] == [told(one) for one in found]


@pytest.mark.parametrize(
    "row", [b'{"error":{"code":503}}', b"7", b"null", b'{"candidates":{}}', b"{"]
)
def test_an_array_with_anything_else_is_looked_at_one_by_one(row):
    """An error must be found at its place, and what is no object."""
    assert read_all(b"[{}," + row + b"]") is None
