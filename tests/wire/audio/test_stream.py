"""Streams of audio: at every cut the same bytes, one usage, one end."""

import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.audio.stream import broken, speech_watch, spoken, told, transcript_watch
from trivium.wire.passage import RequestFacts

FACTS = RequestFacts(model="m", stream=True, known=Usage(characters=5))
DELTA = b'data: {"type":"speech.audio.delta","audio":"error"}\n\n'
DONE = b'data: {"type":"speech.audio.done","usage":{"input_tokens":1,"output_tokens":2}}\n\n'
ERROR = b'event: error\ndata: {"error":{"message":"broke","code":"server_error"}}\n\n'


def run(watch, *pieces):
    return b"".join(watch.feed(piece) for piece in pieces)


@pytest.mark.parametrize("cut", range(1, len(DELTA + DONE), 7))
def test_where_the_network_cuts_does_not_matter(cut):
    """Bytes untouched, usage read, finished."""
    wire = DELTA + DONE
    watch = speech_watch(FACTS)
    assert wire == run(watch, wire[:cut], wire[cut:])
    assert (True, b"") == (watch.finished, watch.end(None, "req_1"))
    assert Usage(fresh=1, audio_output=2, characters=5) == watch.usage


def test_an_error_is_held_back_with_all_after_it():
    """The pipeline says it in its own words."""
    watch = speech_watch(FACTS)
    assert DELTA == run(watch, DELTA + ERROR + DELTA, DELTA)
    assert b'{"message":"broke","code":"server_error"}' == watch.error
    assert b"event: error\n" in watch.end(Fault(Kind.UPSTREAM_BROKE, "x"), "req_1")


def test_an_end_without_the_last_event_is_an_error():
    """Whatever closed the stream."""
    watch = transcript_watch(FACTS)
    run(watch, b'data: {"type":"transcript.text.delta","delta":"a"}\n\n')
    assert watch.end(None, "req_1").startswith(b'event: error\ndata: {"error":{')
    assert not watch.finished


def test_a_last_event_without_its_blank_line_counts():
    """Some upstreams close right behind it."""
    watch = transcript_watch(FACTS)
    assert b"" == run(watch, b'data: {"type":"transcript.text.done","text":"a"}')
    assert watch.end(None, "req_1").startswith(b'data: {"type":"transcript.text.done"')
    assert watch.finished
    assert Usage(characters=5) == watch.usage


def test_what_is_no_event_goes_by():
    """Comments, other frames, and words that only look like ours."""
    wire = b': keep-alive\n\ndata: not json "error"\n\ndata: [DONE]\n\n'
    watch = speech_watch(FACTS)
    assert wire == run(watch, wire)
    assert (False, None) == (watch.finished, watch.error)


def test_streams_that_are_made_read_as_streams():
    """Of a whole recording, and of a whole transcript."""
    watch = speech_watch(FACTS)
    run(watch, spoken("QUJD", Usage(fresh=3, audio_output=4)))
    assert (True, 3, 4) == (watch.finished, watch.usage.fresh, watch.usage.audio_output)
    watch = transcript_watch(FACTS)
    run(watch, told("Hi", b""))
    assert (True, None) == (watch.finished, watch.error)


def test_the_error_event_is_a_gateway_error():
    """With the request's id."""
    assert b'"request_id":"req_1"' in broken(Fault(Kind.UPSTREAM_BROKE, "gone"), "req_1")


def test_speech_without_a_sound_is_no_success():
    """It is not paid for, and another channel may speak; a transcript may be of silence."""
    watch = speech_watch(FACTS)
    assert b"" == run(watch, DONE)
    assert (Kind.UPSTREAM_BROKE, False, None) == (watch.error.kind, watch.finished, watch.usage)
    watch = transcript_watch(FACTS)
    run(watch, b'data: {"type":"transcript.text.done","text":""}\n\n')
    assert watch.finished
