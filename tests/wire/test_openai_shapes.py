"""What all OpenAI shapes read alike: model, usage in streams, usage objects in all spellings."""

import msgspec
import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire import openai_shapes
from trivium.wire.openai_shapes import answer, counts, elsewhere, of, usage
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import members

GOOD = {
    "chat": (b'{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14}',
             Usage(fresh=10, output=4)),
    "cached and reasoned": (
        (b'{"prompt_tokens":20212,"completion_tokens":1708,"total_tokens":21920,'
        b'"prompt_tokens_details":{"cached_tokens":16298,"audio_tokens":10},'
        b'"completion_tokens_details":{"reasoning_tokens":785,"audio_tokens":3}}'),
        Usage(fresh=3904, cache_read=16298, audio_input=10, output=920, reasoning=785, audio_output=3)),
    "cache written": (
        (b'{"prompt_tokens":100,"completion_tokens":1,"prompt_tokens_details":'
        b'{"cached_tokens":30,"cache_write_tokens":50}}'),
        Usage(fresh=20, cache_read=30, cache_write_short=50, output=1)),
    "responses": (
        (b'{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":7,'
        b'"output_tokens_details":{"reasoning_tokens":5},"total_tokens":16}'),
        Usage(fresh=5, cache_read=4, output=2, reasoning=5)),
    "embeddings": (b'{"prompt_tokens":8,"total_tokens":8}', Usage(fresh=8)),
    "DeepSeek": (b'{"prompt_tokens":50,"completion_tokens":2,"prompt_cache_hit_tokens":40}',
                 Usage(fresh=10, cache_read=40, output=2)),
    "Moonshot": (b'{"prompt_tokens":50,"completion_tokens":2,"cached_tokens":40}',
                 Usage(fresh=10, cache_read=40, output=2)),
    "Perplexity": (b'{"prompt_tokens":5,"completion_tokens":9,"reasoning_tokens":4,"total_tokens":14}',
                   Usage(fresh=5, output=5, reasoning=4)),
    "reasoning beside the completion": (
        (b'{"prompt_tokens":10,"completion_tokens":4,"total_tokens":20,'
        b'"completion_tokens_details":{"reasoning_tokens":6}}'),
        Usage(fresh=10, output=4, reasoning=6)),
    "more cached than there was": (
        b'{"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":9}}',
        Usage(cache_read=5, output=1)),
    "numbers as text": (b'{"prompt_tokens":"10","completion_tokens":4.0}', Usage(fresh=10, output=4)),
    "details null": (b'{"prompt_tokens":1,"completion_tokens":2,"prompt_tokens_details":null}',
                     Usage(fresh=1, output=2)),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_a_usage_object_becomes_disjoint_counters(name):
    """No token is counted twice, none is negative."""
    raw, expected = GOOD[name]
    assert expected == usage(raw)


@pytest.mark.parametrize(
    "raw",
    [b"null", b"{}", b"[]", b'"x"', b"{", b'{"prompt_tokens":-1,"completion_tokens":2}',
     b'{"prompt_tokens":"many","completion_tokens":2}', b'{"total_tokens":5}'],
)  # fmt: skip
def test_nonsense_is_no_usage(raw):
    """An estimate is better than a bill from half an object."""
    assert usage(raw) is None


@pytest.mark.parametrize("name", GOOD)
def test_an_object_that_was_decoded_with_what_is_around_it_counts_alike(name):
    """Watches decode a frame at once, not its usage again."""
    raw, expected = GOOD[name]
    found = counts(raw)
    assert found is not None
    assert expected == of(found)


COUNTED = b'{"prompt_tokens":10,"completion_tokens":4}'


@pytest.mark.parametrize(
    ("choices", "groq", "expected"),
    [
        (b"[]", b"", None),
        (b"", b"null", None),
        (b'[{"usage":%b}]' % COUNTED, b"", Usage(fresh=10, output=4)),
        (b'[{"usage":null},{"usage":%b}]' % COUNTED, b"", Usage(fresh=10, output=4)),
        (b"[]", b'{"id":"r","usage":%b}' % COUNTED, Usage(fresh=10, output=4)),
        (b'[{"usage":{"completion_tokens":-4}}]', b"", None),
        (b'[{"usage":"completion_tokens"}]', b"", None),
        (b'{"completion_tokens":4}', b'{"usage":{"completion_tokens":1e400}}', None),
        (b'[{"delta":{"content":"\\"completion_tokens\\""}}]', b"", None),
    ],
)
def test_some_servers_report_elsewhere(choices, groq, expected):
    """In a choice, or in a member of their own."""
    assert expected == elsewhere(choices, groq)


def test_a_good_answer_has_its_content_and_perhaps_usage():
    """Whatever else it has goes by unread."""
    found = answer(
        b'{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2},"x":{}}', "choices"
    )
    assert (None, 2) == (found.error, found.usage.output)
    assert answer(b'{"choices":[],"usage":null,"error":null}', "choices").usage is None


@pytest.mark.parametrize("raw", [b'{"message":"x"}', b'"x"', b"[1]", b"true"])
def test_an_error_is_found(raw):
    """It is kept as it came, to be understood elsewhere."""
    assert raw == answer(b'{"error":%b}' % raw, "choices").error


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'"x"', b"{}", b'{"choices":{}}', b'{"choices":[', b"\xff"]
)
def test_what_is_neither_is_the_vendors_fault(body):
    """It is not relayed as a success."""
    with pytest.raises(Fault) as caught:
        answer(body, "choices")
    assert Kind.UPSTREAM_BROKE is caught.value.kind


STREAM = RequestFacts(model="m", stream=True)


def test_the_model_is_replaced_only_where_it_differs():
    """The channel's own name, or nothing at all."""
    body = members(b'{"model":"m"}')
    assert {} == openai_shapes.renamed(body, STREAM, "m")
    assert {"model": b'"own\\"x"'} == openai_shapes.renamed(body, STREAM, 'own"x')
    assert {"model": b'"m"'} == openai_shapes.renamed(members(b"{}"), STREAM, "m")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (b"", {"include_usage": True}),
        (b',"stream_options":null', {"include_usage": True}),
        (b',"stream_options":{"include_obfuscation":false}',
         {"include_obfuscation": False, "include_usage": True}),
        (b',"stream_options":{"include_usage":false}', {"include_usage": True}),
    ],
)  # fmt: skip
def test_usage_is_asked_for_beside_the_callers_own_options(options, expected):
    """Without it a stream cannot be billed."""
    body = members(b'{"model":"m"%b}' % options)
    assert not openai_shapes.usage_wanted(body)
    assert expected == msgspec.json.decode(openai_shapes.asking(body, STREAM)["stream_options"])


def test_usage_is_not_asked_for_twice_nor_without_a_stream():
    """What the caller asked for travels as it is."""
    body = members(b'{"stream_options":{"include_usage":true}}')
    assert openai_shapes.usage_wanted(body)
    assert {} == openai_shapes.asking(body, RequestFacts(model="m", stream=True, usage_wanted=True))
    assert {} == openai_shapes.asking(body, RequestFacts(model="m"))


@pytest.mark.parametrize(
    ("options", "param"),
    [(b"[]", "stream_options"), (b"5", "stream_options"),
     (b'{"include_usage":"yes"}', "stream_options.include_usage"),
     (b'{"include_usage":true,"include_usage":false}', "stream_options.include_usage")],
)  # fmt: skip
def test_stream_options_of_another_kind_are_refused(options, param):
    """With the member's path, also inside."""
    with pytest.raises(Fault) as caught:
        openai_shapes.usage_wanted(members(b'{"stream_options":%b}' % options))
    assert param == caught.value.param
