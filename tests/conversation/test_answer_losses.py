"""What an answer says and a caller's shape has no place for is told to the report."""

import msgspec
import pytest

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.answer_losses import LossReporter
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import Cited, Delta, Finished, PartEnd, PartStart
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.losses import Report
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import (
    Audio,
    Citation,
    Image,
    Inline,
    Native,
    Reasoning,
    Refusal,
    Text,
    TokenLogprob,
    VendorPart,
)
from trivium.conversation.shape_capabilities import Loss, ShapeCapabilities
from trivium.conversation.usage import Usage

STOP = Finish(Unified.STOP)
SEARCH = VendorPart(Native("other", b"{}"), "web_search_call", queries=("q",))
BARE = ShapeCapabilities(
    shape="own",
    shows=lambda part: isinstance(part, Image),
    words=lambda part: isinstance(part, Audio) and bool(part.transcript),
    ends=frozenset({Unified.STOP}),
    reasoning=False,
    calls=False,
    signed_texts=False,
    counters=("cache_write_long",),
    tiers=frozenset({"default"}),
)
RICH = ShapeCapabilities(
    shape="own",
    shows=lambda _: True,
    words=lambda _: True,
    ends=frozenset(Unified),
    stop_sequence=True,
    category=True,
    explanation=True,
    refusals=True,
    transcripts=True,
    candidates=True,
    logprobs=True,
    namespaces=True,
    queries=True,
    cites=lambda _: True,
)


def said(*parts, finish=STOP, **members):
    """An answer of these parts."""
    return Answer((Candidate(parts, finish),), **members)


def whole(places, answer):
    """The report on a whole answer."""
    report = Report("own", strict=True)
    LossReporter(places, report).answer(answer)
    return report


def streamed(places, answer):
    """The report on its stream, each event by itself."""
    report = Report("own", strict=True)
    placing = LossReporter(places, report)
    for event in replayed(answer):
        placing.events([event])
    return report


ROWS = {
    "words": (said(Text("hi")), []),
    "another vendor's block": (said(SEARCH), ["answer.web_search_call;act=dropped"]),
    "its own block": (said(VendorPart(Native("own", b"{}"), "block")), []),
    "refusal": (said(Refusal("no")), ["answer.refusal;act=changed"]),
    "reasoning": (said(Reasoning("hm")), ["answer.reasoning;act=dropped"]),
    "call": (said(ToolCall("c", "look", "{}")), ["answer.tool_calls;act=dropped"]),
    "namespace": (
        said(ToolCall("c", "look", "{}", namespace="n")),
        ["answer.tool_calls;act=dropped", "answer.namespace;act=dropped"],
    ),
    "picture": (said(Image(Inline("image/png", "AA"))), []),
    "spoken": (said(Audio(None, "hi")), ["answer.audio;act=changed"]),
    "sound": (said(Audio(Inline("audio/wav", "AA"))), ["answer.audio;act=dropped"]),
    "source": (said(Text("hi", (Citation("https://a.example"),))), []),
    "book": (said(Text("hi", (Citation(title="book"),))), ["answer.citations;act=dropped"]),
    "likely": (
        said(Text("hi", logprobs=(TokenLogprob("hi", -1.0),))),
        ["answer.logprobs;act=dropped"],
    ),
    "stop": (
        said(finish=Finish(Unified.STOP_SEQUENCE, stop_sequence="END")),
        ["answer.stop_sequence;act=dropped"],
    ),
    "paused": (said(finish=Finish(Unified.PAUSED)), ["answer.finish;act=changed"]),
    "policy": (
        said(finish=Finish(Unified.STOP, category="bio", explanation="No.")),
        ["answer.category;act=dropped", "answer.explanation;act=dropped"],
    ),
    "two": (
        Answer((Candidate((Text("a"),), STOP), Candidate((Reasoning("b"),), STOP))),
        ["answer.candidates;act=dropped"],
    ),
}


@pytest.mark.parametrize("tell", [whole, streamed])
@pytest.mark.parametrize(("answer", "told"), ROWS.values(), ids=ROWS)
def test_what_has_no_place_is_told(answer, told, tell):
    """Once, whole and streamed alike, and never refused: it is paid for."""
    header = tell(BARE, answer).dropped_header()
    assert told == [row.partition(";why=")[0] for row in header.split(", ") if row]
    assert "" == tell(RICH, answer).dropped_header()


@pytest.mark.parametrize("tell", [whole, streamed])
@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (said(Text("hi", opaque=(Opaque("signature", b"s"),))), "answer.signature"),
        (
            said(Text("hi", (Citation("https://a.example", quoted="A."),))),
            "answer.citations.cited_text",
        ),
        (said(usage=Usage(cache_write_long=1)), "answer.usage.cache_write_long"),
        (said(service_tier="flex"), "answer.service_tier"),
    ],
)
def test_what_changes_nothing_for_the_caller_is_in_the_record_alone(answer, kept, tell):
    """No header says it: most answers would have one."""
    report = tell(BARE, answer)
    assert "" == report.dropped_header()
    assert kept == report.dropped_names()


def test_a_later_candidate_is_told_once_and_left_alone():
    """What its parts hold is gone with it."""
    report = Report("own")
    placing = LossReporter(BARE, report)
    likely = (TokenLogprob("a", -1.0),)
    placing.events(
        [
            PartStart(0, Text(""), 1),
            Delta(0, "a", likely),
            Cited(0, Citation(title="book")),
            PartEnd(0, (Opaque("signature", b"s"),)),
        ]
    )
    assert "answer.candidates" == report.dropped_names()


def test_what_a_reader_does_not_know_is_told_in_three_ways():
    """Left out, noted, or told in words; a name once."""
    report = Report("the chat shape of m")
    placing = LossReporter(BARE, report)
    for name, loss in (("a", Loss.UNKNOWN), ("b", Loss.WORDED), ("c", Loss.NOTED)) * 2:
        placing.unread(name, loss)
    assert [("answer.a", "dropped"), ("answer.b", "changed")] == [
        (drop.member, drop.act.value) for drop in report.drops
    ]
    assert ["answer.c"] == report.kept


def test_an_upstream_cannot_fill_a_record():
    """It makes up the names."""
    report = Report("the chat shape of m")
    placing = LossReporter(BARE, report)
    for at in range(1000):
        placing.unread(f"{at}" * 100, Loss.UNKNOWN)
    assert 64 == len(report.drops)
    assert max(len(drop.member) for drop in report.drops) < 100


@pytest.mark.parametrize(
    ("parts", "unheard"),
    [
        ((VendorPart(Native("x", b"{}"), "hologram", known=False),), "hologram"),
        ((VendorPart(Native("x", b"{}"), "search"),), ""),
        ((Text("Hi"), VendorPart(Native("x", b"{}"), "hologram", known=False)), ""),
        ((Reasoning("hm"), VendorPart(Native("x", b"{}"), "hologram", known=False)), "hologram"),
        ((), ""),
    ],
)
def test_an_answer_of_nothing_known_is_noticed(parts, unheard):
    """Whole and streamed; what was only thought is no answer."""
    answer = Answer((Candidate(parts, Finish(Unified.STOP)),))
    for tell in (
        lambda placing: placing.answer(answer),
        lambda placing: placing.events(replayed(answer)),
    ):
        placing = LossReporter(BARE, Report("the chat shape of m"))
        tell(placing)
        assert unheard == placing.unheard


@pytest.mark.parametrize(
    ("arguments", "unified", "told"),
    [
        ('{"a":', Unified.LENGTH, ["answer.tool_calls"]),
        ('{"a":1}', Unified.LENGTH, []),
        ("", Unified.LENGTH, []),
        ('{"a":', Unified.TOOL_CALLS, []),
    ],
)
def test_a_call_that_was_cut_is_told_where_it_is_left_out(arguments, unified, told):
    """Half an object has no place in the generate shape."""
    places = msgspec.structs.replace(RICH, cut_calls=frozenset({Unified.LENGTH}))
    answer = Answer((Candidate((ToolCall("c1", "f", arguments),), Finish(unified)),))
    for tell in (
        lambda placing: placing.answer(answer),
        lambda placing: placing.events(replayed(answer)),
    ):
        report = Report("the generate shape of m")
        tell(LossReporter(places, report))
        assert told == [drop.member for drop in report.drops]


def test_a_call_is_cut_when_its_own_candidate_is():
    """Another candidate, which has not ended, may still be saying its call."""
    places = msgspec.structs.replace(RICH, cut_calls=frozenset({Unified.LENGTH}))
    report = Report("the generate shape of m")
    placing = LossReporter(places, report)
    begun = [PartStart(at, ToolCall(f"c{at}", "f"), at) for at in range(2)]
    placing.events([*begun, Delta(0, "{}"), Delta(1, '{"a":')])
    placing.events([Finished(Finish(Unified.LENGTH), 0)])
    assert [] == report.drops
    placing.events([Finished(Finish(Unified.LENGTH), 1)])
    assert ["answer.tool_calls"] == [drop.member for drop in report.drops]


def test_a_second_call_is_told_where_there_is_room_for_one():
    """Of each candidate: callers of OpenAI's old functions take one."""
    two = Candidate((ToolCall("c1", "f"), ToolCall("c2", "f")), STOP)
    one = Candidate((ToolCall("c3", "f"),), STOP)
    for candidates, told in (((two,), ["answer.tool_calls"]), ((one, one), [])):
        answer = Answer(candidates)
        for streams in (False, True):
            report = Report("the chat shape of m")
            placing = LossReporter(RICH, report, one_call=True)
            if streams:
                placing.events(replayed(answer))
            else:
                placing.answer(answer)
            assert told == [drop.member for drop in report.drops]
