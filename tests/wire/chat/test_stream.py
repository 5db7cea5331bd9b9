"""Watching chat streams: bytes go by, usage and endings are seen, failures end legally."""

import itertools
from pathlib import Path

import httpx2
import msgspec
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.chat.stream import watch

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "chat"
NAMES = sorted(path.name for path in FOLDER.glob("*.sse"))
ENDS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}
USAGE = Usage(fresh=12, cache_read=8, output=4, reasoning=3)
DONE = b"data: [DONE]\n\n"


@pytest.mark.parametrize(
    ("name", "usage", "finished"),
    [
        ("text.sse", None, True),
        ("text-usage.sse", USAGE, True),
        ("cumulative-usage.sse", Usage(fresh=5, output=3), True),
        ("tools.sse", None, True),
        ("refusal.sse", None, True),
        ("length.sse", None, True),
        ("choices.sse", Usage(fresh=4, output=2), True),
        ("openrouter.sse", Usage(fresh=9, output=4), True),
        ("azure.sse", Usage(fresh=6, output=2), True),
        ("no-done.sse", Usage(fresh=6, output=2), False),
        ("separators.sse", None, True),
        ("spaced.sse", Usage(fresh=3, output=2), False),
    ],
)
def test_a_caller_who_asked_gets_every_byte(recorded, relay, name, usage, finished):
    """Nothing is rewritten, and the last usage and the terminal frame are noticed."""
    wire = recorded("chat", name)
    out = relay(watch, wire, asked=True)
    assert (wire, usage, finished, None) == (out.forwarded, out.usage, out.finished, out.error)


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("text.sse", 0),
        ("text-usage.sse", 1),
        ("cumulative-usage.sse", 0),  # rides on content
        ("choices.sse", 1),
        ("openrouter.sse", 1),
        ("azure.sse", 0),  # the chunk has filter results too
        ("no-done.sse", 1),
        ("spaced.sse", 1),
    ],
)
def test_a_caller_who_did_not_ask_does_not_see_the_usage_chunk(recorded, relay, name, gone):
    """The chunk that tells usage alone is taken out, its usage noted; all else stays verbatim."""
    wire = recorded("chat", name)
    asked, unasked = relay(watch, wire, asked=True), relay(watch, wire)
    assert (asked.usage, asked.finished) == (unasked.usage, unasked.finished)
    blocks = [block + b"\n\n" for block in wire.split(b"\n\n") if block]
    alone = [b for b in blocks if b'"choices":[],"usage"' in b or b'"choices": [], "usage"' in b]
    kept = [block for block in blocks if block not in alone[:gone]]
    assert len(blocks) - gone == len(kept)
    assert b"".join(kept) == unasked.forwarded


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", NAMES)
def test_no_cut_changes_the_outcome(recorded, cut_everywhere, name, end, asked):
    """Any cut, any line end: same bytes, same usage, same ending, also inside a character."""
    wire = recorded("chat", name).replace(b"\n", ENDS[end])
    out = cut_everywhere(watch, wire, asked=asked, end=True)
    if name in ("cut.sse", "error.sse"):
        assert out.forwarded.endswith(b'"request_id":"req_7"}\n\n')
    else:
        assert out.forwarded.endswith((DONE, DONE.replace(b"\n", ENDS[end])))


@given(st.data())
def test_no_set_of_cuts_changes_the_outcome(relay, data):
    """Many cuts are like none."""
    wire = (FOLDER / data.draw(st.sampled_from(NAMES))).read_bytes()
    points = sorted({0, len(wire), *data.draw(st.lists(st.integers(0, len(wire)), max_size=20))})
    reads = [wire[a:b] for a, b in itertools.pairwise(points)]
    assert relay(watch, wire, end=True) == relay(watch, *reads, end=True)


def test_the_words_inside_a_text_mean_nothing(relay):
    """A model that writes about usage, errors and [DONE] is relayed like any other."""
    text = 'data: [DONE]\n\n{"error": {"a": 1}, "usage": {"completion_tokens": 9}, "finish_reason": "stop"}'
    chunk = {
        "id": "c",
        "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}],
    }
    wire = b"data: " + msgspec.json.encode(chunk) + b"\n\n"
    out = relay(watch, wire)
    assert (wire, None, False, None) == (out.forwarded, out.usage, out.finished, out.error)
    assert b'"upstream_error"' in relay(watch, wire, end=True).forwarded


@pytest.mark.parametrize(
    "usage",
    [
        b'{"completion_tokens":"many","prompt_tokens":1}',
        b'{"completion_tokens":-1,"prompt_tokens":1}',
        b'["completion_tokens"]',
        b'{"completion_tokens":',
    ],
)
def test_nonsense_usage_is_relayed_and_not_believed(relay, usage):
    """A vendor's bad counters never break an answer."""
    wire = b'data: {"choices":[],"usage":' + usage + b"}\n\n"
    assert (wire, None) == ((out := relay(watch, wire)).forwarded, out.usage)


def test_usage_that_sits_elsewhere_is_taken_and_stays(relay):
    """Groq's own member is read where the chunk has no other, and passes."""
    wire = b'data: {"choices":[],"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}\n\n'
    out = relay(watch, wire)
    assert (wire, Usage(fresh=1, output=2)) == (out.forwarded, out.usage)


def test_a_usage_chunk_that_is_not_text_passes(relay):
    """Its usage was found; what cannot be read whole is not judged to tell nothing else."""
    wire = (
        b'data: {"choices":[],"news":"\xff","usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n'
    )
    out = relay(watch, wire)
    assert wire == out.forwarded
    assert out.usage is not None


def test_an_error_frame_is_held_back_with_all_that_follows(recorded, relay):
    """The pipeline reads it and says it in its own words; the vendor's [DONE] does not pass."""
    wire = recorded("chat", "error.sse")
    before = wire[: wire.index(b'data: {"error"')]
    out = relay(watch, wire, b"data: {}\n\n")
    assert (before, False) == (out.forwarded, out.finished)
    assert "server_error" == msgspec.json.decode(out.error)["type"]
    fault = Fault(Kind.UPSTREAM_OVERLOADED, "Too busy.")
    ended = relay(watch, wire, end=True, fault=fault).forwarded
    assert ended.startswith(before + b'data: {"error":{')
    assert DONE not in ended
    assert b"Too busy." in ended


@pytest.mark.parametrize("error", [b"null", b"{}", b'""', b"false"])
def test_an_empty_error_member_is_no_error(relay, error):
    """Some vendors write the member on every chunk."""
    wire = b'data: {"choices":[],"error":' + error + b"}\n\n"
    assert (wire, None) == ((out := relay(watch, wire)).forwarded, out.error)


def test_an_error_after_the_end_is_no_error(relay):
    """What follows [DONE] nobody reads any more."""
    wire = DONE + b'data: {"error":{"message":"late"}}\n\n'
    for reads in ([wire], [DONE, wire[len(DONE) :]]):
        out = relay(watch, *reads)
        assert (wire, True, None) == (out.forwarded, out.finished, out.error)


def test_a_finished_stream_ends_with_nothing_more(recorded, relay):
    """The terminal frame has passed: not even a fault adds to it."""
    wire = recorded("chat", "text.sse")
    fault = Fault(Kind.UPSTREAM_BROKE, "Reset.")
    assert wire == relay(watch, wire, end=True, fault=fault).forwarded


@pytest.mark.parametrize("name", ["no-done.sse", "spaced.sse"])
def test_a_clean_end_after_a_finish_reason_gets_its_terminal_frame(recorded, relay, name):
    """Some vendors leave [DONE] out; the answer is whole all the same."""
    wire = recorded("chat", name)
    assert wire + DONE == relay(watch, wire, asked=True, end=True).forwarded


def test_a_reset_after_a_finish_reason_is_a_failure(recorded, relay):
    """Usage, and with several choices text, may be missing."""
    wire = recorded("chat", "no-done.sse")
    out = relay(watch, wire, end=True, fault=Fault(Kind.UPSTREAM_BROKE, "Reset."))
    assert b'"upstream_error"' in out.forwarded


def test_an_empty_finish_reason_is_none(relay):
    """Vendors that write an empty text instead of null have not finished."""
    wire = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":""}]}\n\n'
    assert b'"upstream_error"' in relay(watch, wire, end=True).forwarded


def test_one_finish_reason_among_empty_ones_counts(cut_everywhere):
    """Also when the chunks come in one read, and an empty one comes last."""
    chunk = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"%s"}]}\n\n'
    wire = chunk % b"" + chunk % b"stop" + chunk % b""
    assert wire + DONE == cut_everywhere(watch, wire, end=True).forwarded


def test_a_stream_that_stops_short_is_an_error(recorded, relay):
    """The cut frame is dropped; the shape's error alone follows what was whole."""
    wire = recorded("chat", "cut.sse")
    out = relay(watch, wire, end=True).forwarded
    whole = wire[: wire.rindex(b"data:")]
    assert out.startswith(whole + b'data: {"error":{"type":"api_error"')
    assert out.endswith(b'"request_id":"req_7"}\n\n')


@pytest.mark.parametrize("line", [b"data: [DONE]", b"data: [DONE]\n", b"data:[DONE]\r\n"])
def test_a_terminal_frame_without_its_blank_line_counts(relay, line):
    """The last bytes of a body are not lost for want of a line end."""
    out = relay(watch, line, end=True).forwarded
    assert line.rstrip() + b"\n\n" == out


def test_a_whole_chunk_without_its_blank_line_is_forwarded(relay):
    """Whole JSON is whole, whatever comes after it."""
    chunk = b'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}'
    assert chunk + b"\n\n" + DONE == relay(watch, chunk, end=True).forwarded


def sdk(body: bytes):
    """The official client, reading ``body`` as the answer's stream."""
    headers = {"content-type": "text/event-stream"}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, headers=headers, content=body))
    client = openai.OpenAI(
        api_key="k",
        base_url="http://gateway.test/v1",
        http_client=httpx2.Client(transport=transport),
    )
    return client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "x"}], stream=True
    )


def test_the_official_client_raises_on_our_tail(recorded, relay):
    """A stream that stops short is an exception with our message, after the text that came."""
    body = relay(watch, recorded("chat", "cut.sse"), end=True).forwarded
    seen = []
    with pytest.raises(openai.APIError, match="ended before it was complete") as caught:
        seen += [chunk.choices[0].delta.content for chunk in sdk(body)]
    assert "upstream_error" == caught.value.code


def test_the_official_client_reads_a_stream_without_its_usage_chunk(recorded, relay):
    """Taking the chunk out leaves a stream the client accepts."""
    body = relay(watch, recorded("chat", "text-usage.sse"), end=True).forwarded
    chunks = list(sdk(body))
    assert "Hi there" == "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert {None} == {chunk.usage for chunk in chunks}
