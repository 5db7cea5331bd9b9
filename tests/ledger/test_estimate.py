"""What was used is counted by the written rule when the vendor did not say."""

import msgspec
import pytest

from trivium.conversation.usage import Images, Usage
from trivium.ledger.estimate import COUNT_MAX, is_believable, tokens, used

WHOLE = b'{"choices":[{"message":{"role":"assistant","content":"abcdefgh","id":"never counted"}}]}'


@pytest.mark.parametrize(("size", "expected"), [(0, 0), (1, 1), (4, 1), (5, 2), (400, 100)])
def test_four_bytes_are_a_token(size, expected):
    """Rounded up."""
    assert expected == tokens(size)


def sse(*objects):
    """A stream of objects."""
    return b"".join(b"data: %b\n\n" % msgspec.json.encode(each) for each in objects)


@pytest.mark.parametrize(
    ("sample", "written"),
    [
        (WHOLE, 8),
        (sse({"choices": [{"delta": {"content": "abcd"}}]}, {"choices": [{"delta": {"content": "ef"}}]}), 6),
        (sse({"choices": [{"delta": {"reasoning_content": "abcd"}}]}), 4),
        (sse({"choices": [{"delta": {"tool_calls": [{"id": "x", "function": {"name": "f", "arguments": '{"a":1}'}}]}}]}), 7),
        (sse({"type": "response.output_text.delta", "delta": "abcd", "item_id": "x"}), 4),
        (b"event: content_block_delta\n" + sse({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "abcde"}}), 5),
        (sse({"delta": {"type": "thinking_delta", "thinking": "abc"}}, {"delta": {"type": "signature_delta", "signature": "xxxx"}}), 3),
        (sse({"delta": {"type": "input_json_delta", "partial_json": '{"a"'}}), 4),
        (sse({"candidates": [{"content": {"parts": [{"text": "abcdef"}], "role": "model"}}]}), 6),
        (sse({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]}}]}), 7),
        (b'{"content":[{"type":"tool_use","id":"t","name":"f","input":{"a":1}},{"type":"text","text":"xyz"}]}', 10),
        (b'[{"candidates":[{"content":{"parts":[{"text":"abc"}]}}]}', 3),
        (b',\r\n{"candidates":[{"content":{"parts":[{"text":"abcd"}]}}]}', 4),
        ('data: {"text":"\u00e4\u20ac"}\n\n'.encode(), 5),
        (b": heartbeat\n\n", 0),
        (b"data: [DONE]\n\n", 0),
        (b"data: {broken\n\n", 0),
        (b"", 0),
        (b'{"a":' * 200 + b"1" + b"}" * 200, 0),
    ],
)  # fmt: skip
def test_the_text_a_model_wrote_is_counted(sample, written):
    """In every shape, streamed or not; names, ids and signatures are not."""
    found = used(None, 7, len(sample), sample, finished=True)
    assert Usage(fresh=7, output=tokens(written), estimated=True) == found


def test_the_last_piece_speaks_for_the_whole():
    """Its share of text times all that was delivered."""
    sample = sse({"choices": [{"delta": {"content": "abcdefgh"}}]})
    found = used(None, 1, 10 * len(sample), sample, finished=False)
    assert 20 == found.output


@pytest.mark.parametrize(
    ("reported", "finished", "expected"),
    [
        (Usage(fresh=5, output=1), True, Usage(fresh=5, output=1)),
        (Usage(fresh=5, output=1), False, Usage(fresh=5, output=2, estimated=True)),
        (Usage(fresh=5, reasoning=9), False, Usage(fresh=5, reasoning=9, estimated=True)),
        (Usage(output=1), False, Usage(fresh=7, output=2, estimated=True)),
        (Usage(cache_read=5), False, Usage(cache_read=5, output=2, estimated=True)),
        (Usage(output=2, estimated=True), True, Usage(fresh=7, output=2, estimated=True)),
        (Usage(fresh=5, output=2, estimated=True), True, Usage(fresh=5, output=2, estimated=True)),
        (Usage(fresh=-5), True, Usage(fresh=7, output=2, estimated=True)),
        (Usage(output=2**53), True, Usage(fresh=7, output=2, estimated=True)),
        (None, True, Usage(fresh=7, output=2, estimated=True)),
    ],
)
def test_a_report_is_believed_as_far_as_it_goes(reported, finished, expected):
    """Of a whole answer it is the last word, but for an input it does not know; of a broken one
    its input; nonsense is flagged.
    """
    assert expected == used(reported, 7, len(WHOLE), WHOLE, finished=finished)


@pytest.mark.parametrize(
    ("usage", "believed"),
    [
        (Usage(), True),
        (Usage(fresh=COUNT_MAX), True),
        (Usage(fresh=COUNT_MAX + 1), False),
        (Usage(reasoning=-1), False),
        (Usage(seconds=3600.5), True),
        (Usage(seconds=-1.0), False),
        (Usage(seconds=float("nan")), False),
        (Usage(seconds=float("inf")), False),
        (Usage(characters=-1), False),
        (Usage(requests=2**53), False),
        (Usage(images=(Images(count=-1),)), False),
    ],
)
def test_absurd_counters_are_told(usage, believed):
    """Negative ones, and those beyond what a vendor could mean."""
    assert believed == is_believable(usage)
