"""Transcripts as upstreams give them, and as callers want them."""

import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.audio import answer

KNOWN = Usage(seconds=1.0, estimated=True)


def refused(raw):
    return Fault(Kind.UPSTREAM_REJECTED, raw.decode())


READ = {
    "usage by seconds": (
        b'{"text":"a","usage":{"type":"duration","seconds":4}}',
        Usage(seconds=4.0),
    ),
    "a length": (b'{"text":"a","duration":2.5}', Usage(seconds=2.5)),
    "a length as text": (b'{"text":"a","duration":"2.5"}', Usage(seconds=2.5)),
    "tokens and a length": (
        b'{"text":"a","duration":2,"usage":{"input_tokens":3,"output_tokens":1}}',
        Usage(fresh=3, output=1, seconds=2.0),
    ),
    "nothing": (b'{"text":""}', KNOWN),
    "nonsense": (b'{"text":"a","duration":"long"}', KNOWN),
    "a negative length": (b'{"text":"a","duration":-1}', KNOWN),
}


@pytest.mark.parametrize("name", READ)
def test_what_was_used_is_read_where_it_is_said(name):
    """Else it is what is known."""
    body, usage = READ[name]
    assert usage == answer.read(body, KNOWN, refused).usage


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"words":[]}', b"[]", b'{"text":1}'])
def test_what_is_no_transcript_is_a_break(body):
    """Never an empty success."""
    with pytest.raises(Fault) as caught:
        answer.read(body, KNOWN, refused)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
    with pytest.raises(Fault):
        answer.answer(body)


def test_an_error_is_the_providers_to_read():
    """Whatever the format asked for."""
    error = b'{"error":{"message":"no"}}'
    for read in (
        lambda: answer.read(error, KNOWN, refused),
        lambda: answer.plain(error, KNOWN, refused),
    ):
        with pytest.raises(Fault, match="no"):
            read()
    assert b'{"message":"no"}' == answer.answer(error).error
    assert Kind.UPSTREAM_REJECTED is answer.refusal(error, refused).kind
    assert Kind.UPSTREAM_BROKE is answer.refusal(b"{}", refused).kind
    assert Kind.UPSTREAM_BROKE is answer.refusal(b"x", refused).kind


@pytest.mark.parametrize("body", [b"", b"Hi", "ä".encode(), b"{not json", b'{"said":"so"}'])
def test_text_may_be_anything_but_an_error(body):
    """People say braces too."""
    answer.plain(body, KNOWN, refused)


@pytest.mark.parametrize(
    ("asked", "body"),
    [
        ("text", b"<!DOCTYPE html><title>502</title>"),
        ("text", b"\n<html>"),
        ("srt", b"Hello there."),
        ("vtt", b"Hello there."),
        ("vtt", b""),
        ("srt", b"<html>-->"),
    ],
)
def test_a_page_or_words_without_times_are_no_transcript(asked, body):
    """A web page with status 200, or a server that does not know the format."""
    with pytest.raises(Fault) as caught:
        answer.plain(body, KNOWN, refused, asked)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


@pytest.mark.parametrize(
    ("asked", "body"),
    [
        ("text", b"<i>Hello</i>"),
        ("srt", b"\n"),
        ("srt", b"1\n00:00:00,000 --> 00:00:01,000\nHi\n"),
        ("vtt", b"\xef\xbb\xbfWEBVTT\n"),
    ],
)
def test_silence_has_subtitles_too(asked, body):
    """None: but those of a format that begins with its name."""
    assert answer.plain(body, KNOWN, refused, asked) is None


def test_bytes_that_are_no_text_are_a_break():
    """Not relayed as subtitles."""
    with pytest.raises(Fault):
        answer.plain(b"\xff", KNOWN, refused)


def test_formats_are_made_of_times():
    """And text of text."""
    body = b'{"text":"Hi","segments":[{"start":"0","end":1,"text":"Hi","id":0}]}'
    found = answer.read(body, KNOWN, refused)
    assert b"Hi\n" == answer.written(found, "text")
    assert b"1\n00:00:00,000 --> 00:00:01,000\nHi\n" == answer.written(found, "srt")
    assert answer.written(found, "vtt").startswith(b"WEBVTT\n")


@pytest.mark.parametrize("segments", ["", ',"segments":null', ',"segments":[{"start":0}]'])
def test_without_times_there_are_no_subtitles(segments):
    """The upstream's fault."""
    found = answer.read(b'{"text":"Hi"%b}' % segments.encode(), KNOWN, refused)
    with pytest.raises(Fault, match="no times"):
        answer.written(found, "srt")


def test_an_answer_says_what_it_used():
    """For whoever only looks."""
    assert Usage(seconds=4.0) == answer.answer(b'{"text":"a","usage":{"seconds":4}}').usage


@pytest.mark.parametrize("body", [b"Hi", b"", b"{curly", b'{"a": 1}', b'{"text": 3}'])
def test_text_is_no_transcript_in_json(body):
    """Whoever says braces is heard."""
    assert answer.plain(body, KNOWN, refused) is None


def test_json_in_the_place_of_text_is_read():
    """Some upstreams know nothing else, whatever they are asked for."""
    found = answer.plain(b' {"text": "Hi", "duration": 2.5}', KNOWN, refused)
    assert ("Hi", 2.5) == (found.text, found.usage.seconds)
