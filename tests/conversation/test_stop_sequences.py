"""Answers cut at a stop sequence that their vendor does not take."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Delta,
    Done,
    Failed,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.parts import Citation, Reasoning, Text, TokenLogprob
from trivium.conversation.stop_sequences import Cutter, cut, first
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind

STOP = Finish(Unified.STOP, "completed")


def said(*parts, finish=STOP, usage=None):
    """An answer of one candidate."""
    return Answer((Candidate(parts, finish),), usage)


def stopped(sequence):
    """The end of an answer that was cut."""
    return Finish(Unified.STOP_SEQUENCE, "stop", stop_sequence=sequence)


def streamed(pieces, *stops):
    """The cutter, and the events that it makes of a text in pieces."""
    cutter = Cutter(stops, 9)
    out = cutter.events([Start(), PartStart(0, Text(""))])
    for piece in pieces:
        out += cutter.events([Delta(0, piece)])
    return cutter, out + cutter.events([PartEnd(0), Finished(STOP), Done()])


@pytest.mark.parametrize(
    ("text", "stops", "expected"),
    [
        ("one END two", ("END",), ("one ", "END")),
        ("abc", ("abc", "b"), ("a", "b")),
        ("abc", ("bc", "abc"), ("", "abc")),
        ("aab", ("ab",), ("a", "ab")),
        ("nothing", ("END",), ("nothing", None)),
        ("EN", ("END",), ("EN", None)),
    ],
)
def test_the_sequence_that_is_complete_first_counts(text, stops, expected):
    """Whole, in one piece and letter by letter."""
    kept, sequence = expected
    finish = stopped(sequence) if sequence else STOP
    assert said(Text(kept), finish=finish) == cut(said(Text(text)), stops)
    for pieces in ([text], list(text)):
        (candidate,) = assembled(streamed(pieces, *stops)[1]).candidates
        assert Candidate((Text(kept),), finish) == candidate


@given(
    text=st.text("ab", max_size=12),
    stops=st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=3),
    cuts=st.sets(st.integers(1, 11)),
)
def test_however_it_comes_it_is_cut_at_the_same_place(text, stops, cuts):
    """Nothing is told that may yet be part of a sequence."""
    edges = [0, *sorted(at for at in cuts if at < len(text)), len(text)]
    pieces = [text[a:b] for a, b in itertools.pairwise(edges) if b > a]
    found = first(text, stops)
    cutter, events = streamed(pieces, *stops)
    (candidate,) = assembled(events).candidates
    assert (text[: found.start] if found else text) == candidate.parts[0].text
    assert (found is not None) is cutter.is_cut
    assert cut(said(Text(text)), tuple(stops)).candidates == (candidate,)


def test_what_comes_after_is_not_told():
    """Not its calls either, nor its own end."""
    answer = said(Text("a END b"), ToolCall("c", "look", "{}"), usage=Usage(fresh=3, output=9))
    expected = said(Text("a "), finish=stopped("END"), usage=Usage(fresh=3, output=9))
    assert expected == cut(answer, ("END",))
    cutter = Cutter(("END",), 9)
    assert expected.candidates == assembled(cutter.events(replayed(answer))).candidates
    assert [] == cutter.events([Delta(0, "more")])


def test_reasoning_and_calls_are_not_watched():
    """Only words are."""
    answer = said(Reasoning("END"), ToolCall("c", "look", '{"a":"END"}'), Text("b"))
    assert answer == cut(answer, ("END",))
    assert answer == assembled(Cutter(("END",), 9).events(replayed(answer)))


def test_calls_that_are_open_end_legally():
    """Chat servers leave them open while words come."""
    cutter = Cutter(("END",), 9)
    events = [Start(), PartStart(0, ToolCall("c", "look")), PartStart(1, Text("")), Delta(1, "END")]
    (candidate,) = assembled(cutter.events(events)).candidates
    assert (ToolCall("c", "look", "{}"), Text("")) == candidate.parts


def test_an_answer_that_is_cut_says_what_it_used():
    """As far as its vendor had counted, and at least what it said."""
    cutter, events = streamed(["four", "four END"], "END")
    (report,) = [event for event in events if isinstance(event, UsageReport)]
    assert report.usage == cutter.usage == Usage(fresh=9, output=3, estimated=True)
    cutter = Cutter(("END",), 9)
    counted = Usage(fresh=5, output=7)
    cutter.events([Start(), UsageReport(counted), PartStart(0, Reasoning("")), Delta(0, "a" * 8)])
    cutter.events([PartEnd(0), PartStart(1, Text("")), Delta(1, "END")])
    assert Usage(fresh=5, output=7, reasoning=2, estimated=True) == cutter.usage


def test_a_stream_that_breaks_off_says_what_was_kept_back():
    """It was said before."""
    cutter = Cutter(("END",), 9)
    broken = Failed(Fault(Kind.UPSTREAM_BROKE, "No."))
    out = cutter.events([Start(), PartStart(0, Text("")), Delta(0, "a EN"), broken])
    assert [Delta(0, "a "), Delta(0, "EN"), broken] == out[2:]


def test_probabilities_and_citations_go_with_their_words():
    """Those of what is not told are not told either."""
    tokens = tuple(TokenLogprob(one, -0.5) for one in ("a", " ", "EN", "D"))
    cites = (Citation(url="https://a.example", start=0, end=1), Citation(url="x", start=2, end=5))
    answer = said(Text("a END", cites, tokens))
    shortened = said(Text("a ", cites[:1], tokens[:2]), finish=stopped("END"))
    assert shortened == cut(answer, ("END",))
    cutter = Cutter(("END",), 9)
    out = cutter.events([Start(), PartStart(0, Text(""))])
    for token in tokens:
        out += cutter.events([Delta(0, token.token, (token,))])
    assert (Text("a ", (), tokens[:2]),) == assembled(out).candidates[0].parts
